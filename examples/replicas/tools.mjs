import { defineTool } from "@resumable-mcp/core";
import { z } from "zod";

const countTo = defineTool({
  name: "count_to",
  description: "Counts to a number, slowly.",
  input: z.object({ n: z.number().int().positive() }),
  output: z.object({ counted: z.number() }),
  state: { at: 0 },
  async *run({ n }, task) {
    for (let at = task.state.at + 1; at <= n; at++) {
      await new Promise((resolve) => setTimeout(resolve, 1000));
      yield { progress: at, total: n, state: { at }, message: `Counted ${at}/${n}` };
    }
    return { counted: n };
  },
});

export default [countTo];
