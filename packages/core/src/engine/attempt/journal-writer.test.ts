import { describe, expect, it } from "vitest";
import { ResumableError } from "../../errors.js";
import { engineDefaults, taskDefaults } from "../../limits.js";
import { createMemoryStore } from "../../store/memory/memory-store.js";
import type { Store } from "../../store/store.js";
import type { TaskEventBody } from "../../task/task-event.js";
import type { Signal } from "../../task/task-record.js";
import { createManualClock } from "../../testing/manual-clock.js";
import { JournalWriter } from "./journal-writer.js";

const task = {
  id: "task-0000000000000001",
  owner: "client:a",
  tool: "x",
  toolVersion: "1",
  key: null,
  input: {},
  detached: true,
  ttlMs: 1,
} as const;
const checkpoint = (progress: number): TaskEventBody => ({ type: "checkpoint", progress });

/** A writer on a store in memory whose answers can be held back. */
async function createScene(commit: (store: Store) => Store["commit"] = (store) => store.commit) {
  const store = createMemoryStore();
  const clock = createManualClock();
  const now = { wallMs: clock.wallMs(), monotonicMs: clock.monotonicMs() };
  await store.createTask({ task, reuseResultMs: 0, now });
  const acquired = await store.acquireLease({ taskId: task.id, worker: "w", ttlMs: 1_000, now });
  if (acquired === undefined) throw new Error("A new task's lease is free.");
  const heard: (readonly Signal[])[] = [];
  const broken: unknown[] = [];
  const writer = new JournalWriter({
    store: { ...store, commit: commit(store) },
    lease: acquired.lease,
    record: acquired.snapshot.record,
    clock,
    limits: engineDefaults,
    taskLimits: taskDefaults,
    onSignals: (signals) => heard.push(signals),
    onCommitted: () => {},
    onBroken: (error) => broken.push(error),
  });
  const journal = async () =>
    (await store.readEvents(task.id, { afterSeq: 1, limit: 100 })).events.map(({ type }) => type);
  return { store, clock, writer, heard, broken, journal };
}

const kindsOf = (heard: readonly (readonly Signal[])[]) =>
  heard.map((signals) => signals.map(({ kind }) => kind).join());

describe("JournalWriter", () => {
  it("merges what is given to it together, takes log entries along, and folds as the store does", async () => {
    let commits = 0;
    const { store, writer, journal } = await createScene((inner) => (request) => {
      commits += 1;
      return inner.commit(request);
    });
    writer.log("info", "first");
    await Promise.all([writer.commit([checkpoint(1)]), writer.commit([checkpoint(2)]), writer.commit([checkpoint(3)])]);
    expect([commits, await journal()]).toEqual([1, ["log", "checkpoint", "checkpoint", "checkpoint"]]);
    expect(writer.record).toEqual((await store.getTask(task.id))?.record);
  });

  it("hears of signals in the order of the store, never an older answer after a newer one", async () => {
    const holds: (() => void)[] = [];
    let holding = true;
    const { store, writer, heard } = await createScene((inner) => async (request) => {
      const result = await inner.commit(request);
      if (holding) await new Promise<void>((resolve) => holds.push(resolve));
      return result;
    });
    const first = writer.commit([checkpoint(1)]);
    while (holds.length === 0) await Promise.resolve();
    await store.signal(task.id, { kind: "pause" });
    writer.look();
    holding = false;
    for (const release of holds.splice(0)) release();
    await first;
    await writer.finish(() => ({ events: [], consume: [] }));
    expect(kindsOf(heard).slice(0, 2)).toEqual(["", "pause"]);
    expect(kindsOf(heard).at(-1)).toBe("pause");
  });

  it("looks at once for a signal, and for one that comes during a commit when no other commit follows soon", async () => {
    const holds: (() => void)[] = [];
    const { store, clock, writer, heard } = await createScene((inner) => async (request) => {
      const result = await inner.commit(request);
      await new Promise<void>((resolve) => holds.push(resolve));
      return result;
    });
    const first = writer.commit([checkpoint(1)]);
    while (holds.length === 0) await Promise.resolve();
    await store.signal(task.id, { kind: "pause" });
    for (const release of holds.splice(0)) release();
    await first;
    await clock.advance(engineDefaults.notificationDelayMs - 1);
    expect(kindsOf(heard)).toEqual([""]);
    await clock.advance(1);
    expect(kindsOf(heard)).toEqual(["", "pause"]);
    await store.signal(task.id, { kind: "cancel" });
    await clock.advance(0);
    expect(kindsOf(heard)).toEqual(["", "pause", "pause,cancel"]);
    writer.dispose();
  });

  it("writes what comes last behind all that waited, and refuses what comes after it (G4.2)", async () => {
    const { writer, journal } = await createScene();
    const waited = writer.commit([checkpoint(1)]);
    const finished = writer.finish((record) => ({
      events: [{ type: "completed", output: record.progress }],
      consume: [],
    }));
    const late = writer.commit([checkpoint(2)]);
    await expect(late).rejects.toMatchObject({ name: "TaskInterrupted" });
    await Promise.all([waited, finished]);
    expect(await journal()).toEqual(["checkpoint", "completed"]);
    expect(writer.record.output).toBe(1);
  });

  it("writes nothing more when the store failed, and says once what happened", async () => {
    const failure = new Error("the disk is full");
    let fail = true;
    const { writer, journal, broken } = await createScene((inner) => async (request) => {
      if (fail) throw failure;
      return inner.commit(request);
    });
    const all = await Promise.allSettled([writer.commit([checkpoint(1)]), writer.commit([checkpoint(2)])]);
    fail = false;
    await expect(writer.commit([checkpoint(3)])).rejects.toMatchObject({ name: "TaskInterrupted" });
    await writer.finish(() => ({ events: [{ type: "cancelled" }], consume: [] }));
    expect(all.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
    expect([broken, writer.broken, await journal()]).toEqual([[failure], { error: failure }, []]);
  });

  it("continues when the store refused events for what they are", async () => {
    const refusal = new ResumableError("LIMIT_EXCEEDED", "too large", {
      details: { limit: "x", value: 2, allowed: 1 },
    });
    let refuse = true;
    const { writer, journal, broken } = await createScene((inner) => async (request) => {
      if (refuse) throw refusal;
      return inner.commit(request);
    });
    await expect(writer.commit([checkpoint(1)])).rejects.toBe(refusal);
    refuse = false;
    await writer.commit([checkpoint(2)]);
    expect([broken, await journal()]).toEqual([[], ["checkpoint"]]);
  });
});
