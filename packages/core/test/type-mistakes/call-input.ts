import { z } from "zod";
import { defineTool } from "../../src/index.js";

const add = defineTool({
  name: "add",
  description: "Adds.",
  input: z.object({ a: z.number() }),
  output: z.object({ sum: z.number() }),
  run: ({ a }) => Promise.resolve({ sum: a }),
});

defineTool({
  name: "sum",
  description: "Calls it with an input that it does not take.",
  input: z.object({}),
  output: z.object({ sum: z.number() }),
  run: (_input, task) => task.call("add", add, { a: "1" }),
});
