import { describe, expect, it } from "vitest";
import { createEngine, createMemoryStore, type Tool } from "../src/index.js";
import { createGate, createScene, failOnUnhandledRejections, job, quick } from "./scene.js";

failOnUnhandledRejections();

/** Runs until the test ends it, and counts how many do so at once. */
function busy(name = "job", extras: { maxRunning?: number } = {}): { tool: Tool; order: string[]; end: () => void } {
  const gate = createGate();
  const order: string[] = [];
  const tool = job(
    async function* (task, n) {
      order.push(`${name} ${n}`);
      await Promise.race([gate.opened, new Promise((resolve) => task.signal.addEventListener("abort", resolve))]);
      yield { progress: 1 };
      return "done";
    },
    { name, ...extras },
  );
  return { tool, order, end: gate.open };
}

describe("slots (G11)", () => {
  it("run as many tasks at once as the process, the owner and the tool allow (G11)", async () => {
    const one = busy("one", { maxRunning: 1 });
    const many = busy("many");
    const { engine, rest } = createScene([one.tool, many.tool], { limits: { maxRunning: 4, maxRunningPerOwner: 3 } });
    const [a, b] = [engine.forOwner("client:a"), engine.forOwner("client:b")];
    const ids: string[] = [];
    const begin = async (tasks: typeof a, tool: string, n: number) =>
      ids.push((await tasks.start({ tool, input: { n } })).record.id);
    for (const n of [1, 2]) await begin(a, "one", n);
    for (const n of [1, 2, 3]) await begin(a, "many", n);
    for (const n of [4, 5]) await begin(b, "many", n);
    await rest();
    expect([one.order, many.order]).toEqual([["one 1"], ["many 1", "many 2", "many 4"]]);
    expect(engine.running).toHaveLength(4);
    const waits = async (tasks: typeof a, index: number) => (await tasks.get(ids[index] ?? "")).waitsFor;
    expect([await waits(a, 0), await waits(a, 4), await waits(b, 6)]).toEqual([
      undefined,
      { limit: "owner", running: 3 },
      { limit: "process" },
    ]);
    one.end();
    many.end();
    await rest();
    expect(one.order.length + many.order.length).toBe(7);
    expect(engine.running).toEqual([]);
  });

  it("are there for a third owner when two have as many endless tasks as they may (G11)", async () => {
    const endless = busy();
    const { engine, rest } = createScene([endless.tool], { limits: { maxRunning: 32, maxRunningPerOwner: 16 } });
    const start = (owner: string, n: number) => engine.forOwner(owner).start({ tool: "job", input: { n } });
    for (let n = 0; n < 32; n++) {
      await start("client:a", n);
      await start("client:b", n);
    }
    await rest();
    const third = await start("client:c", 0);
    await rest();
    expect(engine.running).toContain(third.record.id);
    expect(engine.running).toHaveLength(29);
    endless.end();
    await rest();
    expect(endless.order).toHaveLength(65);
  });

  it("go to the owner who has the fewest, also when another has left more work than a look shows (G10.4, G11)", async () => {
    const crowd = createScene([quick], { limits: { maxRunning: 0 } });
    const [a, b] = [crowd.engine.forOwner("client:a"), crowd.engine.forOwner("client:b")];
    for (let n = 0; n < 30; n++) await a.start({ tool: "job", input: { n }, detached: true });
    await crowd.clock.advance(1);
    const late = await b.start({ tool: "job", input: { n: 99 }, detached: true });
    crowd.store.kill({ noticed: true });
    const { tool, order } = busy();
    const limits = { maxRunning: 4, maxRunningPerOwner: 2, lookBatch: 5 };
    const next = createScene([tool], { limits }, (same) => same, crowd.store.anotherProcess(), crowd.clock);
    await next.engine.open();
    await next.clock.advance(10_000);
    expect(next.engine.running).toContain(late.record.id);
    expect(order).toHaveLength(3);
  });
});

