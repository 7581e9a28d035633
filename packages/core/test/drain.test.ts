import { describe, expect, it } from "vitest";
import { createGate, createScene, failOnUnhandledRejections, gatedCount, historyOf, job } from "./scene.js";

failOnUnhandledRejections();

const start = { tool: "job", input: {}, detached: true };

describe("draining", () => {
  it("stops at the next checkpoint, frees the task at once for the next process, and takes no new work (G1, G8)", async () => {
    const { tool, gates, begun } = gatedCount(2);
    const { tasks, engine, rest, another } = createScene([tool]);
    const { record } = await tasks.start(start);
    await rest();
    const drained = engine.drain();
    expect([engine.draining, engine.drainSignal.aborted]).toEqual([true, true]);
    await expect(tasks.start({ tool: "job", input: { n: 1 } })).rejects.toMatchObject({ code: "DRAINING" });
    for (const gate of gates) gate.open();
    await rest();
    expect(await drained).toEqual([]);
    expect(await historyOf(tasks, record.id)).toEqual([
      "1 created",
      "2 attempt_started",
      "3 checkpoint",
      "4 ended:drained",
    ]);
    const next = another();
    await next.engine.open();
    await next.rest();
    expect((await next.tasks.get(record.id)).status).toBe("completed");
    expect(begun).toEqual([0, 1]);
  });

  it.each([
    ["the task that it dies of", (ids: readonly string[]) => ids.slice(0, 1), [true, false]],
    ["all", () => "all" as const, [true, true]],
    ["all, where the task that it seems to die of has ended here", () => ["task_that_has_ended"], [true, true]],
  ])("leaves %s to the next process as it is (G12)", async (_which, leave, isLive) => {
    const { tool } = gatedCount(2);
    const { tasks, engine, rest, clock, store } = createScene([tool]);
    const ids: string[] = [];
    for (const n of [1, 2]) ids.push((await tasks.start({ ...start, input: { n } })).record.id);
    await rest();
    const drained = engine.drain({ leave: leave(ids), timeoutMs: 300 });
    await clock.advance(300);
    expect((await drained).length).toBe(isLive.filter((is) => is).length);
    expect(await Promise.all(ids.map(async (id) => (await store.getTask(id))?.record.live))).toEqual(isLive);
  });

  it("does not wait for verbs that wait (G8)", async () => {
    const tool = job(async function* (task) {
      await task.sleep("nap", 20_000);
      yield { progress: 1 };
      return "done";
    });
    const { tasks, engine, rest } = createScene([tool]);
    const { record } = await tasks.start(start);
    await rest();
    const drained = engine.drain();
    await rest();
    expect(await drained).toEqual([]);
    expect(await tasks.get(record.id)).toMatchObject({ status: "pending", record: { live: false } });
  });

  it("ends within its time when a tool ignores the signal, and the task is free then (G8, G11)", async () => {
    const tool = job(async function* () {
      await new Promise(() => {});
      yield { progress: 1 };
      return "never";
    });
    const { tasks, engine, rest, clock } = createScene([tool]);
    const { record } = await tasks.start(start);
    await rest();
    const drained = engine.drain({ timeoutMs: 3_000 });
    await clock.advance(3_000);
    expect(await drained).toEqual([]);
    expect(await tasks.get(record.id)).toMatchObject({ status: "pending", record: { live: false, crashes: 0 } });
  });

  it("keeps a pause request that comes while it drains (G8)", async () => {
    const { tool, gates } = gatedCount(2);
    const { tasks, engine, rest, another } = createScene([tool]);
    const { record } = await tasks.start(start);
    await rest();
    const drained = engine.drain();
    await tasks.pause(record.id);
    await tasks.resume(record.id);
    await tasks.pause(record.id);
    gates[0]?.open();
    await rest();
    await drained;
    const next = another();
    await next.engine.open();
    await next.rest();
    expect((await next.tasks.get(record.id)).status).toBe("paused");
  });

  it("drains although a pause was requested and taken back (G8)", async () => {
    const { tool, gates } = gatedCount(2);
    const { tasks, engine, rest, clock } = createScene([tool]);
    const { record } = await tasks.start(start);
    await rest();
    await tasks.pause(record.id);
    await rest();
    const drained = engine.drain();
    await tasks.resume(record.id);
    await clock.advance(100);
    gates[0]?.open();
    await rest();
    expect(await drained).toEqual([]);
    expect((await historyOf(tasks, record.id)).at(-1)).toBe("4 ended:drained");
  });

  it("begins nothing that waits for a slot, and closes the store after it (G8)", async () => {
    const gate = createGate();
    const begun: number[] = [];
    const tool = job(async function* (_task, n) {
      begun.push(n);
      await gate.opened;
      yield { progress: 1 };
      return "done";
    });
    const { tasks, engine, rest, store } = createScene([tool], { limits: { maxRunning: 1 } });
    await tasks.start({ tool: "job", input: { n: 1 } });
    await tasks.start({ tool: "job", input: { n: 2 } });
    await rest();
    const closed = Promise.all([engine.close(), engine.close()]);
    gate.open();
    await rest();
    await closed;
    expect(begun).toEqual([1]);
    await expect(store.countTasks({})).rejects.toMatchObject({ code: "STORE_CLOSED" });
  });

  it("touches no store when the engine was never used (G11)", async () => {
    const { tool } = gatedCount(1);
    let calls = 0;
    const { tasks, engine } = createScene([tool], {}, (store) => ({
      ...store,
      heartbeat: async (request) => {
        calls += 1;
        return store.heartbeat(request);
      },
    }));
    await engine.drain();
    await expect(tasks.start(start)).rejects.toMatchObject({ code: "DRAINING" });
    expect(calls).toBe(0);
  });
});
