import { unlinkSync } from "node:fs";
import { join } from "node:path";
import { createEngine, defineTool, type Store } from "@resumable-mcp/core";
import { expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { emptyFolder, openStore } from "./scene.js";

const add = defineTool({
  name: "add",
  description: "Adds.",
  input: z.object({ a: z.number() }),
  output: z.object({ sum: z.number() }),
  durable: true,
  run: ({ a }) => Promise.resolve({ sum: a + 1 }),
});

const sum = defineTool({
  name: "sum",
  description: "Adds in other tasks.",
  input: z.object({}),
  async run(_input, task) {
    const sums = await Promise.all([1, 2].map((a) => task.call(`add-${a}`, add, { a })));
    return sums.map((one) => one.sum);
  },
});

/** An engine that runs one of the tools alone. */
function openEngine(store: Store, other: string, limits = {}) {
  const engine = createEngine({ store, tools: [sum, add], limits, limitRules: { [other]: { maxRunning: 0 } } });
  onTestFinished(() => engine.close());
  return engine;
}

test.each([
  ["in place", {}],
  ["without an attempt", { waitInPlaceMs: 0 }],
])(
  "a task gets from another process what it called there, and waits for it %s (G2.5, G11.3)",
  async (_where, limits) => {
    const directory = emptyFolder();
    const [calls, runs] = [openEngine(openStore(directory), "add", limits), openEngine(openStore(directory), "sum")];
    await runs.open();
    const tasks = calls.forOwner("client:a");
    const { record } = await tasks.start({ tool: "sum", input: {}, detached: true });
    expect((await tasks.wait(record.id)).record.output).toEqual([2, 3]);
    expect((await tasks.list()).tasks.map(({ tool, status }) => `${tool} ${status}`).sort()).toEqual([
      ...["add completed", "add completed", "sum completed"],
    ]);
  },
);

test("a called task that was half made when power went is made again, and runs (G1.2)", async () => {
  const directory = emptyFolder();
  const calls = openEngine(openStore(directory), "add");
  const tasks = calls.forOwner("client:a");
  const { record } = await tasks.start({ tool: "sum", input: {}, detached: true });
  const called = async () => (await tasks.list({ tool: "add" })).tasks.map(({ id }) => id);
  await expect.poll(called).toHaveLength(2);
  const [half = ""] = await called();
  await calls.close();
  // What makes a list find it comes last.
  unlinkSync(join(directory, "open", half));
  const both = createEngine({ store: openStore(directory), tools: [sum, add] });
  onTestFinished(() => both.close());
  await both.open();
  expect((await both.forOwner("client:a").wait(record.id)).record.output).toEqual([2, 3]);
});
