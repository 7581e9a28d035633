import { describe, expect, it } from "vitest";
import { z } from "zod";
import { defineTool, RetryableError, TerminalError } from "../src/index.js";
import { createGate, createScene, failOnUnhandledRejections, gatedCount, historyOf, job, jobInput } from "./scene.js";

failOnUnhandledRejections();

/** A tool that never comes to a checkpoint. */
const stuck = job(async function* () {
  await new Promise(() => {});
  yield { progress: 1 };
  return "never";
});

describe("a process that dies", () => {
  it("leaves an orphan that waits for its caller to return, and goes on from its last checkpoint then (G1, G2)", async () => {
    const { tool, gates, begun } = gatedCount(3);
    const { tasks, store, rest, another } = createScene([tool]);
    const { record } = await tasks.start({ tool: "job", input: {} });
    gates[0]?.open();
    await rest();
    store.kill({ noticed: true });
    for (const gate of gates) gate.open();
    const next = another();
    await next.engine.open();
    await next.rest();
    expect(await next.tasks.get(record.id)).toMatchObject({ status: "pending", interrupted: true });
    expect(begun).toEqual([0]);
    const { created, record: found } = await next.tasks.start({ tool: "job", input: {} });
    await next.rest();
    expect({ created, id: found.id }).toEqual({ created: false, id: record.id });
    expect((await next.tasks.items(record.id)).items).toEqual([1, 2, 3]);
    expect(begun).toEqual([0, 1]);
  });

  it.each(["handed over", "recover: all"])("leaves tasks that go on by themselves: %s (G1)", async (how) => {
    const { tool, gates } = gatedCount(2);
    const { tasks, store, rest, another } = createScene([tool]);
    const { record } = await tasks.start({ tool: "job", input: {}, handedOver: how === "handed over" });
    gates[0]?.open();
    await rest();
    store.kill({ noticed: true });
    gates[1]?.open();
    const next = another(how === "handed over" ? {} : { recover: "all" });
    await next.engine.open();
    await next.rest();
    expect((await next.tasks.get(record.id)).status).toBe("completed");
  });

  it("lets a task that was handed over go on as soon as its owner looks at it, though nobody opened the engine (G1)", async () => {
    const { tool, gates } = gatedCount(2);
    const { tasks, store, rest, another } = createScene([tool]);
    const { record } = await tasks.start({ tool: "job", input: {}, handedOver: true });
    gates[0]?.open();
    await rest();
    store.kill({ noticed: true });
    gates[1]?.open();
    const next = another();
    expect((await next.tasks.get(record.id)).status).toBe("pending");
    await next.rest();
    expect((await next.tasks.get(record.id)).status).toBe("completed");
  });

  it("hands over a running task durably, also when it was started for a plain call (G1)", async () => {
    const { tool, gates } = gatedCount(2);
    const { tasks, store, rest, another } = createScene([tool]);
    const { record } = await tasks.start({ tool: "job", input: {} });
    gates[0]?.open();
    await rest();
    await tasks.handOver(record.id);
    await rest();
    expect((await tasks.get(record.id)).record.recover).toBe("auto");
    store.kill({ noticed: true });
    gates[1]?.open();
    const next = another();
    await next.engine.open();
    await next.rest();
    expect((await next.tasks.get(record.id)).status).toBe("completed");
  });

  it("shows an orphan going on to a caller who came back before its death was noticed (G1, G4)", async () => {
    const { tool, gates } = gatedCount(2);
    const { tasks, store, rest, another, clock } = createScene([tool], { limits: { leaseTtlMs: 3_000 } });
    const { record } = await tasks.start({ tool: "job", input: {} });
    gates[0]?.open();
    await rest();
    store.kill({ noticed: false });
    gates[1]?.open();
    const next = another();
    const waited = next.tasks.wait(record.id);
    await clock.advance(2_000);
    expect((await next.tasks.get(record.id)).status).toBe("running");
    await clock.advance(3_000);
    expect(await waited).toMatchObject({ reason: "finished", status: "completed" });
    expect(await historyOf(next.tasks, record.id)).toEqual([
      "1 created",
      "2 attempt_started",
      "3 checkpoint",
      "4 ended:crashed",
      "5 attempt_started",
      "6 checkpoint",
      "7 completed",
    ]);
  });

  it("carries a cancellation out when the death of its runner is noticed (G8)", async () => {
    const { tasks, store, rest, another, clock } = createScene([stuck], { limits: { leaseTtlMs: 3_000 } });
    const { record } = await tasks.start({ tool: "job", input: {} });
    await rest();
    store.kill({ noticed: false });
    const next = another();
    await next.tasks.cancel(record.id);
    await clock.advance(5_000);
    expect((await next.tasks.get(record.id)).status).toBe("cancelled");
  });

  it("ends with CRASH_LOOP after three deaths without progress, each attempt later than the last, and can be resumed (G12)", async () => {
    const scene = createScene([stuck], { limits: { crashBackoffMs: 1_000 } });
    const { record } = await scene.tasks.start({ tool: "job", input: {}, handedOver: true });
    await scene.rest();
    let current = scene;
    for (const backoffMs of [1_000, 2_000]) {
      current.store.kill({ noticed: true });
      current = current.another();
      await current.engine.open();
      await current.clock.advance(backoffMs - 1);
      expect((await current.tasks.get(record.id)).status).toBe("pending");
      await current.clock.advance(1);
      expect((await current.tasks.get(record.id)).status).toBe("running");
    }
    current.store.kill({ noticed: true });
    current = current.another();
    await current.engine.open();
    await current.rest();
    expect(await current.tasks.get(record.id)).toMatchObject({
      status: "failed",
      record: { attempt: 3, error: { code: "CRASH_LOOP" } },
    });
    await current.tasks.resume(record.id);
    await current.rest();
    expect(await current.tasks.get(record.id)).toMatchObject({
      status: "running",
      record: { generation: 2, crashes: 0 },
    });
  });

  it("runs a suspect alone until it made progress, or until its time alone is over (G12)", async () => {
    const { tool, gates } = gatedCount(2);
    const other = job(
      async function* () {
        yield { progress: 1 };
        return "other";
      },
      { name: "other" },
    );
    const limits = { crashBackoffMs: 0, aloneMs: 30_000 };
    const { tasks, store, rest, another } = createScene([tool, other], { limits });
    const first = await tasks.start({ tool: "job", input: { n: 1 }, handedOver: true });
    await rest();
    store.kill({ noticed: true });
    const next = another();
    await next.engine.open();
    await next.rest();
    expect(next.engine.running).toEqual([first.record.id]);
    const second = await next.tasks.start({ tool: "other", input: {} });
    await next.rest();
    expect((await next.tasks.get(second.record.id)).status).toBe("pending");
    gates[0]?.open();
    await next.rest();
    expect((await next.tasks.get(second.record.id)).status).toBe("completed");
    next.store.kill({ noticed: true });
  });

  it("does not let a suspect keep others waiting for longer than aloneMs (G12)", async () => {
    const other = job(
      async function* () {
        yield { progress: 1 };
        return "other";
      },
      { name: "other" },
    );
    const { tasks, store, rest, another, clock } = createScene([stuck, other], {
      limits: { crashBackoffMs: 0, aloneMs: 30_000 },
    });
    await tasks.start({ tool: "job", input: {}, handedOver: true });
    await rest();
    store.kill({ noticed: true });
    const next = another();
    await next.engine.open();
    await next.rest();
    const { record } = await next.tasks.start({ tool: "other", input: {} });
    await clock.advance(29_000);
    expect((await next.tasks.get(record.id)).status).toBe("pending");
    await clock.advance(1_000);
    expect((await next.tasks.get(record.id)).status).toBe("completed");
  });
});

