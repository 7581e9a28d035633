import { z } from "zod";
import { defineTool } from "../../src/index.js";

export const count = defineTool({
  name: "count",
  description: "Counts.",
  inputSchema: z.object({ n: z.number() }),
  async run({ n }) {
    return n;
  },
});
