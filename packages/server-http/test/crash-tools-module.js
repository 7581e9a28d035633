// A tools module as authors write it: loaded by the program under test, so it is plain JavaScript.
import { appendFileSync, existsSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { defineTool } from "@resumable-mcp/core";
import { defineServer } from "@resumable-mcp/mcp";
import { z } from "zod";

const countTo = defineTool({
  name: "count_to",
  description: "Counts to a number, a little slowly.",
  input: z.object({ n: z.number().int().positive(), pace_ms: z.number().default(20) }),
  output: z.object({ counted: z.number() }),
  state: { at: 0 },
  async *run({ n, pace_ms }, task) {
    for (let at = task.state.at + 1; at <= n; at++) {
      await sleep(pace_ms, undefined, { signal: task.signal });
      yield { progress: at, total: n, state: { at }, append: [at], message: `Counted ${at}/${n}` };
    }
    return { counted: n };
  },
});

const askName = defineTool({
  name: "ask_name",
  description: "Asks the user for a name.",
  input: z.object({}),
  state: {},
  async *run(_input, task) {
    yield { progress: 1, total: 2 };
    const answer = await task.ask("name", { message: "Your name?", schema: z.object({ name: z.string() }) });
    yield { progress: 2, total: 2 };
    return answer.action === "accept" ? answer.content.name : answer.action;
  },
});

/** Appends a line, and then takes so long that only a kill ends it. */
async function appendLine({ file }, { sendNotification, _meta }) {
  appendFileSync(file, "ran\n");
  const params = { progressToken: _meta?.progressToken ?? 0, progress: 1 };
  await sendNotification({ method: "notifications/progress", params });
  const lines = 600_000;
  await sleep(lines);
  return { content: [{ type: "text", text: "late" }] };
}

/** Hangs in its first run, and answers in a later one. */
async function appendAgain({ file }, extra) {
  if (existsSync(file)) {
    appendFileSync(file, "ran\n");
    return { content: [{ type: "text", text: "done" }] };
  }
  return appendLine({ file }, extra);
}

// biome-ignore lint/style/noDefaultExport: a tools module has one.
export default defineServer({
  name: "crash-tools",
  version: "1.0.0",
  tools: [countTo, askName],
  setup(server) {
    const inputSchema = { file: z.string() };
    server.registerTool("append_line", { description: "Appends a line to a file.", inputSchema }, appendLine);
    const annotations = { idempotentHint: true };
    const description = "Appends a line to a file; says that it may run twice.";
    server.registerTool("append_again", { description, inputSchema, annotations }, appendAgain);
  },
});