describe("a tool without checkpoints whose process died", () => {
  const plain = (onCrash: "fail" | "rerun", runs: number[]) =>
    defineTool({
      name: "plain",
      description: "Has no checkpoints.",
      input: jobInput,
      output: z.string(),
      onCrash,
      async run(_input, task) {
        runs.push(task.attempt);
        if (task.attempt === 1) await new Promise(() => {});
        return "done";
      },
    });

  it("fails with OUTCOME_UNKNOWN unless it says otherwise (G2)", async () => {
    const runs: number[] = [];
    const { tasks, store, rest, another } = createScene([plain("fail", runs)]);
    const { record } = await tasks.start({ tool: "plain", input: {}, handedOver: true });
    await rest();
    store.kill({ noticed: true });
    const next = another();
    await next.engine.open();
    await next.rest();
    expect((await next.tasks.get(record.id)).record.error?.code).toBe("OUTCOME_UNKNOWN");
    expect(runs).toEqual([1]);
  });

  it("runs again where it declares onCrash: rerun (G2)", async () => {
    const runs: number[] = [];
    const { tasks, store, rest, another, clock } = createScene([plain("rerun", runs)]);
    const { record } = await tasks.start({ tool: "plain", input: {}, handedOver: true });
    await rest();
    store.kill({ noticed: true });
    const next = another();
    await next.engine.open();
    await clock.advance(1_000);
    expect((await next.tasks.get(record.id)).record.output).toBe("done");
    expect(runs).toEqual([1, 2]);
  });

  it("is not run again when it went on after it was told to stop (G2, G8)", async () => {
    const runs: number[] = [];
    const { tasks, rest, clock } = createScene([plain("fail", runs)], { limits: { graceMs: 1_000 } });
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
      { retry: { maxAttempts: 3, initialDelayMs: 1_000, factor: 3 } },
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
        if (task.attempt === 1) throw new RetryableError("soon", { delayMs: 50 });
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

  it("goes on from its last state in a new generation when it is resumed, with the same idempotency keys (G2, G6)", async () => {
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
      { attemptTimeoutMs: 5_000, retry: { maxAttempts: 2, initialDelayMs: 0 } },
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
      { stallTimeoutMs: 5_000 },
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
        error: { code: "ATTEMPT_TIMEOUT", message: expect.stringContaining("stallTimeoutMs (5000 ms)") },
      },
    });
  });
});

