import { describe, expect, it } from "vitest";
import { z } from "zod";
import {
  defineTool,
  RetryableError,
  type TaskContext,
  TerminalError,
  type Tool,
  type ToolOptions,
} from "../src/index.js";
import { createGate, createScene, failOnUnhandledRejections, job, jobInput } from "./scene.js";

failOnUnhandledRejections();

describe("a tool without checkpoints whose process died", () => {
  type Before = (task: TaskContext) => unknown;
  const plain = (facts: Partial<Pick<ToolOptions, "durable" | "annotations">>, runs: number[] = [], before?: Before) =>
    defineTool({
      ...facts,
      name: "plain",
      description: "Has no checkpoints.",
      input: jobInput,
      output: z.string(),
      async run(_input, task) {
        await before?.(task);
        runs.push(task.attempt);
        if (task.attempt === 1) await new Promise(() => {});
        return "done";
      },
    });

  /** Kills the process in the first attempt, and gives what the next one came to. */
  async function afterDeath(tool: Tool) {
    const { tasks, store, clock, another } = createScene([tool]);
    const { record } = await tasks.start({ tool: "plain", input: {}, detached: true });
    await clock.advance(1_000);
    store.kill({ noticed: true });
    const next = another();
    await next.engine.open();
    await clock.advance(2_000);
    return (await next.tasks.get(record.id)).record;
  }

  it("fails with OUTCOME_UNKNOWN, which says how it could run again (G2.2)", async () => {
    const runs: number[] = [];
    const { error } = await afterDeath(plain({ durable: false, annotations: { readOnlyHint: false } }, runs));
    expect([error?.code, runs]).toEqual(["OUTCOME_UNKNOWN", [1]]);
    expect(error?.message).toContain("put effects into task.step, or say durable: true");
  });

  it.each<[string, Parameters<typeof plain>[0], Before?]>([
    ["says durable: true", { durable: true }],
    ["is annotated as read-only", { annotations: { readOnlyHint: true } }],
    ["is annotated as idempotent", { annotations: { idempotentHint: true } }],
    ["has a durable step", {}, (task) => task.step("charge", () => 1)],
    ["has slept", {}, (task) => task.sleep("nap", 10)],
    ["has asked", {}, (task) => task.ask("sure", { message: "?", schema: z.object({}), timeout: 10 })],
  ])("runs again where it %s (G2.2)", async (_, facts, before) => {
    const runs: number[] = [];
    expect((await afterDeath(plain(facts, runs, before))).output).toBe("done");
    expect(runs).toEqual([1, 2]);
  });

  it("continues at its first unfinished step (G2.1)", async () => {
    const made: string[] = [];
    const charge = async (task: TaskContext) => {
      for (const key of ["a", "b"]) await task.step(key, () => made.push(`${key} ${task.attempt}`));
    };
    expect((await afterDeath(plain({}, [], charge))).output).toBe("done");
    expect(made).toEqual(["a 1", "b 1"]);
  });

  it("is not run again when it continued after it was asked to stop (G2.2, G8)", async () => {
    const { tasks, rest, clock } = createScene([plain({})], { limits: { graceMs: 1_000 } });
    const { record } = await tasks.start({ tool: "plain", input: {} });
    await rest();
    await tasks.pause(record.id);
    await clock.advance(2_000);
    expect((await tasks.get(record.id)).record.error?.code).toBe("OUTCOME_UNKNOWN");
  });
});

