import { describe, expect, it } from "vitest";
import { createMemoryStore, type MemoryStore } from "../../store/memory/memory-store.js";
import type { TaskEventBody } from "../../task/task-event.js";
import type { TaskRecord } from "../../task/task-record.js";
import { createManualClock } from "../../testing/manual-clock.js";
import type { Environment } from "../environment.js";
import { forgetDeaths, keepDeaths, listCompanions } from "./shared-deaths.js";

const now = { wallMs: 0, monotonicMs: 0 };
const idOf = (name: string) => name.padEnd(16, "-");

/** Makes a task, and runs it in a process up to these events. */
async function begin(store: MemoryStore, name: string, worker: string, events: readonly TaskEventBody[] = []) {
  const id = idOf(name);
  const rest = { tool: "job", toolVersion: "1", key: null, input: null, detached: true, ttlMs: 1 } as const;
  await store.createTask({ task: { id, owner: "client:a", ...rest }, reuseResultMs: 0, now });
  const acquired = await store.acquireLease({ taskId: id, worker, ttlMs: 1_000, now });
  if (acquired === undefined) throw new Error("Another process holds it.");
  const started = { type: "attempt_started", attempt: 1, worker, toolVersion: "1" } as const;
  const entry = { lease: acquired.lease, afterSeq: 1, events: [started, ...events], consume: [], now };
  return (await store.commit(entry)).record;
}

const companionsOf = (store: MemoryStore, record: TaskRecord) => listCompanions({ store }, record);

describe("the deaths that tasks share", () => {
  it("are those of a task whose last death another process is judging just now (G12)", async () => {
    const store = createMemoryStore();
    const suspect = await begin(store, "suspect", "w1");
    await begin(store, "other", "w1");
    store.kill({ noticed: true });
    const next = store.anotherProcess();
    await next.acquireLease({ taskId: idOf("other"), worker: "w2", ttlMs: 1_000, now });
    expect(await companionsOf(next, suspect)).toEqual([["w1"]]);
  });

  it("are not those of a task that made progress, waited, or came to its end", async () => {
    const store = createMemoryStore();
    const suspect = await begin(store, "suspect", "w1");
    await begin(store, "progressed", "w1", [{ type: "checkpoint", progress: 1 }]);
    await begin(store, "waited", "w1", [{ type: "sleep", key: "nap", until: "2027-01-01T00:00:00.000Z" }]);
    await begin(store, "completed", "w1", [{ type: "completed", output: null }]);
    await begin(store, "threw", "w1", [{ type: "failed", error: { code: "TOOL_FAILED", message: "" } }]);
    await begin(store, "elsewhere", "w2");
    expect(await companionsOf(store, suspect)).toEqual([]);
  });

  it("are kept when a record forgets them, and forgotten after a time", async () => {
    const store = createMemoryStore();
    const clock = createManualClock();
    const environment = { store, clock, worker: "w3", limits: { sweepBatch: 10 } } as unknown as Environment;
    const suspect = await begin(store, "suspect", "w1");
    const other = await begin(createMemoryStore(), "other", "w1");
    await keepDeaths(environment, other);
    // One that killed it as well.
    await keepDeaths(environment, { ...other, id: idOf("another") });
    expect(await companionsOf(store, suspect)).toEqual([["w1"]]);
    expect(await companionsOf(store, other)).toEqual([["w1"]]);
    await clock.advance(31 * 24 * 3_600_000);
    await forgetDeaths(environment);
    expect(await companionsOf(store, suspect)).toEqual([]);
  });

  it("are not what was kept of the task itself, or of a process that lives", async () => {
    const store = createMemoryStore();
    const clock = createManualClock();
    const environment = { store, clock, worker: "w2" } as unknown as Environment;
    const died = await begin(createMemoryStore(), "suspect", "w1");
    await keepDeaths(environment, died);
    const broken = await begin(createMemoryStore(), "other", "w2");
    await keepDeaths(environment, broken);
    expect([await companionsOf(store, died), await store.getDocument("death", "w2")]).toEqual([[], undefined]);
  });
});
