import { describe, expect, it } from "vitest";
import { z } from "zod";
import { type AskRequest, type TaskContext, TerminalError } from "../src/index.js";
import { createGate, createScene, failOnUnhandledRejections, historyOf, job } from "./scene.js";

failOnUnhandledRejections();

/** So that hours of the clock take no time: no process needs to look that often here. */
const calm = { limits: { pollMs: 60_000, heartbeatMs: 60_000, leaseTtlMs: 180_000 } };
const yesNo = z.object({ yes: z.boolean() });

/** Asks once, and ends with what came back. */
const asking = (request: Partial<AskRequest<typeof yesNo>> = {}) =>
  job(async function* (task) {
    const answer = await task.ask("sure", { message: "Sure?", schema: yesNo, ...request });
    yield { progress: 1 };
    return JSON.stringify(answer);
  });
const accept = { action: "accept", content: { yes: true } } as const;

describe("asking (G9)", () => {
  it("waits for an answer and continues with it (G9)", async () => {
    const { tasks, rest } = createScene([asking()]);
    const { record } = await tasks.start({ tool: "job", input: {} });
    await rest();
    const asked = await tasks.wait(record.id);
    expect([asked.reason, asked.questions.map(({ key, question }) => `${key}: ${question.message}`)]).toEqual([
      "input_required",
      ["sure: Sure?"],
    ]);
    await tasks.answer(record.id, "sure", accept);
    await rest();
    expect(await tasks.get(record.id)).toMatchObject({
      status: "completed",
      record: { output: JSON.stringify(accept), attempt: 1 },
    });
  });

  it("shows no question whose answer is on its way (G9)", async () => {
    const { tasks, store, rest } = createScene([asking()]);
    const { record } = await tasks.start({ tool: "job", input: {} });
    await rest();
    await store.signal(record.id, { kind: "answer", key: "sure", answer: accept });
    expect(await tasks.get(record.id)).toMatchObject({ status: "running", questions: [], answered: ["sure"] });
  });

  it("shows no question of a task that failed meanwhile, which takes no answer (G9)", async () => {
    const { tasks, rest } = createScene([
      job(async function* (task) {
        task.ask("sure", { message: "Sure?", schema: yesNo }).catch(() => {});
        yield { progress: 1 };
        throw new TerminalError("broken");
      }),
    ]);
    const { id } = (await tasks.start({ tool: "job", input: {} })).record;
    await rest();
    expect(await tasks.get(id)).toMatchObject({ status: "failed", questions: [] });
  });

  it("takes one answer: the second is refused, also in the moment before the first was read (G9.1)", async () => {
    const { tasks, rest } = createScene([asking()]);
    const { record } = await tasks.start({ tool: "job", input: {} });
    await rest();
    const given = await Promise.allSettled([
      tasks.answer(record.id, "sure", accept),
      tasks.answer(record.id, "sure", { action: "decline" }),
    ]);
    expect(given.map((one) => (one.status === "rejected" ? one.reason.code : "taken"))).toEqual([
      "taken",
      "ALREADY_ANSWERED",
    ]);
    await rest();
    await expect(tasks.answer(record.id, "sure", { action: "cancel" })).rejects.toMatchObject({
      code: "ALREADY_ANSWERED",
    });
    expect((await tasks.get(record.id)).record.output).toBe(JSON.stringify(accept));
  });

  it("refuses an answer that does not fit, and one to a question that was not asked, and continues to ask (G9)", async () => {
    const { tasks, rest } = createScene([asking()]);
    const { record } = await tasks.start({ tool: "job", input: {} });
    await rest();
    const wrong = { action: "accept", content: { yes: "perhaps" } } as const;
    await expect(tasks.answer(record.id, "sure", wrong)).rejects.toMatchObject({ code: "INVALID_VALUE" });
    // A caller's claim that time is up does not make it so.
    await expect(tasks.answer(record.id, "sure", { action: "expired" })).rejects.toMatchObject({
      code: "INVALID_VALUE",
    });
    await expect(tasks.answer(record.id, "toString", accept)).rejects.toMatchObject({ code: "UNKNOWN_QUESTION" });
    expect((await tasks.get(record.id)).status).toBe("input_required");
  });

  it("frees the slot of a task that is not answered in time, and asks on (G9, G11.3)", async () => {
    const { tasks, rest, clock, engine } = createScene([asking()]);
    const { record } = await tasks.start({ tool: "job", input: {} });
    await clock.advance(30_000);
    expect(engine.running).toEqual([]);
    expect((await tasks.get(record.id)).status).toBe("input_required");
    await tasks.answer(record.id, "sure", { action: "decline" });
    await rest();
    expect(await tasks.get(record.id)).toMatchObject({
      status: "completed",
      record: { attempt: 2, output: '{"action":"decline"}' },
    });
  });

  it("keeps question and answer across the death of the process (G9.1)", async () => {
    const scene = createScene([asking()]);
    const { record } = await scene.tasks.start({ tool: "job", input: {} });
    await scene.rest();
    scene.store.kill({ noticed: true });
    const second = scene.another();
    expect((await second.tasks.get(record.id)).questions).toHaveLength(1);
    await second.store.signal(record.id, { kind: "answer", key: "sure", answer: accept });
    second.store.kill({ noticed: true });
    const third = second.another();
    await third.tasks.start({ tool: "job", input: {} });
    await third.clock.advance(5_000);
    expect((await third.tasks.get(record.id)).record.output).toBe(JSON.stringify(accept));
  });

  it("takes an answer that comes while a pause is carried out, and uses it when resumed (G8, G9)", async () => {
    const { tasks, rest } = createScene([asking({ timeout: 3_600_000 })]);
    const { record } = await tasks.start({ tool: "job", input: {} });
    await rest();
    await tasks.pause(record.id);
    await rest();
    await tasks.answer(record.id, "sure", accept);
    await rest();
    expect((await tasks.get(record.id)).status).toBe("paused");
    await tasks.resume(record.id);
    await rest();
    expect((await tasks.get(record.id)).record.output).toBe(JSON.stringify(accept));
  });

  it("takes an answer that another process gives to a task that waits without a runner (G9.2)", async () => {
    const { tasks, clock, another } = createScene([asking()]);
    const { record } = await tasks.start({ tool: "job", input: {} });
    await clock.advance(40_000);
    const other = another();
    await other.tasks.answer(record.id, "sure", accept);
    await other.rest();
    expect((await tasks.get(record.id)).record.output).toBe(JSON.stringify(accept));
  });
});

