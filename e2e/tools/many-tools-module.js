// Tasks that move all the time, for the figures of the panel.

import { setTimeout as sleep } from "node:timers/promises";
import { defineTool } from "@resumable-mcp/core";
import { defineServer } from "@resumable-mcp/mcp/define-server";
import { z } from "zod";

const total = 1_000_000;

const move = defineTool({
  name: "move",
  description: "Moves until it is cancelled.",
  input: z.object({ name: z.string(), pace_ms: z.number().int().positive() }),
  state: { at: 0 },
  label: ({ name }) => name,
  async *run({ pace_ms }, task) {
    for (let at = task.state.at + 1; at <= total; at++) {
      await sleep(pace_ms, undefined, { signal: task.signal });
      yield { progress: at, total, state: { at }, message: `Moved ${at} of ${total}` };
    }
  },
});

// biome-ignore lint/style/noDefaultExport: a tools module has one.
export default defineServer({ name: "many-tools", version: "1.0.0", tools: [move] });
