import { z } from "zod";
import { defineTool } from "../../src/index.js";

export const count = defineTool({
  name: "count",
  description: "Counts.",
  input: z.object({ n: z.number() }),
  output: z.object({ counted: z.number() }),
  async *run({ n }) {
    yield { progress: 1 };
    return { counted: String(n) };
  },
});
