import { describe, expect, it } from "vitest";
import { createScene, failOnUnhandledRejections, gatedCount, job, quick } from "./scene.js";

failOnUnhandledRejections();

describe("finished tasks (G11)", () => {
  it("are deleted when their time is over, and unfinished ones never (G11.2)", async () => {
    const { tool, gates } = gatedCount(1);
    const short = job(
      async function* () {
        yield {};
        return "done";
      },
      { name: "short", ttl: 1_000 },
    );
    const limits = { ttlMs: 60_000, firstSweepMs: 2_000, sweepEveryMs: 60_000, sweepBatch: 1 };
    const { tasks, clock, rest } = createScene([tool, short], { limits });
    for (const n of [1, 2, 3]) await tasks.start({ tool: "short", input: { n } });
    const running = await tasks.start({ tool: "job", input: { n: 4 } });
    await rest();
    await clock.advance(2_000);
    expect((await tasks.list()).tasks.map(({ id }) => id)).toEqual([running.record.id]);
    gates[0]?.open();
    await clock.advance(59_000);
    expect((await tasks.count()).total).toBe(1);
    await clock.advance(61_000);
    expect((await tasks.count()).total).toBe(0);
  });

  it.each([1_000, 1])("are swept, %i at once, although one of them cannot be deleted (G12)", async (sweepBatch) => {
    const { tasks, engine, clock, rest, errors } = createScene(
      [quick],
      { limits: { ttlMs: 0, sweepBatch } },
      (store) => ({
        ...store,
        deleteTask: async (lease) => {
          if (lease.taskId === bad) throw new Error("cannot be deleted");
          return store.deleteTask(lease);
        },
      }),
    );
    const bad = (await tasks.start({ tool: "job", input: { n: 1 } })).record.id;
    await tasks.start({ tool: "job", input: { n: 2 } });
    await rest();
    await clock.advance(1);
    expect(await engine.sweep()).toBe(1);
    expect((await tasks.list()).tasks.map(({ id }) => id)).toEqual([bad]);
    expect(errors).toHaveLength(1);
  });

  it("are deleted by their owner at once, also in the very moment they finish, and unfinished ones are not (G8)", async () => {
    const { tool, gates } = gatedCount(1);
    const { tasks } = createScene([tool]);
    const { record } = await tasks.start({ tool: "job", input: {} });
    await expect(tasks.delete(record.id)).rejects.toMatchObject({ code: "ILLEGAL_TRANSITION" });
    gates[0]?.open();
    await tasks.wait(record.id);
    await tasks.delete(record.id);
    await expect(tasks.get(record.id)).rejects.toMatchObject({ code: "TASK_NOT_FOUND" });
    await expect(tasks.delete(record.id)).rejects.toMatchObject({ code: "TASK_NOT_FOUND" });
  });

  it("are held by no process: a task that another process is just writing is deleted a moment later (G4)", async () => {
    const { tasks, store, clock, rest } = createScene([quick]);
    const { record } = await tasks.start({ tool: "job", input: {} });
    await rest();
    const now = { wallMs: clock.wallMs(), monotonicMs: clock.monotonicMs() };
    const other = store.anotherProcess();
    const held = await other.acquireLease({ taskId: record.id, worker: "other", ttlMs: 15_000, now });
    if (held === undefined) throw new Error("A finished task's lease is free.");
    const deleting = tasks.delete(record.id);
    await clock.advance(500);
    await other.releaseLease(held.lease);
    await clock.advance(500);
    await deleting;
    expect((await tasks.count()).total).toBe(0);
  });
});
