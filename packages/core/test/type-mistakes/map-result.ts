import { z } from "zod";
import { defineTool } from "../../src/index.js";

export const sizes = defineTool({
  name: "sizes",
  description: "Measures pages.",
  input: z.object({ urls: z.array(z.string()) }),
  item: z.object({ url: z.string(), bytes: z.number() }),
  async run({ urls }, task) {
    return await task.map("pages", urls, async (url) => ({ url, size: url.length }));
  },
});
