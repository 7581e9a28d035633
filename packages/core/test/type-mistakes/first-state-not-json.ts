import { z } from "zod";
import { defineTool } from "../../src/index.js";

export const crawl = defineTool({
  name: "crawl",
  description: "Reads pages.",
  input: z.object({ start: z.string() }),
  state: { seen: new Set<string>(), at: 0 },
  async *run(_input, task) {
    yield { progress: task.state.at };
    return 1;
  },
});
