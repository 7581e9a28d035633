import { describe, expect, it } from "vitest";
import type { TaskContext } from "../src/index.js";
import {
  createGate,
  createScene,
  failOnUnhandledRejections,
  gatedCount,
  historyOf,
  job,
  untilAborted,
} from "./scene.js";

failOnUnhandledRejections();

describe("pausing (G8)", () => {
  it("stops at the next checkpoint, keeps it, and goes on from it (G2, G8)", async () => {
    const { tool, gates, begun } = gatedCount(2);
    const { tasks, rest } = createScene([tool]);
    const { record } = await tasks.start({ tool: "job", input: {} });
    await rest();
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

  it("aborts a tool that makes no checkpoint within the grace time, and runs its finally blocks (G8)", async () => {
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
    const { tasks, clock, rest } = createScene([tool], { limits: { graceMs: 1_000 } });
    const { record } = await tasks.start({ tool: "job", input: {} });
    await rest();
    await tasks.pause(record.id);
    await clock.advance(999);
    expect([(await tasks.get(record.id)).status, left]).toEqual(["running", []]);
    await clock.advance(1);
    expect([(await tasks.get(record.id)).status, left]).toEqual(["paused", ["attempt 1"]]);
    await tasks.resume(record.id);
    await rest();
    expect((await tasks.get(record.id)).status).toBe("completed");
  });

  it("keeps the checkpoint of a tool that comes to it only after the grace time (G2, G8)", async () => {
    const { tool, gates, begun } = gatedCount(2);
    const { tasks, clock, rest } = createScene([tool], { limits: { graceMs: 1_000 } });
    const { record } = await tasks.start({ tool: "job", input: {} });
    await rest();
    await tasks.pause(record.id);
    await clock.advance(1_500);
    for (const gate of gates) gate.open();
    await rest();
    expect(await tasks.get(record.id)).toMatchObject({ status: "paused", record: { progress: 1, state: { at: 1 } } });
    await tasks.resume(record.id);
    await rest();
    expect(begun).toEqual([0, 1]);
  });

  it("keeps a wish to pause when the attempt ends by a failure that is retried (G8)", async () => {
    const gate = createGate();
    const tool = job(
      // biome-ignore lint/correctness/useYield: this tool fails before its first checkpoint.
      async function* () {
        await gate.opened;
        throw new Error("not this time");
      },
      { retry: { maxAttempts: 3 } },
    );
    const { tasks, clock, rest } = createScene([tool]);
    const { record } = await tasks.start({ tool: "job", input: {} });
    await rest();
    await tasks.pause(record.id);
    gate.open();
    await clock.advance(60_000);
    expect(await tasks.get(record.id)).toMatchObject({ status: "paused", record: { attempt: 1, failures: 1 } });
  });

  it("goes on when it is resumed before the pause took effect (G8)", async () => {
    const { tool, gates, begun } = gatedCount(2);
    const { tasks, rest } = createScene([tool]);
    const { record } = await tasks.start({ tool: "job", input: {} });
    await rest();
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
    const { tasks, rest } = createScene([tool]);
    const { record } = await tasks.start({ tool: "job", input: {} });
    await rest();
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
    const { tasks, rest, clock } = createScene([tool]);
    const { record } = await tasks.start({ tool: "job", input: {} });
    await rest();
    await tasks.pause(record.id);
    await rest();
    expect((await tasks.get(record.id)).status).toBe("paused");
    await tasks.resume(record.id);
    await clock.advance(20_000);
    expect((await tasks.get(record.id)).status).toBe("completed");
  });
});

describe("cancelling (G8)", () => {
  it("cancels a running task and runs its finally blocks (G8)", async () => {
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
    const { tasks, rest } = createScene([tool]);
    const { record } = await tasks.start({ tool: "job", input: {} });
    await rest();
    await tasks.cancel(record.id);
    await rest();
    expect(await tasks.get(record.id)).toMatchObject({ status: "cancelled", record: { progress: 0 } });
    expect(left).toEqual(["left"]);
  });

  it("cancels without the code of a tool that never returns, and discards what it does later (G4, G8)", async () => {
    const gate = createGate();
    let late: Promise<unknown> = Promise.resolve();
    const tool = job(async function* (task) {
      await gate.opened;
      late = task.step("late", () => "value").catch((error: unknown) => error);
      await late;
      yield { progress: 1 };
      return "too late";
    });
    const { tasks, clock, rest } = createScene([tool], { limits: { graceMs: 1_000 } });
    const { record } = await tasks.start({ tool: "job", input: {} });
    await rest();
    await tasks.cancel(record.id);
    await clock.advance(1_000);
    const history = ["1 created", "2 attempt_started", "3 cancelled"];
    expect((await tasks.get(record.id)).status).toBe("cancelled");
    gate.open();
    await rest();
    expect(await historyOf(tasks, record.id)).toEqual(history);
    expect(await late).toMatchObject({ name: "TaskInterrupted" });
  });

  it("cancels a task that nobody runs at once, without running its code (G8)", async () => {
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
    const { tasks, clock, rest } = createScene([tool], { limits: { graceMs: 1_000 } });
    const { record } = await tasks.start({ tool: "job", input: {} });
    await rest();
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

  it("leaves a task completed that a cancellation reached too late (G8)", async () => {
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

describe("a caller that leaves (G8)", () => {
  const waiting = () =>
    job(async function* (task: TaskContext<{ at: number }, number>) {
      await task.sleep("nap", 5_000);
      yield { progress: 1 };
      return "done";
    });

  it("stops a task that nobody else waits for, resumable (G8)", async () => {
    const { tasks, rest, clock } = createScene([waiting()]);
    const { record } = await tasks.start({ tool: "job", input: {} });
    const first = tasks.attend(record.id);
    const second = tasks.attend(record.id);
    await rest();
    first("cancelled");
    first("cancelled");
    await rest();
    expect((await tasks.get(record.id)).status).toBe("running");
    second("cancelled");
    await rest();
    expect((await tasks.get(record.id)).status).toBe("paused");
    await tasks.start({ tool: "job", input: {} });
    await clock.advance(5_000);
    expect((await tasks.get(record.id)).status).toBe("completed");
  });

  it("lets a task run on whose caller is merely gone, that was handed over, or whose tool says detach (G8)", async () => {
    const detached = job(
      async function* (task) {
        await task.sleep("nap", 5_000);
        yield { progress: 1 };
        return "done";
      },
      { name: "detached", onCallerCancel: "detach" },
    );
    const { tasks, rest } = createScene([waiting(), detached]);
    const gone = await tasks.start({ tool: "job", input: { n: 1 } });
    const handed = await tasks.start({ tool: "job", input: { n: 2 } });
    const own = await tasks.start({ tool: "detached", input: { n: 3 } });
    await rest();
    await tasks.handOver(handed.record.id);
    tasks.attend(gone.record.id)("gone");
    tasks.attend(handed.record.id)("cancelled");
    tasks.attend(own.record.id)("cancelled");
    await rest();
    const statuses = await Promise.all(
      [gone, handed, own].map(async ({ record }) => (await tasks.get(record.id)).status),
    );
    expect(statuses).toEqual(["running", "running", "running"]);
  });

  it("lets a task go on when another caller comes while it is being stopped (G8)", async () => {
    const { tasks, clock } = createScene([waiting()]);
    const { record } = await tasks.start({ tool: "job", input: {} });
    await clock.advance(0);
    tasks.attend(record.id)("cancelled");
    tasks.attend(record.id);
    await clock.advance(10_000);
    expect((await tasks.get(record.id)).status).toBe("completed");
  });
});
