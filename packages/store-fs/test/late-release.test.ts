import { randomUUID } from "node:crypto";
import { readdirSync, unlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Host } from "../src/disk/platform.js";
import { at, checkpoint, commit, create, emptyFolder, folderOf, lease, openStore, ttlMs } from "./scene.js";

/** A machine of its own: only heartbeats tell who lives there. */
function machine(host: string): Host {
  const identity = { host, bootId: randomUUID(), processNamespace: "ns", pid: 1, startTime: "1" };
  return { identity, processState: (other) => (other.host === host ? "alive" : "unknown") };
}

test("a lease that is given back after its task was deleted and made again cuts nothing of the new one (G4)", async () => {
  const directory = emptyFolder();
  const limits = { extendFromBytes: 16 };
  const store = openStore(directory, { host: machine("here"), limits });
  const id = await create(store, "task");
  const old = await lease(store, id);
  await commit(store, old, 1, [checkpoint(1)]);
  const far = openStore(directory, { host: machine("there"), limits });
  await far.acquireLease({ taskId: id, worker: "worker-b", ttlMs, now: at(0) });
  const taken = await lease(far, id, "worker-b", at(ttlMs));
  await commit(far, taken, 2, [{ type: "completed", output: "done" }]);
  await far.deleteTask(taken);
  await create(far, "task");
  const held = await lease(far, id, "worker-b", at(ttlMs));
  expect(held.epoch).toBe(old.epoch);
  for (let progress = 1; progress <= 5; progress++) await commit(far, held, progress, [checkpoint(progress)]);
  await store.releaseLease(old);
  const reader = openStore(directory);
  expect((await reader.getTask(id))?.record).toMatchObject({ progress: 5, lastSeq: 6 });
  expect((await reader.readEvents(id, { afterSeq: 0, limit: 10 })).events).toHaveLength(6);
  expect(readdirSync(folderOf(directory, id))).toContain("journal.2.jsonl");
});

test("a taker that came second leaves no lease behind when the first one gives up (G12)", async () => {
  const directory = emptyFolder();
  let rival: string | undefined;
  const store = openStore(directory, {
    observer(point, taskId) {
      if (point !== "store.takeover.sealed" || taskId === undefined || rival !== undefined) return;
      // Another process announces the next epoch, and cannot write its seal: the disk is full.
      rival = join(folderOf(directory, taskId), "journal.3.jsonl");
      writeFileSync(rival, "", { flag: "wx" });
    },
  });
  const id = await create(store, "task");
  const taken = await store.acquireLease({ taskId: id, worker: "worker-a", ttlMs, now: at(0) });
  expect(taken).toBeUndefined();
  unlinkSync(rival ?? "");
  const third = openStore(directory);
  expect((await third.getTask(id))?.leased).toBe(false);
  await lease(third, id, "worker-c");
});
