import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import type { Host } from "../src/disk/platform.js";
import { at, create, emptyFolder, lease, openStore, ttlMs } from "./scene.js";

/** A machine of its own: only heartbeats tell who lives there. */
function machine(host: string): Host {
  const identity = { host, bootId: randomUUID(), processNamespace: "ns", pid: 1, startTime: "1" };
  return { identity, processState: (other) => (other.host === host ? "alive" : "unknown") };
}

test("a process that stood still takes no task from a worker whose heartbeat it sees before it gets the time (G4)", async () => {
  const directory = emptyFolder();
  const store = openStore(directory, { durability: "process", host: machine("here") });
  const far = openStore(directory, { durability: "process", host: machine("there") });
  const id = await create(store, "task");
  await lease(store, id);
  const reach = (ms: number) => far.acquireLease({ taskId: id, worker: "worker-b", ttlMs, now: at(ms) });
  expect(await reach(0)).toBeUndefined();
  await store.heartbeat({ worker: "worker-a", now: at(3 * ttlMs) });
  // No time comes with this: by the last time that came, the beat was seen three times ttlMs ago.
  expect((await far.getTask(id))?.leased).toBe(true);
  expect(await reach(3 * ttlMs)).toBeUndefined();
  expect(await reach(4 * ttlMs - 1)).toBeUndefined();
  expect((await reach(4 * ttlMs))?.lease.epoch).toBe(3);
});
