import type { Store } from "@resumable-mcp/core";
import { openQuestions, type TaskEventBody } from "@resumable-mcp/core/store";
import { expect, test } from "vitest";
import { createFsStore } from "../src/create-fs-store.js";
import type { Host } from "../src/disk/platform.js";
import { crashImage } from "../src/testing/crash-image.js";
import { emptyTree, MemoryDisk } from "../src/testing/memory-disk.js";
import { recordDisk, SyncLost } from "../src/testing/recording-disk.js";
import { checkpoint, newTask, now, openStore, ttlMs } from "./scene.js";

const directory = "/store";
const limits = { rotateBytes: 300, maxJournalFiles: 3, keepJournalFiles: 1 };

/** A disk of which one sync of a file loses what it covers; those after it succeed. */
class LosingDisk extends MemoryDisk {
  left: number;
  hasLost = false;

  constructor(left: number) {
    super();
    this.left = left;
  }

  override async syncData(file: number): Promise<void> {
    this.syncDataNow(file);
  }

  override syncDataNow(file: number): void {
    super.syncDataNow(file);
    this.left -= 1;
    if (this.left !== 0) return;
    this.hasLost = true;
    throw new SyncLost("EIO: fdatasync");
  }
}

/** A process for which all others are dead. */
function hostOf(pid: number): Host {
  const identity = { host: "here", bootId: "boot", processNamespace: "here", pid, startTime: String(pid) };
  return { identity, processState: (other) => (other.pid === pid ? "alive" : "dead") };
}

const [id, key] = ["task-of-the-call", "call"];

/** Does what is left to do: makes the task or finds it, takes it, brings it forward, and answers its question. */
async function work(store: Store, reader: Store): Promise<unknown> {
  await store.createTask({ task: newTask(id, { key }), reuseResultMs: 0, now });
  const taken = await store.acquireLease({ taskId: id, worker: "worker", ttlMs, now });
  if (taken === undefined) throw new Error("the lease is not free");
  let { record, signals } = taken.snapshot;
  const step = async (...events: readonly TaskEventBody[]) => {
    const consume = signals.map((signal) => signal.id);
    ({ record, signals } = await store.commit({ lease: taken.lease, afterSeq: record.lastSeq, events, consume, now }));
    await reader.getTask(id);
  };
  while (record.itemCount < 8) await step(checkpoint(record.itemCount + 1, [`item ${record.itemCount}`]));
  if (record.remembered.question === undefined && openQuestions(record).length === 0) {
    await step({ type: "asked", key: "question", question: { message: "?", schema: {} } });
  }
  if (record.remembered.question === undefined && signals.length === 0) {
    await reader.signal(id, { kind: "answer", key: "question", answer: { action: "cancel" } });
  }
  return await seenBy(store);
}

/** What a caller was shown, and must find again. */
async function seenBy(store: Store): Promise<unknown> {
  const created = await store.createTask({ task: newTask("another-task", { key }), reuseResultMs: 0, now });
  const { record, signals } = created.snapshot;
  const { tasks } = await store.listTasks({ limit: 10 });
  const page = await store.readItems(record.id, { after: 0, limit: 100 });
  return {
    id: record.id,
    seq: record.lastSeq,
    signals: signals.map(({ kind }) => kind),
    tasks: tasks.map((task) => task.id),
    items: page.items,
  };
}

/** One sync after the other is the one that loses: each process dies of it, and the next one continues. */
test("what is acknowledged after a sync lost what it covers is durable, also where another process syncs the file (G1)", async () => {
  const wrong: string[] = [];
  let loss = 0;
  for (let hasLost = true; hasLost; ) {
    loss += 1;
    const inner = new LosingDisk(loss);
    const { disk, events } = recordDisk(inner);
    const run = async (pid: number): Promise<unknown> => {
      const [store, reader] = [pid, pid + 1].map((each) => openStore(directory, { disk, limits, host: hostOf(each) }));
      if (store === undefined || reader === undefined) throw new Error("there are two");
      const before = inner.hasLost;
      return await work(store, reader).catch((error: unknown) => {
        if (before || !inner.hasLost) throw error;
        return run(pid + 2);
      });
    };
    const seen = await run(1);
    hasLost = inner.hasLost;
    for (const dataLoss of ["dropped", "zeroed"] as const) {
      const image = crashImage(emptyTree(), events, { keepsName: () => true, dataLoss: () => dataLoss });
      const left = createFsStore({ directory, disk: new MemoryDisk(image), host: hostOf(9) });
      const found = await seenBy(left).catch(String);
      if (JSON.stringify(found) !== JSON.stringify(seen))
        wrong.push(`sync ${loss}, ${dataLoss}: ${JSON.stringify(found)}`);
      await left.close();
    }
  }
  expect(wrong).toEqual([]);
  expect(loss).toBeGreaterThan(20);
});
