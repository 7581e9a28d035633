import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { nodeDisk } from "../src/disk/node-disk.js";
import type { Host, ProcessIdentity } from "../src/disk/platform.js";
import { createHost } from "../src/disk/platform.js";
import {
  at,
  checkpoint,
  commit,
  create,
  emptyFolder,
  folderOf,
  lease,
  newTask,
  now,
  openStore,
  ttlMs,
} from "./scene.js";

const options = { durability: "process" } as const;

/** A process of its own, as far as a store can tell, whose death others may see. */
function pretend(pid: number, stateOfOthers: () => "alive" | "dead" | "unknown" = () => "alive"): { host: Host } {
  const identity: ProcessIdentity = { host: "h", bootId: "b", processNamespace: "n", pid, startTime: "1" };
  return { host: { identity, processState: stateOfOthers } };
}

describe("two stores on one folder", () => {
  test("take over from a dead process at once, and refuse what it commits later", async () => {
    const directory = emptyFolder();
    let state: "alive" | "dead" = "alive";
    const first = openStore(directory, { ...options, ...pretend(1) });
    const second = openStore(directory, { ...options, ...pretend(2, () => state) });
    const id = await create(first, "task");
    const old = await lease(first, id);
    await commit(first, old, 1, [checkpoint(1)]);
    await expect(lease(second, id)).rejects.toThrow("not free");
    state = "dead";
    const held = await lease(second, id);
    await commit(second, held, 2, [checkpoint(2)]);
    await expect(commit(first, old, 2, [checkpoint(9)])).rejects.toMatchObject({ code: "LEASE_LOST" });
    expect((await first.getTask(id))?.record.progress).toBe(2);
  });

  test("take over from a stopped process, which lives and whose heartbeat stands still", async () => {
    const directory = emptyFolder();
    const first = openStore(directory, { ...options, ...pretend(1) });
    const second = openStore(directory, { ...options, ...pretend(2) });
    const id = await create(first, "task");
    const old = await lease(first, id);
    await expect(lease(second, id, "b", at(0))).rejects.toThrow("not free");
    await first.heartbeat({ worker: "worker-a", now });
    await expect(lease(second, id, "b", at(ttlMs + 1))).rejects.toThrow("not free");
    const held = await lease(second, id, "b", at(2 * ttlMs + 2));
    await expect(commit(first, old, 1, [checkpoint(1)])).rejects.toMatchObject({ code: "LEASE_LOST" });
    await commit(second, held, 1, [checkpoint(1)]);
  });

  test("do not bring the lease of a dead process back when a worker of the same name comes", async () => {
    const directory = emptyFolder();
    const first = openStore(directory, { ...options, ...pretend(1) });
    const id = await create(first, "task");
    await lease(first, id, "worker");
    const second = openStore(directory, { ...options, ...pretend(2, () => "dead") });
    await second.heartbeat({ worker: "worker", now });
    expect((await second.getTask(id))?.leased).toBe(false);
  });

  test("go on after a taker that died between announcing and sealing", async () => {
    const directory = emptyFolder();
    const first = openStore(directory, { ...options, ...pretend(1) });
    const id = await create(first, "task");
    const old = await lease(first, id);
    await commit(first, old, 1, [checkpoint(1)]);
    writeFileSync(join(folderOf(directory, id), "journal.3.jsonl"), "");
    const second = openStore(directory, { ...options, ...pretend(2, () => "dead") });
    expect((await second.getTask(id))?.record.lastSeq).toBe(2);
    await expect(commit(first, old, 2, [checkpoint(2)])).rejects.toMatchObject({ code: "LEASE_LOST" });
    const held = await lease(second, id, "b");
    expect(await commit(second, held, 2, [checkpoint(2)])).toMatchObject({ lastSeq: 3 });
  });

  test("see signals that the other left at the next commit", async () => {
    const directory = emptyFolder();
    const [first, second] = [openStore(directory, options), openStore(directory, options)];
    const id = await create(first, "task");
    const held = await lease(first, id);
    for (let turn = 1; turn <= 20; turn += 1) {
      await second.signal(id, { kind: turn % 2 === 0 ? "pause" : "resume" });
      const { signals } = await first.commit({
        lease: held,
        afterSeq: turn,
        events: [checkpoint(turn)],
        consume: [],
        now,
      });
      expect(signals.map(({ kind }) => kind)).toEqual([turn % 2 === 0 ? "pause" : "resume"]);
    }
    expect(readdirSync(folderOf(directory, id)).filter((name) => name.startsWith("signal."))).toHaveLength(1);
  });
});