describe("questions with a time limit (G9)", () => {
  it.each([10_000, 3_600_000])(
    "expire after it, whether the tool waits in place or not: %i ms (G9)",
    async (timeoutMs) => {
      const { tasks, clock } = createScene([asking({ timeout: timeoutMs })], calm);
      const { record } = await tasks.start({ tool: "job", input: {} });
      await clock.advance(timeoutMs - 1);
      expect((await tasks.get(record.id)).status).toBe("input_required");
      await clock.advance(1);
      expect((await tasks.get(record.id)).record.output).toBe('{"action":"expired"}');
      expect((await historyOf(tasks, record.id)).filter((entry) => entry.endsWith("answered"))).toHaveLength(1);
    },
  );

  it("keep an answer that came before the end and was read after it (G9)", async () => {
    const { tasks, clock, another } = createScene([asking({ timeout: 60_000 })]);
    const { record } = await tasks.start({ tool: "job", input: {} });
    await clock.advance(59_000);
    // Left by a process that died before it could wake anybody.
    await another().store.signal(record.id, { kind: "answer", key: "sure", answer: accept });
    await clock.advance(30_000);
    expect((await tasks.get(record.id)).record.output).toBe(JSON.stringify(accept));
  });

  it("refuse an answer that comes too late (G9)", async () => {
    const { tasks, clock, another } = createScene([asking({ timeout: 60_000 })], { limits: { maxRunning: 1 } });
    const { record } = await tasks.start({ tool: "job", input: {} });
    await clock.advance(59_999);
    // A process that meets the question now judges by the wall clock.
    clock.jump(1);
    await expect(another().tasks.answer(record.id, "sure", accept)).rejects.toMatchObject({ code: "ALREADY_ANSWERED" });
  });
});