describe("unfinished tasks of one owner (G11)", () => {
  it("are limited, without hindering the same call, other owners, or an owner that has finished many (G11)", async () => {
    const { tool, end } = busy();
    const { engine, tasks, rest } = createScene(
      [
        tool,
        job(
          async function* () {
            yield {};
            return "quick";
          },
          { name: "quick" },
        ),
      ],
      {
        limits: { maxUnfinishedPerOwner: 2 },
      },
    );
    for (let n = 0; n < 5; n++) {
      await tasks.start({ tool: "quick", input: { n } });
      await rest();
    }
    for (const n of [1, 2]) await tasks.start({ tool: "job", input: { n } });
    const third = tasks.start({ tool: "job", input: { n: 3 } });
    await expect(third).rejects.toMatchObject({
      code: "LIMIT_EXCEEDED",
      details: { limit: "maxUnfinishedPerOwner", allowed: 2 },
    });
    expect((await tasks.start({ tool: "job", input: { n: 2 } })).created).toBe(false);
    expect((await engine.forOwner("client:b").start({ tool: "job", input: { n: 3 } })).created).toBe(true);
    end();
    await rest();
    expect((await tasks.start({ tool: "job", input: { n: 3 } })).created).toBe(true);
  });

  it("are counted exactly when calls come at the same moment (G11)", async () => {
    const gate = createGate();
    const { tasks, rest } = createScene([busy().tool], { limits: { maxUnfinishedPerOwner: 2 } }, (store) => ({
      ...store,
      createTask: async (request) => {
        // As a store that makes the task durable first.
        await gate.opened;
        return store.createTask(request);
      },
    }));
    const starts = [1, 2, 3, 4, 5].map((n) => tasks.start({ tool: "job", input: { n } }));
    const outcomes = Promise.allSettled(starts);
    await rest();
    gate.open();
    const codes = (await outcomes).map((one) => (one.status === "fulfilled" ? "created" : one.reason.code));
    expect(codes.toSorted()).toEqual([...Array(3).fill("LIMIT_EXCEEDED"), "created", "created"]);
  });

  it("are never counted among the finished, and cost no list of them (G11)", async () => {
    const { tasks, rest } = createScene([quick], { limits: { maxUnfinishedPerOwner: 2 } }, (store) => ({
      ...store,
      countTasks: () => Promise.reject(new Error("counts everything")),
    }));
    for (let n = 0; n < 20; n++) {
      expect((await tasks.start({ tool: "job", input: { n } })).created).toBe(true);
      await rest();
    }
  });

  it("count failed ones that continue, and those that are resumed (G11)", async () => {
    const failing = job(
      async function* () {
        yield {};
        throw new Error("no");
      },
      { name: "failing" },
    );
    const { tasks, rest } = createScene([busy().tool, failing], { limits: { maxUnfinishedPerOwner: 1 } });
    const failed = await tasks.start({ tool: "failing", input: { n: 1 } });
    await rest();
    await tasks.start({ tool: "job", input: { n: 1 } });
    const refused = { code: "LIMIT_EXCEEDED", details: { limit: "maxUnfinishedPerOwner", value: 2, allowed: 1 } };
    await expect(tasks.start({ tool: "failing", input: { n: 1 } })).rejects.toMatchObject(refused);
    await expect(tasks.resume(failed.record.id)).rejects.toMatchObject(refused);
    expect((await tasks.get(failed.record.id)).status).toBe("failed");
  });
});

describe("what callers send (G11)", () => {
  it("is refused when it is too large, no JSON or not what the tool takes (G11, G12)", async () => {
    const { tasks } = createScene([quick], { limits: { maxInputBytes: 20 } });
    const start = (input: unknown, tool = "job") => tasks.start({ tool, input: input as never });
    await expect(start({ n: 1, text: "x".repeat(20) })).rejects.toMatchObject({
      code: "LIMIT_EXCEEDED",
      message: expect.stringMatching(/^The limit maxInputBytes is 20 bytes, and this would be 37 bytes\. /),
    });
    await expect(start({ n: Number.NaN })).rejects.toMatchObject({ code: "NOT_JSON" });
    await expect(start({ n: "one" })).rejects.toMatchObject({ code: "INVALID_VALUE" });
    await expect(start({}, "jobs")).rejects.toMatchObject({ code: "UNKNOWN_TOOL", details: { known: ["job"] } });
    await expect(tasks.list({ limit: 0 })).rejects.toMatchObject({ code: "INVALID_VALUE" });
    expect((await tasks.count()).total).toBe(0);
  });
});

