import { describe, expect, it } from "vitest";
import { z } from "zod";
import type { Followed } from "../src/engine.js";
import {
  createEngine,
  createMemoryStore,
  defineTool,
  type Engine,
  type EngineOptions,
  type Store,
} from "../src/index.js";
import { checkResumable } from "../src/testing.js";

const count = defineTool({
  name: "count",
  description: "Counts.",
  input: z.object({ to: z.number().int().positive(), batch: z.number().int().positive().default(1) }),
  output: z.object({ counted: z.number() }),
  state: { at: 0 },
  item: z.number(),
  async *run({ to, batch }, task) {
    let { at } = task.state;
    task.log("info", at === 0 ? "starting" : `resuming from ${at}`);
    while (at < to) {
      const next = Math.min(to, at + batch);
      const append = Array.from({ length: next - at }, (_, index) => at + index);
      at = next;
      yield { progress: at, total: to, state: { at }, append, message: `${at}/${to}` };
    }
    return { counted: at };
  },
});

function engineWith(options: Partial<EngineOptions> & Pick<EngineOptions, "tools">): Engine {
  return createEngine({ store: createMemoryStore(), ...options });
}

async function collect(events: AsyncIterable<Followed>): Promise<Followed[]> {
  const all: Followed[] = [];
  for await (const event of events) all.push(event);
  return all;
}

describe("engine", () => {
  it("runs a tool to its end and keeps what it appended (G1, G3)", async () => {
    const tasks = engineWith({ tools: [count] }).forOwner("local:me");
    const { record, created } = await tasks.start({ tool: "count", input: { to: 5, batch: 2 } });
    expect(created).toBe(true);
    const done = await tasks.wait(record.id);
    expect(done).toMatchObject({
      reason: "finished",
      status: "completed",
      record: { output: { counted: 5 }, progress: 5 },
    });
    expect(await tasks.items(record.id)).toEqual({ items: [0, 1, 2, 3, 4], next: 5, total: 5 });
  });

  it("shows a follower every event once and in order (G5)", async () => {
    const tasks = engineWith({ tools: [count] }).forOwner("local:me");
    const { record } = await tasks.start({ tool: "count", input: { to: 4 } });
    const seen = await collect(tasks.follow(record.id));
    expect(
      seen.map((entry) => (entry.kind === "event" ? `${entry.event.seq} ${entry.event.type}` : "snapshot")),
    ).toEqual([
      "1 created",
      "2 attempt_started",
      "3 log",
      "4 checkpoint",
      "5 checkpoint",
      "6 checkpoint",
      "7 checkpoint",
      "8 completed",
    ]);
    const rest = await collect(tasks.follow(record.id, { afterSeq: 6 }));
    expect(rest.map((entry) => (entry.kind === "event" ? entry.event.seq : 0))).toEqual([7, 8]);
    expect(await collect(tasks.follow(record.id, { afterSeq: 8 }))).toEqual([]);
  });

  it("ends the same whatever commit the process dies at (G1.1, G2.1)", async () => {
    const report = await checkResumable(count, { to: 6, batch: 2 });
    expect(report).toMatchObject({ output: { counted: 6 }, items: [0, 1, 2, 3, 4, 5], differences: [] });
    expect(report.boundaries).toBeGreaterThan(4);
  });

  it("gives a tool all items committed so far, undisturbed as after each crash (G2, G3)", async () => {
    const seen: number[][] = [];
    const listing = defineTool({
      name: "list",
      description: "Returns its items at the end.",
      input: z.object({ to: z.number() }),
      state: { at: 0 },
      item: z.number(),
      async *run({ to }, task) {
        for (let { at } = task.state; at < to; at++) {
          yield { progress: at + 1, total: to, state: { at: at + 1 }, append: [at] };
          const soFar: number[] = [];
          for await (const item of task.items()) soFar.push(item);
          seen.push(soFar);
        }
        const all: number[] = [];
        for await (const item of task.items()) all.push(item);
        return { all };
      },
    });
    const report = await checkResumable(listing, { to: 3 });
    expect(report).toMatchObject({ output: { all: [0, 1, 2] }, items: [0, 1, 2], differences: [] });
    expect(new Set(seen.map((items) => JSON.stringify(items)))).toEqual(new Set(["[0]", "[0,1]", "[0,1,2]"]));
  });

  it("ends a listing of items at what was committed when it began, so that a tool may append while it reads (G3)", async () => {
    const doubling = defineTool({
      name: "double",
      description: "Appends an item for each item that it has.",
      input: z.object({}),
      item: z.number(),
      async *run(_input, task) {
        yield { append: [1, 2] };
        for await (const item of task.items()) yield { append: [item * 10] };
        return "done";
      },
    });
    const tasks = engineWith({ tools: [doubling] }).forOwner("local:me");
    const { record } = await tasks.start({ tool: "double", input: {} });
    expect((await tasks.wait(record.id)).status).toBe("completed");
    expect((await tasks.items(record.id)).items).toEqual([1, 2, 10, 20]);
  });
});

describe("an engine and its store", () => {
  it("refuses a store of another contract version, and says what to install", () => {
    const store = { ...createMemoryStore(), contractVersion: 2 as 1 };
    const message =
      "The store implements version 2 of the store contract, and this engine needs version 1. Install matching versions of @resumable-mcp/core and of the store.";
    const details = { found: "2", supported: "1" };
    expect(() => createEngine({ store, tools: [] })).toThrow(
      expect.objectContaining({ code: "STORE_CONTRACT", message, details }),
    );
  });

  it("opens the store before anything else, and again after an attempt that failed", async () => {
    const calls: string[] = [];
    const inner = createMemoryStore();
    const store: Store = {
      ...inner,
      async open() {
        calls.push("open");
        if (calls.length === 1) throw new Error("not mounted yet");
      },
      async heartbeat(request) {
        calls.push("heartbeat");
        await inner.heartbeat(request);
      },
    };
    const engine = createEngine({ store, tools: [] });
    await expect(engine.open()).rejects.toThrow("not mounted yet");
    await engine.open();
    expect(calls).toEqual(["open", "open", "heartbeat"]);
    await engine.close();
  });
});