describe("sleeping", () => {
  const napping = (
    durationMs: number,
    also: (task: TaskContext<{ at: number }, number>) => Promise<unknown> = async () => {},
  ) =>
    job(async function* (task) {
      await Promise.all([task.sleep("nap", durationMs), also(task)]);
      yield { progress: 1 };
      return `attempt ${task.attempt}`;
    });

  it("waits in place when the time is short, and without a slot when it is long (G11.3)", async () => {
    const long = 3_600_000;
    const { tasks, clock, engine, rest } = createScene([napping(long)], calm);
    const { record } = await tasks.start({ tool: "job", input: {} });
    await rest();
    expect([engine.running, (await tasks.get(record.id)).status]).toEqual([[], "pending"]);
    await clock.advance(long - 1);
    expect((await tasks.get(record.id)).record.attempt).toBe(1);
    await clock.advance(1);
    expect((await tasks.get(record.id)).record.output).toBe("attempt 2");
  });

  it("ends at the time that was set first, also when the process died meanwhile (G2.1)", async () => {
    const { tasks, clock, store, another } = createScene([napping(3_600_000)], calm);
    const { record } = await tasks.start({ tool: "job", input: {}, detached: true });
    await clock.advance(3_000_000);
    store.kill({ noticed: true });
    const next = another();
    await next.engine.open();
    await clock.advance(599_999);
    expect((await next.tasks.get(record.id)).status).toBe("pending");
    await clock.advance(1);
    expect((await next.tasks.get(record.id)).status).toBe("completed");
  });

  it("does not cut off a step that runs at the same time (G2)", async () => {
    const gate = createGate();
    let runs = 0;
    const tool = napping(60_000, (task) =>
      task.step("slow", async () => {
        runs += 1;
        await gate.opened;
        return runs;
      }),
    );
    const { tasks, clock } = createScene([tool]);
    const { record } = await tasks.start({ tool: "job", input: {} });
    await clock.advance(50_000);
    gate.open();
    await clock.advance(10_000);
    expect([(await tasks.get(record.id)).record.output, runs]).toEqual(["attempt 1", 1]);
  });

  it("does not begin attempts again and again when a short sleep ended while a question stays open (G11)", async () => {
    const tool = napping(5_000, (task) => task.ask("sure", { message: "Sure?", schema: yesNo }));
    const { tasks, clock } = createScene([tool]);
    const { record } = await tasks.start({ tool: "job", input: {} });
    await clock.advance(100_000);
    expect((await tasks.get(record.id)).record.attempt).toBe(1);
  });

  it("refuses a duration that is not a number (G12)", async () => {
    const { tasks, rest } = createScene([napping(Number.NaN)]);
    const { record } = await tasks.start({ tool: "job", input: {} });
    await rest();
    expect((await tasks.get(record.id)).record.error?.code).toBe("INVALID_VALUE");
  });
});

describe("steps (G2)", () => {
  it("run once, whatever happens after they were remembered (G2.1)", async () => {
    const calls: string[] = [];
    const tool = job(async function* (task) {
      const first = await task.step("first", () => {
        calls.push(`first in attempt ${task.attempt}`);
        return { rows: [1] };
      });
      // What a step gives belongs to the tool, in every attempt alike.
      first.rows.push(2);
      if (task.attempt === 1) await new Promise(() => {});
      yield { progress: first.rows.length };
      return "done";
    });
    const { tasks, store, rest, another } = createScene([tool]);
    const { record } = await tasks.start({ tool: "job", input: {} });
    await rest();
    store.kill({ noticed: true });
    const next = another();
    await next.tasks.start({ tool: "job", input: {} });
    await next.rest();
    expect(await next.tasks.get(record.id)).toMatchObject({ status: "completed", record: { progress: 2 } });
    expect(calls).toEqual(["first in attempt 1"]);
  });

  it("refuse a key that is used twice, and keys that are taken by another verb (G2)", async () => {
    const tool = job(async function* (task) {
      await task.step("a", () => 1);
      const codes = await Promise.allSettled([task.step("a", () => 2), task.sleep("a", 1)]);
      yield { progress: 1 };
      return codes.map((code) => (code.status === "rejected" ? code.reason.code : "went through")).join();
    });
    const { tasks, rest } = createScene([tool]);
    const { record } = await tasks.start({ tool: "job", input: {} });
    await rest();
    expect((await tasks.get(record.id)).record.output).toBe("STEP_KEY_REUSED,STEP_KEY_REUSED");
  });

  it("do no harm when the tool does not wait for them (G12.7)", async () => {
    const tool = job(async function* (task) {
      void task.step("a", () => new Promise<never>((_resolve, reject) => reject(new Error("unobserved"))));
      void task.step("b", () => new Promise<number>((resolve) => setTimeout(resolve, 1, 1)));
      void task.ask("c", { message: "Anybody?", schema: yesNo });
      yield { progress: 1 };
      return "done";
    });
    const { tasks, rest } = createScene([tool]);
    const { record } = await tasks.start({ tool: "job", input: {} });
    await rest();
    expect((await tasks.get(record.id)).status).toBe("completed");
  });
});
