import { z } from "zod";
import { defineTool } from "../../src/index.js";

export const crawl = defineTool({
  name: "crawl",
  description: "Reads pages.",
  input: z.object({ start: z.string() }),
  item: z.object({ url: z.string() }),
  async *run({ start }) {
    yield { append: [start] };
    return 1;
  },
});