test("a process that sleeps through its lease is refused when it wakes, and changes nothing in the journal (G4)", async () => {
  const directory = emptyFolder();
  const sleeper = openStore(directory, { ...options, ...pretend(1) });
  const other = openStore(directory, { ...options, ...pretend(2) });
  const id = await create(sleeper, "task");
  const old = await lease(sleeper, id);
  await commit(sleeper, old, 1, [checkpoint(1, ["by the sleeper"])]);
  await expect(lease(other, id, "b", at(0))).rejects.toThrow("not free");
  const held = await lease(other, id, "b", at(ttlMs + 1));
  await commit(other, held, 2, [checkpoint(2, ["by the other"])]);
  const events = await other.readEvents(id, { afterSeq: 0, limit: 10 });
  for (const afterSeq of [2, 3]) {
    const late = commit(sleeper, old, afterSeq, [checkpoint(9, ["late"])]);
    await expect(late).rejects.toMatchObject({ code: "LEASE_LOST" });
  }
  const third = openStore(directory, options);
  for (const store of [sleeper, other, third]) {
    expect(await store.readEvents(id, { afterSeq: 0, limit: 10 })).toEqual(events);
    expect((await store.readItems(id, { after: 0, limit: 10 })).items).toEqual(["by the sleeper", "by the other"]);
  }
  await commit(other, held, 3, [checkpoint(3)]);
});

test.each([
  ["before it was made, by the clock,", -1],
  ["an hour later by the clock", 1],
])("a task that finished %s is listed and counted once, and kept for its time", async (_, hours) => {
  const directory = emptyFolder();
  const hourMs = 3_600_000;
  const store = openStore(directory, options);
  const id = await create(store, "task");
  const later = { wallMs: now.wallMs + hours * hourMs, monotonicMs: now.monotonicMs + 1 };
  const held = await lease(store, id);
  await store.commit({ lease: held, afterSeq: 1, events: [{ type: "completed", output: 1 }], consume: [], now: later });
  await store.releaseLease(held);
  const again = openStore(directory, options);
  expect((await again.listTasks({ limit: 10 })).tasks.map((task) => task.id)).toEqual([id]);
  expect((await again.countTasks({})).total).toBe(1);
  const expired = (wallMs: number) => again.listExpired({ now: { ...later, wallMs }, limit: 10 });
  expect(await expired(later.wallMs + 999)).toEqual([]);
  expect(await expired(later.wallMs + 1_000)).toEqual([id]);
});

test("a store that is opened leaves alone what another one is just registering", async () => {
  const directory = emptyFolder();
  await openStore(directory, options).countTasks({});
  const draft = join(directory, "workers", ".draft.of-another");
  writeFileSync(draft, "");
  const store = openStore(directory, options);
  await store.countTasks({});
  await store.close();
  expect(existsSync(draft)).toBe(true);
});

describe("watching", () => {
  const disk = {
    ...nodeDisk,
    watch: () => {
      throw Object.assign(new Error("no watches left"), { code: "ENOSPC" });
    },
  };

  test.each([
    ["by notices of the system", {}],
    ["by looking again and again where there are none", { disk, limits: { watchPollMs: 5 } }],
  ])("notifies of what another store did, %s", async (_, how) => {
    const directory = emptyFolder();
    const writer = openStore(directory, options);
    const watcher = openStore(directory, { ...options, ...how });
    const id = await create(writer, "task");
    const held = await lease(writer, id);
    const steps = [
      () => commit(writer, held, 1, [checkpoint(1)]),
      () => writer.signal(id, { kind: "pause" }),
      () => writer.releaseLease(held),
    ];
    for (const step of steps) {
      await new Promise<void>((resolve, reject) => {
        const stop = watcher.watch(id, () => {
          stop();
          resolve();
        });
        step().catch(reject);
      });
    }
    await new Promise<void>((resolve, reject) => {
      const stop = watcher.watch(undefined, () => {
        stop();
        resolve();
      });
      create(writer, "another").catch(reject);
    });
  });
});

describe("the host", () => {
  const host = createHost();

  test("knows that it lives itself, and tells another start of the same process id apart", () => {
    expect(host.processState(host.identity)).toBe("alive");
    expect(host.processState({ ...host.identity, startTime: "1" })).toBe("dead");
  });

  test("knows that an ended process is dead", async () => {
    const child = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"], { stdio: "ignore" });
    await once(child, "spawn");
    const identity = { ...host.identity, pid: child.pid ?? 0, startTime: "" };
    expect(host.processState(identity)).toBe("alive");
    child.kill("SIGKILL");
    await once(child, "close");
    expect(host.processState(identity)).toBe("dead");
  });

  test.each(["host", "bootId", "processNamespace"] as const)("does not judge a process of another %s", (field) => {
    expect(host.processState({ ...host.identity, pid: 1, [field]: "other" })).toBe("unknown");
  });
});

test("a restart whose process died before writing it does not block the call", async () => {
  const directory = emptyFolder();
  let dies = false;
  const observer = (point: string) => {
    if (dies && point === "store.commit.keyed") throw new Error("killed");
  };
  const first = openStore(directory, { ...options, ...pretend(1), observer });
  const id = await create(first, "first", { key: "call" });
  const held = await lease(first, id);
  await commit(first, held, 1, [{ type: "failed", error: { code: "TOOL_FAILED", message: "no" } }]);
  dies = true;
  const restart = commit(first, held, 2, [{ type: "restarted", generation: 2, fromState: true }]);
  await expect(restart).rejects.toThrow("killed");
  const second = openStore(directory, { ...options, ...pretend(2, () => "dead") });
  const task = newTask("second", { key: "call" });
  expect((await second.createTask({ task, reuseResultMs: 0, now })).created).toBe(true);
});
