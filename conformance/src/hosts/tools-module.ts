import { existsSync } from "node:fs";
import { appendFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { defineTool } from "@resumable-mcp/core";
import { defineServer } from "@resumable-mcp/mcp/define-server";
import { z } from "zod";

/** The same as the clients' tools append: where the task is, and which process ran it. */
const item = z.object({ at: z.number(), pid: z.number() });
const lookEveryMs = 50;
const handoffAfter = 5_000;

const input = z.object({
  label: z.string().describe("What the task is called."),
  folder: z.string().describe("Where the side file and the gate of the task are."),
  units: z.number().int().positive().describe("How many units of work there are."),
  hold_after: z.number().int().default(0).describe("After so many units the task comes to its gate."),
});

/** A task writes a line for each unit of work into its side file; its gate is a file that appears, or an answer. */
const countingTool = (name: string, atGate: "waits" | "fails" | "asks", options: { handoffAfter?: number } = {}) =>
  defineTool({
    name,
    description: `Does units of work, and ${atGate} at a gate that is closed.`,
    input,
    output: z.object({ counted: z.number(), label: z.string(), name: z.string().optional() }),
    state: { at: 0 },
    item,
    ...options,
    async *run({ label, folder, units, hold_after }, task) {
      const question = { message: `Whose is ${label}?`, schema: z.object({ name: z.string() }) };
      const answer = atGate === "asks" ? await task.ask("name", question) : undefined;
      for (let at = task.state.at + 1; at <= units; at++) {
        while (at === hold_after + 1 && hold_after > 0 && !existsSync(join(folder, `${label}.open`))) {
          if (atGate === "fails") throw new Error("The gate is closed.");
          await sleep(lookEveryMs, undefined, { signal: task.signal });
        }
        await appendFile(join(folder, `${label}.units`), `${at}\n`);
        yield { progress: at, total: units, state: { at }, append: [{ at, pid: process.pid }] };
      }
      const name = answer?.action === "accept" ? answer.content.name : answer && `(${answer.action})`;
      return { counted: units, label, ...(name !== undefined && { name }) };
    },
  });

export default defineServer({
  name: "hosts",
  version: "1.0.0",
  tools: [
    countingTool("count_units", "waits"),
    countingTool("count_slowly", "waits", { handoffAfter }),
    countingTool("count_or_fail", "fails"),
    countingTool("ask_name", "asks"),
  ],
});