describe("a tool that fails", () => {
  it("is tried again by its policy, each time later, and then fails for good (G12)", async () => {
    let runs = 0;
    const tool = job(
      // biome-ignore lint/correctness/useYield: this tool fails before its first checkpoint.
      async function* () {
        runs += 1;
        throw new Error(`failure ${runs}`);
      },
      { retry: { maxAttempts: 3, initialDelay: 1_000, factor: 3 } },
    );
    const { tasks, rest, clock } = createScene([tool]);
    const { record } = await tasks.start({ tool: "job", input: {} });
    await rest();
    expect(await tasks.get(record.id)).toMatchObject({ status: "pending", record: { failures: 1 } });
    await clock.advance(999);
    expect(runs).toBe(1);
    await clock.advance(1);
    expect(runs).toBe(2);
    await clock.advance(2_999);
    expect(runs).toBe(2);
    await clock.advance(1);
    expect(await tasks.get(record.id)).toMatchObject({
      status: "failed",
      record: { error: { code: "TOOL_FAILED", message: "failure 3" } },
    });
  });

  it("decides itself with RetryableError and TerminalError (G12)", async () => {
    const tool = job(
      // biome-ignore lint/correctness/useYield: this tool fails before its first checkpoint.
      async function* (task) {
        if (task.attempt === 1) throw new RetryableError("soon", { delay: 50 });
        throw new TerminalError("never");
      },
      { retry: { maxAttempts: 9 } },
    );
    const { tasks, clock } = createScene([tool]);
    const { record } = await tasks.start({ tool: "job", input: {} });
    await clock.advance(50);
    expect(await tasks.get(record.id)).toMatchObject({
      status: "failed",
      record: { attempt: 2, error: { message: "never" } },
    });
  });

  it("continues from its last state in a new generation when it is resumed, with the same idempotency keys (G2.4, G6)", async () => {
    const keys: string[] = [];
    const tool = job(async function* (task) {
      keys.push(task.idempotencyKey("charge"));
      if (task.state.at === 0) yield { progress: 5, state: { at: 5 }, append: [5] };
      if (task.attempt === 1) throw new Error("the network is down");
      yield { progress: 6, append: [6] };
      return "done";
    });
    const { tasks, rest } = createScene([tool]);
    const { record } = await tasks.start({ tool: "job", input: {} });
    expect(await tasks.wait(record.id)).toMatchObject({ status: "failed" });
    expect(await tasks.resume(record.id)).toMatchObject({ record: { generation: 2, progress: 5 } });
    await rest();
    expect(await tasks.get(record.id)).toMatchObject({ status: "completed", record: { progress: 6 } });
    expect((await tasks.items(record.id)).items).toEqual([5, 6]);
    expect(keys).toEqual([keys[0], keys[0]]);
  });

  it("is stopped when an attempt takes too long, and tried again by its policy (G11)", async () => {
    const tool = job(
      async function* (task) {
        if (task.attempt === 1) await new Promise(() => {});
        yield { progress: 1 };
        return "done";
      },
      { attemptTimeout: 5_000, retry: { maxAttempts: 2, initialDelay: 0 } },
    );
    const { tasks, clock } = createScene([tool], { limits: { graceMs: 100 } });
    const { record } = await tasks.start({ tool: "job", input: {} });
    await clock.advance(5_099);
    expect((await tasks.get(record.id)).record.attempt).toBe(1);
    await clock.advance(1);
    expect(await tasks.get(record.id)).toMatchObject({ status: "completed", record: { attempt: 2 } });
  });

  it("fails when it yields only after its time, and not when it waits for an answer (G11)", async () => {
    const gate = createGate();
    const tool = job(
      async function* (task) {
        await task.sleep("nap", 20_000);
        yield { progress: 1 };
        await gate.opened;
        yield { progress: 2 };
        return "done";
      },
      { stallTimeout: 5_000 },
    );
    const { tasks, clock, rest } = createScene([tool]);
    const { record } = await tasks.start({ tool: "job", input: {} });
    await clock.advance(20_000);
    expect(await tasks.get(record.id)).toMatchObject({ status: "running", record: { progress: 1 } });
    await clock.advance(5_000);
    gate.open();
    await rest();
    expect(await tasks.get(record.id)).toMatchObject({
      status: "failed",
      record: {
        progress: 1,
        error: { code: "ATTEMPT_TIMEOUT", message: expect.stringContaining("stallTimeout (5000 ms)") },
      },
    });
  });
});
