// The tools of the browser tests. They wait at a gate, a file that holds how far they may go: the tests open it, not the clock.

import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { defineTool } from "@resumable-mcp/core";
import { defineServer } from "@resumable-mcp/mcp/define-server";
import { z } from "zod";

const lookEveryMs = 20;

/** Waits until the gate lets the tool reach this record. */
async function passGate(gate, record, signal) {
  while (gate !== undefined && Number(readFileSync(gate, "utf8")) < record) {
    await sleep(lookEveryMs, undefined, { signal });
  }
}

const gated = { to: z.number().int().positive(), gate: z.string().optional(), name: z.string().default("records") };

const countRecords = defineTool({
  name: "count_records",
  title: "Count records",
  description: "Counts records, as far as its gate lets it.",
  input: z.object(gated),
  state: { at: 0 },
  label: ({ name }) => name,
  async *run({ to, gate }, task) {
    await task.step("open the archive", async () => ({ records: to }));
    for (let at = task.state.at + 1; at <= to; at++) {
      await passGate(gate, at, task.signal);
      if (at % 10 === 0) await task.log("info", `${at} records are counted`);
      yield { progress: at, total: to, state: { at }, append: [{ record: at }], message: `Counted ${at} of ${to}` };
    }
    return { counted: to };
  },
});

const reviewSchema = z.object({
  reviewer: z.string().min(1).max(40).describe("Who looks at it"),
  copies: z.number().int().min(1).max(9).default(1),
  urgent: z.boolean().default(false),
  language: z.enum(["de", "en"]).default("en"),
});

const reviewRecords = defineTool({
  name: "review_records",
  title: "Review records",
  description: "Counts to the middle, asks who reviews, and counts on.",
  input: z.object(gated),
  state: { at: 0 },
  label: ({ name }) => name,
  async *run({ to, gate }, task) {
    const middle = Math.floor(to / 2);
    let reviewer = "";
    for (let at = task.state.at + 1; at <= to; at++) {
      if (at > middle && reviewer === "") {
        const answer = await task.ask("reviewer", { message: "Who reviews the second half?", schema: reviewSchema });
        if (answer.action !== "accept") return { counted: at - 1, review: answer.action };
        reviewer = answer.content.reviewer;
      }
      await passGate(gate, at, task.signal);
      yield { progress: at, total: to, state: { at }, append: [{ record: at }] };
    }
    return { counted: to, reviewer };
  },
});

const countArchives = defineTool({
  name: "count_archives",
  title: "Count archives",
  description: "Counts two archives at the same time, each by a task of its own.",
  input: z.object({ gate: z.string() }),
  label: () => "both archives",
  async run({ gate }, task) {
    const count = (name) => task.call(name, countRecords, { to: 4, gate, name });
    const counted = await Promise.all(["old", "new"].map(count));
    await task.log("info", "Both archives are counted");
    await task.log("warning", "The old one has no index");
    await task.artifact(
      "März 2026 #1.bin",
      Uint8Array.from({ length: 100_000 }, (_, at) => at % 251),
    );
    return { archives: counted.length };
  },
});

const failRecords = defineTool({
  name: "fail_records",
  title: "Fail at a record",
  description: "Counts to a record, and fails there.",
  input: z.object(gated),
  state: { at: 0 },
  async *run({ to }, task) {
    const open = ({ attempt }) => {
      if (attempt === 1) throw new Error("The index is locked.");
      return "opened";
    };
    await task.step("open the index", open, { retry: { maxAttempts: 2, initialDelay: 1 } });
    for (let at = task.state.at + 1; at < to; at++)
      yield { progress: at, total: to, state: { at }, append: [{ record: at }] };
    throw new Error(`Record ${to} has no date.`);
  },
});

// biome-ignore lint/style/noDefaultExport: a tools module has one.
export default defineServer({
  name: "panel-tools",
  version: "1.0.0",
  tools: [countRecords, reviewRecords, failRecords, countArchives],
});
