import { setTimeout as sleep } from "node:timers/promises";
import { defineTool } from "@resumable-mcp/core";
import { defineServer } from "@resumable-mcp/mcp/define-server";
import { z } from "zod";

/** What a counting task appends: how far it has counted, and which process did. */
const counted = z.object({ at: z.number(), pid: z.number() });

const countTo = defineTool({
  name: "count_to",
  description: "Counts to a number, a little slowly.",
  input: z.object({ n: z.number().int().positive(), pace_ms: z.number().default(50), label: z.string() }),
  output: z.object({ counted: z.number(), label: z.string() }),
  state: { at: 0 },
  item: counted,
  async *run({ n, pace_ms, label }, task) {
    for (let at = task.state.at + 1; at <= n; at++) {
      await sleep(pace_ms, undefined, { signal: task.signal });
      const append = [{ at, pid: process.pid }];
      yield { progress: at, total: n, state: { at }, append, message: `Counted ${at}/${n}` };
    }
    return { counted: n, label };
  },
});

const askName = defineTool({
  name: "ask_name",
  description: "Asks the user for a name.",
  input: z.object({ label: z.string() }),
  output: z.object({ name: z.string(), label: z.string() }),
  state: { at: 0 },
  item: counted,
  async *run({ label }, task) {
    if (task.state.at === 0) yield { progress: 1, total: 2, state: { at: 1 }, append: [{ at: 1, pid: process.pid }] };
    const answer = await task.ask("name", { message: `Whose is ${label}?`, schema: z.object({ name: z.string() }) });
    yield { progress: 2, total: 2, state: { at: 2 }, append: [{ at: 2, pid: process.pid }] };
    return { name: answer.action === "accept" ? answer.content.name : `(${answer.action})`, label };
  },
});

export default defineServer({ name: "clients", version: "1.0.0", tools: [countTo, askName] });
