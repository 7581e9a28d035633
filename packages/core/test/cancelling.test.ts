import { describe, expect, it } from "vitest";
import {
  createGate,
  createRunningScene,
  createScene,
  failOnUnhandledRejections,
  gatedCount,
  historyOf,
  job,
  untilAborted,
} from "./scene.js";

failOnUnhandledRejections();

describe("cancelling (G8)", () => {
  it("cancels a running task and runs its finally blocks (G8.1, G8.2)", async () => {
    const left: string[] = [];
    const tool = job(async function* (task) {
      try {
        await untilAborted(task.signal);
      } finally {
        left.push("left");
        yield { progress: 99 };
      }
      return "done";
    });
    const { tasks, rest, record } = await createRunningScene(tool);
    await tasks.cancel(record.id);
    await rest();
    expect(await tasks.get(record.id)).toMatchObject({ status: "cancelled", record: { progress: 0 } });
    expect(left).toEqual(["left"]);
  });

  it("cancels without the code of a tool that never returns, and discards what it does later (G4.2, G8.1)", async () => {
    const gate = createGate();
    let late: Promise<unknown> = Promise.resolve();
    const tool = job(async function* (task) {
      await gate.opened;
      late = task.step("late", () => "value").catch((error: unknown) => error);
      await late;
      yield { progress: 1 };
      return "too late";
    });
    const { tasks, clock, rest, record } = await createRunningScene(tool, { limits: { graceMs: 1_000 } });
    await tasks.cancel(record.id);
    await clock.advance(1_000);
    const history = ["1 created", "2 attempt_started", "3 cancelled"];
    expect((await tasks.get(record.id)).status).toBe("cancelled");
    gate.open();
    await rest();
    expect(await historyOf(tasks, record.id)).toEqual(history);
    expect(await late).toMatchObject({ name: "TaskInterrupted" });
  });

  it("cancels a task that no process runs at once, without running its code (G8.3)", async () => {
    const { tool, begun } = gatedCount(1);
    const { tasks } = createScene([tool], { limits: { maxRunning: 0 } });
    const { record } = await tasks.start({ tool: "job", input: {} });
    expect((await tasks.cancel(record.id)).status).toBe("cancelled");
    expect(begun).toEqual([]);
    await expect(tasks.cancel(record.id)).rejects.toMatchObject({ code: "ILLEGAL_TRANSITION" });
  });

  it("cancels a task that is paused, and one that is being paused (G8)", async () => {
    const { tool, gates } = gatedCount(2);
    const { tasks, rest } = createScene([tool]);
    const paused = await tasks.start({ tool: "job", input: { n: 1 } });
    const pausing = await tasks.start({ tool: "job", input: { n: 2 } });
    await rest();
    await tasks.pause(paused.record.id);
    gates[0]?.open();
    await rest();
    await tasks.pause(pausing.record.id);
    expect((await tasks.cancel(paused.record.id)).status).toBe("cancelled");
    await rest();
    await tasks.cancel(pausing.record.id);
    gates[1]?.open();
    await rest();
    expect((await tasks.get(pausing.record.id)).status).toBe("cancelled");
  });

  it("cancels a task whose pause has already aborted the tool (G8)", async () => {
    const gate = createGate();
    const tool = job(async function* () {
      await gate.opened;
      yield { progress: 1 };
      return "done";
    });
    const { tasks, clock, rest, record } = await createRunningScene(tool, { limits: { graceMs: 1_000 } });
    await tasks.pause(record.id);
    await clock.advance(1_500);
    await tasks.cancel(record.id);
    await rest();
    gate.open();
    await rest();
    expect((await tasks.get(record.id)).status).toBe("cancelled");
  });

  it("cancels a task that is just being started (G8)", async () => {
    const tool = job(async function* (task) {
      await untilAborted(task.signal);
      yield { progress: 1 };
      return "done";
    });
    const { tasks, rest } = createScene([tool]);
    const { record } = await tasks.start({ tool: "job", input: {} });
    await tasks.cancel(record.id);
    await rest();
    expect((await tasks.get(record.id)).status).toBe("cancelled");
  });

  it("leaves a task completed that a cancellation reached too late (G8.4)", async () => {
    const { tool, gates } = gatedCount(1);
    const { tasks, rest, store } = createScene([tool]);
    const { record } = await tasks.start({ tool: "job", input: {} });
    gates[0]?.open();
    await rest();
    await store.signal(record.id, { kind: "cancel" });
    await rest();
    expect((await tasks.get(record.id)).status).toBe("completed");
  });
});
