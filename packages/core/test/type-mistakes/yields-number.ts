import { z } from "zod";
import { defineTool } from "../../src/index.js";

export const count = defineTool({
  name: "count",
  description: "Counts.",
  input: z.object({ n: z.number() }),
  async *run({ n }) {
    yield 1;
    return n;
  },
});
