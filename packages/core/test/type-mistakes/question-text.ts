import { z } from "zod";
import { defineTool } from "../../src/index.js";

export const count = defineTool({
  name: "count",
  description: "Counts.",
  input: z.object({ n: z.number() }),
  async run({ n }, task) {
    await task.ask("sure", "Really?");
    return n;
  },
});
