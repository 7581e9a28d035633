import { expect, test } from "vitest";
import { z } from "zod";
import { defineTool } from "../src/index.js";
import { createScene, failOnUnhandledRejections } from "./scene.js";

failOnUnhandledRejections();

const facts = { name: "read", description: "Reads.", input: z.object({ path: z.string(), n: z.number().default(1) }) };

test("a task is named when it is made, once, and keeps its name in another process with other code (G1)", async () => {
  const asked: unknown[] = [];
  const label = (input: { path: string; n: number }) => {
    asked.push(input);
    return `${input.path} × ${input.n}`;
  };
  const run = async () => "done";
  const before = createScene([defineTool({ ...facts, label, run })], { limits: { maxRunning: 0 } });
  const { record } = await before.tasks.start({ tool: "read", input: { path: "a.txt" }, detached: true });
  expect(record.label).toBe("a.txt × 1");
  await before.store.kill({ noticed: true });
  const other = defineTool({ ...facts, durable: true, label: () => "another", run });
  const after = createScene([other], {}, (store) => store, before.store.anotherProcess(), before.clock);
  const { record: done } = await after.tasks.wait(record.id);
  expect(done).toMatchObject({ status: "completed", label: "a.txt × 1" });
  expect((await after.tasks.list()).tasks).toMatchObject([{ id: record.id, label: "a.txt × 1" }]);
  expect(asked).toEqual([{ path: "a.txt", n: 1 }]);
});

test("a tool without a label is named by its arguments, and one whose label fails runs all the same", async () => {
  const labels: readonly [string, (() => string) | undefined, string | undefined][] = [
    ["plain", undefined, "a.txt"],
    ["none", () => "", undefined],
    ["late", (async () => Promise.reject(new Error("late"))) as never, undefined],
    [
      "broken",
      () => {
        throw new Error("no label");
      },
      undefined,
    ],
  ];
  const tools = labels.map(([name, label]) => defineTool({ ...facts, name, label, run: async ({ path }) => path }));
  const { tasks, errors } = createScene(tools);
  for (const [tool, , expected] of labels) {
    const { record } = await tasks.start({ tool, input: { path: "a.txt" } });
    expect(await tasks.wait(record.id)).toMatchObject({ record: { status: "completed", output: "a.txt" } });
    expect((await tasks.get(record.id)).record.label).toBe(expected);
  }
  expect(errors).toEqual([]);
});
