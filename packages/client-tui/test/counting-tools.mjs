// A tools module as a user would write it: counts slowly, and asks.
import { existsSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { defineTool } from "@resumable-mcp/core";

const count = defineTool({
  name: "count",
  description: "Counts to a number, slowly.",
  input: {
    type: "object",
    properties: {
      to: { type: "integer", minimum: 1, default: 20 },
      delay_ms: { type: "integer", default: 20 },
      gate: { type: "string", description: "A file without which it does not count beyond 10." },
    },
    required: ["to"],
    additionalProperties: false,
  },
  state: { at: 0 },
  async *run({ to, delay_ms = 20, gate }, task) {
    for (let at = task.state.at + 1; at <= to; at += 1) {
      await delay(delay_ms);
      while (at > 10 && gate !== undefined && !existsSync(gate)) await delay(20, undefined, { signal: task.signal });
      yield { progress: at, total: to, state: { at }, append: [at], message: `Counted ${at}/${to}` };
    }
    return { counted: to };
  },
});

const confirm = defineTool({
  name: "confirm",
  description: "Asks before it does anything.",
  input: { type: "object", properties: {} },
  async *run(_input, task) {
    yield { progress: 1, total: 2, message: "Prepared" };
    const answer = await task.ask("sure", {
      message: "Are you sure?",
      schema: { type: "object", properties: { sure: { type: "boolean" } }, required: ["sure"] },
    });
    return { action: answer.action, content: answer.action === "accept" ? answer.content : null };
  },
});

const fragile = defineTool({
  name: "fragile",
  description: "Counts to 50, and fails at 25 while a file is not there.",
  input: {
    type: "object",
    properties: { well: { type: "string", description: "The file." } },
    required: ["well"],
    additionalProperties: false,
  },
  state: { at: 0 },
  async *run({ well }, task) {
    for (let at = task.state.at + 1; at <= 50; at += 1) {
      if (at === 26 && !existsSync(well)) throw new Error("No network.");
      yield { progress: at, total: 50, state: { at }, append: [at] };
    }
    return { counted: 50 };
  },
});

// biome-ignore lint/style/noDefaultExport: what a tools module exports is its default.
export default [count, confirm, fragile];
