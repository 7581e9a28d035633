import { describe, expect, it } from "vitest";
import { type MemoryStore, type Store, TerminalError } from "../src/index.js";
import { createGate, createScene, failOnUnhandledRejections, historyOf, job } from "./scene.js";

failOnUnhandledRejections();

const start = { tool: "job", input: {} };

/** A tool that makes 5 checkpoints, and fails behind the second one until it is well. */
function failing(extras: Parameters<typeof job>[1] = {}, error: () => Error = () => new Error("no network")) {
  const world = { well: false, steps: 0, begun: [] as number[] };
  const tool = job(async function* (task) {
    world.begun.push(task.state.at);
    await task.step("once", () => {
      world.steps += 1;
      return world.steps;
    });
    for (let at = task.state.at + 1; at <= 5; at++) {
      if (at === 3 && !world.well) throw error();
      yield { progress: at, total: 5, state: { at }, append: [at] };
    }
    return "done";
  }, extras);
  return { tool, world };
}

describe("a task that failed while it asked (G9)", () => {
  const question = { message: "?", schema: { type: "object" as const, properties: {} }, timeout: 1_000 };

  it("continues at once when it is resumed, also when the time of its question is over", async () => {
    const begun: number[] = [];
    const tool = job(async function* (task) {
      begun.push(task.attempt);
      yield { progress: 1 };
      const asked = task.ask("q", question);
      if (task.attempt === 1) {
        await task.step("asks", () => 1);
        throw new TerminalError("no network");
      }
      return (await asked).action;
    });
    const { tasks, rest, clock } = createScene([tool]);
    const { record } = await tasks.start(start);
    await rest();
    expect(await tasks.get(record.id)).toMatchObject({ status: "failed" });
    await clock.advance(60_000);
    await tasks.resume(record.id);
    await clock.advance(1_000);
    const { status, record: after } = await tasks.get(record.id);
    expect({ begun, status, output: after.output }).toEqual({ begun: [1, 2], status: "completed", output: "expired" });
  });
});

describe("an answer to a task that is failing (G9)", () => {
  const answer = { action: "accept" as const, content: { name: "Bo" } };
  const question = { message: "?", schema: { type: "object" as const, properties: {} } };

  it("is there when the task continues, also where it comes right after the failure", async () => {
    const gate = createGate();
    const tool = job(async function* (task) {
      yield { progress: 1 };
      const asked = task.ask("q", question);
      if (task.attempt === 1) {
        await task.step("pass", () => gate.opened.then(() => 1));
        throw new TerminalError("no network");
      }
      return JSON.stringify(await asked);
    });
    const { tasks, rest, store } = createScene([tool], {}, (inner) => ({
      ...inner,
      commit: async (request) => {
        const isFailing = request.events.some(({ type }) => type === "failed");
        const committed = await inner.commit(request);
        if (isFailing) await inner.signal(request.lease.taskId, { kind: "answer", key: "q", answer });
        return committed;
      },
    }));
    const { record } = await tasks.start(start);
    await rest();
    gate.open();
    await rest();
    expect((await store.getTask(record.id))?.record.status).toBe("failed");
    await tasks.resume(record.id);
    await rest();
    expect((await tasks.get(record.id)).record.output).toBe(JSON.stringify(answer));
  });
});

