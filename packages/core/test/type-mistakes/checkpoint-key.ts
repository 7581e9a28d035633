import { z } from "zod";
import { defineTool } from "../../src/index.js";

export const count = defineTool({
  name: "count",
  description: "Counts.",
  input: z.object({ n: z.number() }),
  state: { at: 0 },
  async *run({ n }, task) {
    for (let at = task.state.at + 1; at <= n; at++) yield { progress: at, sate: { at } };
    return n;
  },
});
