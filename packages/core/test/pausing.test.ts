import { describe, expect, it } from "vitest";
import {
  createGate,
  createRunningScene,
  createScene,
  failOnUnhandledRejections,
  gatedCount,
  job,
  untilAborted,
} from "./scene.js";

failOnUnhandledRejections();

describe("pausing (G8)", () => {
  it("stops at the next checkpoint, keeps it, and continues from it (G2, G8.1)", async () => {
    const { tool, gates, begun } = gatedCount(2);
    const { tasks, rest, record } = await createRunningScene(tool);
    await tasks.pause(record.id);
    await rest();
    expect((await tasks.get(record.id)).status).toBe("running");
    for (const gate of gates) gate.open();
    await rest();
    expect(await tasks.get(record.id)).toMatchObject({ status: "paused", record: { progress: 1, state: { at: 1 } } });
    await tasks.resume(record.id);
    await rest();
    expect(await tasks.get(record.id)).toMatchObject({ status: "completed", record: { output: "done", attempt: 2 } });
    expect(begun).toEqual([0, 1]);
  });

  it("says of a task what is requested of it, until that is carried out or withdrawn by any client (G8)", async () => {
    const { tool, gates } = gatedCount(3);
    const { tasks, rest, record } = await createRunningScene(tool);
    const requested = async () => (await tasks.get(record.id)).requested;
    expect((await tasks.pause(record.id)).requested).toBe("pause");
    await rest();
    expect(await requested()).toBe("pause");
    expect((await tasks.resume(record.id)).requested).toBeUndefined();
    await rest();
    expect(await requested()).toBeUndefined();
    await tasks.pause(record.id);
    expect((await tasks.cancel(record.id)).requested).toBe("cancel");
    for (const gate of gates) gate.open();
    await rest();
    expect(await tasks.get(record.id)).toMatchObject({ status: "cancelled", requested: undefined });
  });

  it("stops a tool that begins to wait after the request, and the process lives (G8, G12)", async () => {
    const gate = createGate();
    const tool = job(async function* (task) {
      if (task.attempt === 1) await gate.opened;
      await task.sleep("nap", 10);
      yield { progress: 1 };
      return "done";
    });
    const { tasks, clock, rest, record } = await createRunningScene(tool, { limits: { graceMs: 1_000 } });
    await tasks.pause(record.id);
    gate.open();
    await rest();
    expect((await tasks.get(record.id)).status).toBe("paused");
    await tasks.resume(record.id);
    await clock.advance(10);
    expect((await tasks.get(record.id)).record.output).toBe("done");
  });

  it("pauses a task that waits for a slot, at once, and resumes it (G8)", async () => {
    const gate = createGate();
    const tool = job(async function* (_task, n) {
      if (n === 0) await gate.opened;
      yield { progress: 1 };
      return `job ${n}`;
    });
    const { tasks, rest } = createScene([tool], { limits: { maxRunning: 1 } });
    await tasks.start({ tool: "job", input: { n: 0 } });
    const { record } = await tasks.start({ tool: "job", input: { n: 1 } });
    expect((await tasks.pause(record.id)).status).toBe("paused");
    gate.open();
    await rest();
    expect(await tasks.get(record.id)).toMatchObject({ status: "paused", record: { attempt: 0 } });
    await tasks.resume(record.id);
    await rest();
    expect((await tasks.get(record.id)).record.output).toBe("job 1");
  });

  it("aborts a tool that makes no checkpoint within the grace time, and runs its finally blocks (G8.1, G8.2)", async () => {
    const left: string[] = [];
    const tool = job(async function* (task) {
      try {
        if (task.attempt === 1) await untilAborted(task.signal);
      } finally {
        left.push(`attempt ${task.attempt}`);
      }
      yield { progress: 1 };
      return "done";
    });
    const { tasks, clock, rest, record } = await createRunningScene(tool, { limits: { graceMs: 1_000 } });
    await tasks.pause(record.id);
    await clock.advance(999);
    expect([(await tasks.get(record.id)).status, left]).toEqual(["running", []]);
    await clock.advance(1);
    expect([(await tasks.get(record.id)).status, left]).toEqual(["paused", ["attempt 1"]]);
    await tasks.resume(record.id);
    await rest();
    expect((await tasks.get(record.id)).status).toBe("completed");
  });

  it("runs a finally block to its end, though it yields, and keeps nothing of what it yields (G8.2)", async () => {
    const left: string[] = [];
    let goOn = (): void => {};
    const tool = job(async function* () {
      try {
        await new Promise<void>((resolve) => {
          goOn = resolve;
        });
        yield { progress: 1 };
      } finally {
        yield { progress: 7 };
        left.push("closed");
      }
      return "done";
    });
    const { tasks, rest, record } = await createRunningScene(tool);
    await tasks.pause(record.id);
    goOn();
    await rest();
    const { status, record: paused } = await tasks.get(record.id);
    expect([status, paused.progress, left]).toEqual(["paused", 1, ["closed"]]);
  });

  it("keeps the checkpoint of a tool that comes to it only after the grace time (G2, G8)", async () => {
    const { tool, gates, begun } = gatedCount(2);
    const { tasks, clock, rest, record } = await createRunningScene(tool, { limits: { graceMs: 1_000 } });
    await tasks.pause(record.id);
    await clock.advance(1_500);
    for (const gate of gates) gate.open();
    await rest();
    expect(await tasks.get(record.id)).toMatchObject({ status: "paused", record: { progress: 1, state: { at: 1 } } });
    await tasks.resume(record.id);
    await rest();
    expect(begun).toEqual([0, 1]);
  });

  it("keeps a pause request when the attempt ends by a failure that is retried (G8)", async () => {
    const gate = createGate();
    const tool = job(
      // biome-ignore lint/correctness/useYield: this tool fails before its first checkpoint.
      async function* () {
        await gate.opened;
        throw new Error("not this time");
      },
      { retry: { maxAttempts: 3 } },
    );
    const { tasks, clock, record } = await createRunningScene(tool);
    await tasks.pause(record.id);
    gate.open();
    await clock.advance(60_000);
    expect(await tasks.get(record.id)).toMatchObject({ status: "paused", record: { attempt: 1, failures: 1 } });
  });

  it("continues when it is resumed before the pause took effect (G8)", async () => {
    const { tool, gates, begun } = gatedCount(2);
    const { tasks, rest, record } = await createRunningScene(tool);
    await tasks.pause(record.id);
    await rest();
    await tasks.resume(record.id);
    await rest();
    for (const gate of gates) gate.open();
    await rest();
    expect((await tasks.get(record.id)).status).toBe("completed");
    expect(begun).toEqual([0]);
  });

  it("refuses to pause a paused task and to resume a completed one (G8)", async () => {
    const { tool, gates } = gatedCount(1);
    const { tasks, rest, record } = await createRunningScene(tool);
    gates[0]?.open();
    await tasks.pause(record.id);
    await rest();
    await expect(tasks.pause(record.id)).rejects.toMatchObject({ code: "ILLEGAL_TRANSITION" });
    await tasks.resume(record.id);
    await rest();
    await expect(tasks.resume(record.id)).rejects.toMatchObject({ code: "ILLEGAL_TRANSITION" });
  });

  it("pauses while a verb waits, without waiting for the grace time (G8)", async () => {
    const tool = job(async function* (task) {
      await task.sleep("nap", 20_000);
      yield { progress: 1 };
      return "done";
    });
    const { tasks, rest, clock, record } = await createRunningScene(tool);
    await tasks.pause(record.id);
    await rest();
    expect((await tasks.get(record.id)).status).toBe("paused");
    await tasks.resume(record.id);
    await clock.advance(20_000);
    expect((await tasks.get(record.id)).status).toBe("completed");
  });
});
