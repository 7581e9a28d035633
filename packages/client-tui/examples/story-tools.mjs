// The tools of story.sh: one that counts up to a gate, and one that asks before it continues.
import { existsSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { defineTool } from "@resumable-mcp/core";

const count = defineTool({
  name: "count",
  description: "Counts to a number; beyond the half only when the gate, a file, is there.",
  input: {
    type: "object",
    properties: { to: { type: "integer", minimum: 1 }, gate: { type: "string" } },
    required: ["to", "gate"],
  },
  state: { at: 0 },
  async *run({ to, gate }, task) {
    for (let at = task.state.at + 1; at <= to; at += 1) {
      await delay(20);
      while (at > to / 2 && !existsSync(gate)) {
        await delay(20);
        // A checkpoint that moves nothing: a pause takes effect here, too.
        yield { progress: at - 1, total: to };
      }
      yield { progress: at, total: to, state: { at }, append: [at], message: `Counted ${at}/${to}` };
    }
    return { counted: to };
  },
});

const deploy = defineTool({
  name: "deploy",
  description: "Prepares, asks where to, and deploys.",
  input: { type: "object", properties: {} },
  async *run(_input, task) {
    yield { progress: 1, total: 2, message: "Prepared" };
    const answer = await task.ask("where", {
      message: "Where to?",
      schema: {
        type: "object",
        properties: { place: { type: "string", enum: ["staging", "production"] } },
        required: ["place"],
      },
    });
    yield { progress: 2, total: 2, message: "Deployed" };
    return { deployed: answer.action === "accept" ? answer.content.place : null };
  },
});

// biome-ignore lint/style/noDefaultExport: what a tools module exports is its default.
export default [count, deploy];