describe("another version of a tool", () => {
  const versioned = (version: string, extras: Parameters<typeof job>[1] = {}) => {
    const states: unknown[] = [];
    const gate = createGate();
    const tool = job(
      async function* (task) {
        states.push(task.state);
        if (task.state.at === 0) yield { progress: 3, state: { at: 3 }, append: [3] };
        await gate.opened;
        yield { progress: 4 };
        return `by version ${version}`;
      },
      { version, ...extras },
    );
    return { tool, states, gate };
  };
  /** A task at 3 that version 1 left, and an engine that has another version. */
  const upgrade = async (next: ReturnType<typeof versioned>) => {
    const old = versioned("1");
    const { tasks, store, rest, clock } = createScene([old.tool]);
    const { record } = await tasks.start({ tool: "job", input: {}, handedOver: true });
    await rest();
    store.kill({ noticed: true });
    const scene = createScene([next.tool], {}, (same) => same, store.open(), clock);
    await scene.engine.open();
    await scene.rest();
    return { ...scene, id: record.id };
  };

  it("goes on where the last one left off, by default (G2)", async () => {
    const next = versioned("2");
    const { tasks, id, rest } = await upgrade(next);
    next.gate.open();
    await rest();
    expect((await tasks.get(id)).record).toMatchObject({ output: "by version 2", generation: 1 });
    expect(next.states).toEqual([{ at: 3 }]);
  });

  it("mends the state of the version that wrote it, again when it died before its own first checkpoint (G2)", async () => {
    const migrate = (state: unknown, from: string) => ({ ...(state as object), from });
    const next = versioned("2", { migrate });
    const { store, clock } = await upgrade(next);
    store.kill({ noticed: true });
    const last = createScene([next.tool], { limits: { crashBackoffMs: 0 } }, (same) => same, store.open(), clock);
    await last.engine.open();
    await last.rest();
    expect(next.states).toEqual([
      { at: 3, from: "1" },
      { at: 3, from: "1" },
    ]);
  });

  it("begins anew where the policy says restart, and says so (G6)", async () => {
    const next = versioned("2", { onVersionChange: "restart" });
    const { tasks, id } = await upgrade(next);
    expect((await tasks.get(id)).record).toMatchObject({ generation: 2, progress: 3, itemCount: 1 });
    expect(await historyOf(tasks, id)).toContain("5 restarted");
    expect(next.states).toEqual([{ at: 0 }]);
  });

  it("fails where the policy says fail, and names both versions (G12)", async () => {
    const { tasks, id } = await upgrade(versioned("2", { onVersionChange: "fail" }));
    const { error } = (await tasks.get(id)).record;
    expect(error).toMatchObject({ code: "VERSION_MISMATCH", message: expect.stringMatching(/version 1 .*version 2/) });
  });

  it("fails when the state does not fit its schema any more, or cannot be mended (G12)", async () => {
    const schema = z.object({ at: z.number(), unit: z.string() }).default({ at: 0, unit: "rows" });
    const strict = defineTool({
      name: "job",
      description: "Has a schema for its state.",
      version: "2",
      input: jobInput,
      state: schema,
      async *run() {
        yield { progress: 9 };
        return "never";
      },
    });
    const broken = versioned("2", {
      migrate: () => {
        throw new Error("no such row");
      },
    });
    const misfit = await upgrade({ ...broken, tool: strict });
    const unmendable = await upgrade(broken);
    const errors = [await misfit.tasks.get(misfit.id), await unmendable.tasks.get(unmendable.id)].map(
      (view) => view.record.error,
    );
    expect(errors).toEqual([
      { code: "VERSION_MISMATCH", message: expect.stringContaining("unit: ") },
      { code: "VERSION_MISMATCH", message: expect.stringContaining("no such row") },
    ]);
  });
});
