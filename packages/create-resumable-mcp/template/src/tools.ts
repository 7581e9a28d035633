import { appendFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { defineServer, defineTool } from "resumable-mcp";
import { z } from "zod";

/** Works through pages. However often the server is killed, only the page of that moment is fetched again. */
const fetchPages = defineTool({
  name: "fetch_pages",
  description: "Fetches pages one by one, and counts their characters.",
  input: z.object({ pages: z.number().int().positive().max(10_000) }),
  output: z.object({ pages: z.number(), characters: z.number() }),
  item: z.number(),
  async run({ pages }, task) {
    const numbers = Array.from({ length: pages }, (_none, index) => index + 1);
    // What each page gives is durable before the next one begins: from there the task continues after a crash.
    await task.map("pages", numbers, async (page, { signal }) => (await fetchPage(page, signal)).length, {
      retry: { maxAttempts: 3 },
    });
    let characters = 0;
    for await (const length of task.items()) characters += length;
    return { pages, characters };
  },
});

/** Replace this with real work. */
async function fetchPage(page: number, signal: AbortSignal): Promise<string> {
  await sleep(Number(process.env.PAGE_MS ?? 500), undefined, { signal });
  // The test looks here at what ran.
  if (process.env.PAGE_LOG !== undefined) await appendFile(process.env.PAGE_LOG, `${page}\n`);
  return `This is page ${page}.`;
}

export default defineServer({ name: "PROJECT_NAME", version: "1.0.0", tools: [fetchPages] });
