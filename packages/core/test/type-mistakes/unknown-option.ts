import { z } from "zod";
import { defineTool } from "../../src/index.js";

const page = z.object({ url: z.string() });

export const crawl = defineTool({
  name: "crawl",
  description: "Reads pages.",
  input: z.object({ start: z.string() }),
  items: page,
  async *run({ start }) {
    yield { append: [{ url: start }] };
    return 1;
  },
});
