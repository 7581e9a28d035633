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
  // What the tool needs to continue. It is stored with each checkpoint.
  state: { done: 0, characters: 0 },
  async *run({ pages }, task) {
    let { done, characters } = task.state;
    while (done < pages) {
      const text = await fetchPage(done + 1, task.signal);
      done += 1;
      characters += text.length;
      // A checkpoint: from here the task continues after a crash.
      yield { progress: done, total: pages, state: { done, characters }, message: `Page ${done} of ${pages}` };
    }
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