describe("what tools make (G11)", () => {
  it.each([
    ["maxStateBytes", { maxStateBytes: 5 }],
    ["maxAppendBytes", { maxAppendBytes: 5 }],
    ["maxItemsBytes", { maxItemsBytes: 12 }],
    ["maxSteps", { maxSteps: 1 }],
    ["maxStepBytes", { maxStepBytes: 5 }],
    ["maxKeyLength", { maxKeyLength: 5 }],
    ["maxOutputBytes", { maxOutputBytes: 5 }],
    ["maxLogBytes", { maxLogBytes: 5 }],
  ])("is limited by %s, and the error names it (G11.1)", async (name, limits) => {
    const tool = job(
      async function* (task) {
        task.log("info", "some text");
        await task.step("step-a", () => "some text");
        await task.step("step-b", () => "some text");
        yield { state: { at: 1 }, append: [1_000_000] };
        yield { append: [1_000_000] };
        return "some text";
      },
      { limits },
    );
    const { tasks, rest } = createScene([tool]);
    const { record } = await tasks.start({ tool: "job", input: {} });
    await rest();
    expect((await tasks.get(record.id)).record.error).toEqual({
      code: "LIMIT_EXCEEDED",
      message: expect.stringContaining(name),
    });
  });

  it("drops the oldest log entries between two checkpoints, and says how many (G11)", async () => {
    const tool = job(
      async function* (task) {
        for (let n = 1; n <= 5; n++) task.log("debug", n);
        yield { message: "m".repeat(50) };
        return "done";
      },
      { limits: { maxPendingLogs: 2, maxMessageLength: 10 } },
    );
    const { tasks, rest } = createScene([tool]);
    const { record } = await tasks.start({ tool: "job", input: {} });
    await rest();
    const logs: unknown[] = [];
    for await (const entry of tasks.follow(record.id)) {
      if (entry.kind === "event" && entry.event.type === "log") logs.push(entry.event.data);
    }
    expect(logs).toEqual([expect.stringMatching(/^3 older log entries were dropped/), 4, 5]);
    expect((await tasks.get(record.id)).record.message).toBe("m".repeat(10));
  });
});

describe("the engine's own limits (G11)", () => {
  it("are refused when they are no numbers, or have no meaning (G11)", () => {
    const withLimits = (limits: object) => () => createEngine({ store: createMemoryStore(), tools: [quick], limits });
    for (const limits of [{ pollMs: Number.NaN }, { pollMs: -1 }, { polMs: 1 }]) {
      expect(withLimits(limits)).toThrow(expect.objectContaining({ code: "INVALID_OPTION" }));
    }
    expect(() => createEngine({ store: createMemoryStore(), tools: [quick, quick] })).toThrow(
      expect.objectContaining({ code: "TOOL_NAME_TAKEN" }),
    );
  });
});

describe("a limit that is undefined", () => {
  it("has its default, in a tool, in an engine and in a store (G11)", async () => {
    const tool = job(
      async function* (task) {
        task.log("info", "begun");
        await task.step("once", () => 1);
        yield { progress: 1, state: { at: 1 }, append: [1] };
        return "done";
      },
      {
        limits: {
          maxStepBytes: undefined,
          maxLogBytes: undefined,
          maxStateBytes: undefined,
          maxOutputBytes: undefined,
        },
      },
    );
    const store = createMemoryStore({ quotas: { maxJournalEvents: undefined, maxStoreTasks: undefined } });
    const limits = { maxRunning: undefined, maxInputBytes: undefined };
    const { tasks, rest } = createScene([tool], { limits }, (same) => same, store);
    const { record } = await tasks.start({ tool: "job", input: {} });
    await rest();
    expect((await tasks.get(record.id)).record).toMatchObject({ status: "completed", output: "done" });
  });
});