describe("the same call after a failure (G7)", () => {
  it("continues from the last checkpoint as a new generation, with state, items and steps (G2, G6.2, G7.3)", async () => {
    const { tool, world } = failing();
    const { tasks, rest } = createScene([tool]);
    const first = await tasks.start(start);
    await rest();
    expect(await tasks.get(first.record.id)).toMatchObject({ status: "failed", record: { progress: 2 } });
    world.well = true;
    const again = await tasks.start(start);
    expect(again).toMatchObject({
      created: false,
      reused: false,
      record: { id: first.record.id, generation: 2, progress: 2 },
    });
    await rest();
    const { record } = await tasks.get(first.record.id);
    expect(record).toMatchObject({ status: "completed", output: "done", progress: 5, generation: 2 });
    expect((await tasks.items(record.id)).items).toEqual([1, 2, 3, 4, 5]);
    expect([world.begun, world.steps]).toEqual([[0, 2], 1]);
    expect(await historyOf(tasks, record.id)).toEqual([
      "1 created",
      "2 attempt_started",
      "3 step",
      "4 checkpoint",
      "5 checkpoint",
      "6 failed",
      "7 restarted",
      "8 attempt_started",
      "9 checkpoint",
      "10 checkpoint",
      "11 checkpoint",
      "12 completed",
    ]);
  });

  it.each([
    ["a TerminalError", {}, () => new TerminalError("never")],
    ["a failure of a tool that says restart", { onFailure: "restart" } as const, () => new Error("no")],
  ])("begins a new task from nothing after %s (G7.4)", async (_what, extras, error) => {
    const { tool, world } = failing(extras, error);
    const { tasks, rest } = createScene([tool]);
    const first = await tasks.start(start);
    await rest();
    const again = await tasks.start(start);
    expect(again).toMatchObject({ created: true, record: { generation: 1, progress: 0 } });
    expect(again.record.id).not.toBe(first.record.id);
    await rest();
    expect(world.begun).toEqual([0, 0]);
  });

  it("begins a new task with newTask, and after a version that does not continue the failed one (G7)", async () => {
    const { tool } = failing();
    const { tasks, rest, store } = createScene([tool]);
    const first = await tasks.start(start);
    await rest();
    expect((await tasks.start({ ...start, newTask: true })).created).toBe(true);
    await rest();
    const next = failing({ version: "2", accepts: ["1"], onVersionChange: "fail" });
    store.kill({ noticed: true });
    const later = createScene([next.tool], {}, undefined, store.anotherProcess());
    expect((await later.tasks.start(start)).record.id).toBe(first.record.id);
    await later.rest();
    expect(await later.tasks.get(first.record.id)).toMatchObject({
      status: "failed",
      record: { generation: 2, error: { code: "VERSION_MISMATCH", terminal: true } },
    });
    expect(await later.tasks.start(start)).toMatchObject({ created: true, record: { toolVersion: "2" } });
    await later.rest();
  });

  it("gives the failure itself to a repeated delivery of the call that failed (G7)", async () => {
    const { tool, world } = failing();
    const { tasks, rest } = createScene([tool]);
    const call = { ...start, callId: "call-0123456789abcdef" };
    await tasks.start(call);
    await rest();
    world.well = true;
    expect(await tasks.start(call)).toMatchObject({ created: false, status: "failed", record: { generation: 1 } });
    expect(await tasks.start({ ...start, callId: "call-fedcba9876543210" })).toMatchObject({
      created: false,
      record: { id: call.callId, generation: 2 },
    });
    await rest();
    expect((await tasks.get(call.callId)).status).toBe("completed");
  });

  it("begins one new generation, where it comes many times at once in two processes (G4, G7.3)", async () => {
    const { tool, world } = failing();
    const { tasks, rest, another } = createScene([tool]);
    const { record } = await tasks.start(start);
    await rest();
    world.well = true;
    const other = another();
    const calls = Array.from({ length: 6 }, (_, index) => (index % 2 === 0 ? tasks : other.tasks).start(start));
    const advancing = other.clock.advance(10_000);
    const started = await Promise.all(calls);
    await advancing;
    expect(new Set(started.map(({ record: { id } }) => id))).toEqual(new Set([record.id]));
    expect((await tasks.get(record.id)).record).toMatchObject({ status: "completed", generation: 2 });
    expect((await tasks.list()).tasks).toHaveLength(1);
    expect(world.begun).toEqual([0, 2]);
  });

  it("joins what another process has just continued, and waits for no lease (G7)", async () => {
    const gate = createGate();
    const tool = job(async function* (task) {
      if (task.attempt === 1) throw new Error("no");
      await gate.opened;
      yield { progress: 1 };
      return "done";
    });
    const { tasks, store, clock, rest } = createScene([tool]);
    const { record } = await tasks.start(start);
    await rest();
    const failed = await store.getTask(record.id);
    if (failed === undefined) throw new Error("There is no task.");
    await tasks.start(start);
    await rest();
    // As it was when the other process looked: a moment later it is running.
    const late = (opened: MemoryStore): Store => ({
      ...opened,
      createTask: async () => ({ snapshot: failed, created: false }),
    });
    const other = createScene([tool], { limits: { claimPatienceMs: 0 } }, late, store.anotherProcess(), clock);
    expect(await other.tasks.start(start)).toMatchObject({
      created: false,
      status: "running",
      record: { id: record.id, generation: 2 },
    });
    gate.open();
    await rest();
    expect((await tasks.get(record.id)).status).toBe("completed");
  });
});
