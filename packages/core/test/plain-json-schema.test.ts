import { expect, test } from "vitest";
import { defineTool, type JsonSchemaValidator } from "../src/index.js";
import { createScene, jobInput } from "./scene.js";

const word = { type: "object", required: ["word"] } as const;

const echo = defineTool({
  name: "echo",
  description: "Gives back a word.",
  input: word,
  output: word,
  async *run(input) {
    yield { progress: 1 };
    return input;
  },
});

/** Knows of nothing but words that are too long. */
const validate: JsonSchemaValidator = async (_schema, value) =>
  JSON.stringify(value).length > 20 ? ["word: is too long"] : [];

const missing = {
  code: "INVALID_OPTION",
  message: expect.stringContaining("createJsonSchemaValidator() of @resumable-mcp/mcp"),
  details: { option: "validateJsonSchema" },
};

test("an engine alone says at the first call which validator plain JSON Schema needs, and makes no task", async () => {
  const { tasks } = createScene([echo]);
  await expect(tasks.start({ tool: "echo", input: { word: "hi" } })).rejects.toMatchObject(missing);
  expect(await tasks.count()).toMatchObject({ total: 0 });
});

test("a tool whose output or items are plain JSON Schema is refused before it runs, not at its end", async () => {
  const parts = { description: "Never runs.", input: jobInput, run: async () => "" };
  const output = defineTool({ ...parts, name: "output", output: word });
  const item = defineTool({
    ...parts,
    name: "item",
    item: word,
    async *run() {
      yield { append: [{ word: "hi" }] };
      return "";
    },
  });
  const { tasks } = createScene([output, item]);
  for (const tool of ["output", "item"]) await expect(tasks.start({ tool, input: {} })).rejects.toMatchObject(missing);
});

test("what serves the engine gives the validator, and the engine's own comes first", async () => {
  const served = createScene([echo]);
  served.engine.useJsonSchemaValidator(validate);
  served.engine.useJsonSchemaValidator(() => ["another validator"]);
  const { record } = await served.tasks.start({ tool: "echo", input: { word: "hi" } });
  expect(await served.tasks.wait(record.id)).toMatchObject({ record: { status: "completed", output: { word: "hi" } } });
  const tooLong = { tool: "echo", input: { word: "much too long a word" } };
  await expect(served.tasks.start(tooLong)).rejects.toMatchObject({
    code: "INVALID_VALUE",
    details: { problems: ["word: is too long"] },
  });
  const own = createScene([echo], { validateJsonSchema: () => ["its own"] });
  own.engine.useJsonSchemaValidator(validate);
  await expect(own.tasks.start({ tool: "echo", input: { word: "hi" } })).rejects.toMatchObject({
    details: { problems: ["its own"] },
  });
});

test("a question whose schema is plain JSON Schema needs no validator: the engine checks answers itself (G9)", async () => {
  const asking = defineTool({
    name: "asking",
    description: "Asks for a word.",
    input: jobInput,
    run: async (_input, task) => task.ask("word", { message: "Which?", schema: word }),
  });
  const { tasks } = createScene([asking]);
  const { record } = await tasks.start({ tool: "asking", input: {} });
  await tasks.wait(record.id);
  const refused = tasks.answer(record.id, "word", { action: "accept", content: {} });
  await expect(refused).rejects.toMatchObject({ details: { problems: ["word: is required"] } });
  await tasks.answer(record.id, "word", { action: "accept", content: { word: "hi" } });
  const output = { action: "accept", content: { word: "hi" } };
  expect(await tasks.wait(record.id)).toMatchObject({ record: { status: "completed", output } });
});

test("a recovered task waits for the validator of its tool, and runs as soon as there is one (G1)", async () => {
  const before = createScene([echo], { validateJsonSchema: validate, limits: { maxRunning: 0 } });
  const { record } = await before.tasks.start({ tool: "echo", input: { word: "hi" }, detached: true });
  await before.store.kill({ noticed: true });
  const after = createScene([echo], {}, (store) => store, before.store.anotherProcess(), before.clock);
  await after.engine.open();
  await after.rest();
  expect((await after.tasks.get(record.id)).record).toMatchObject({ status: "pending", attempt: 0 });
  await expect(after.tasks.wait(record.id)).rejects.toMatchObject(missing);
  await expect(after.tasks.resume(record.id)).rejects.toMatchObject(missing);
  after.engine.useJsonSchemaValidator(validate);
  await after.clock.advance(1_000);
  expect((await after.tasks.get(record.id)).record).toMatchObject({ status: "completed", output: { word: "hi" } });
});
