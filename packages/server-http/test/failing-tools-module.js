import { appendFileSync, existsSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { defineTool, TerminalError } from "@resumable-mcp/core";
import { z } from "zod";

const names = { error: "process_records", terminal: "process_or_refuse", wait: "process_or_wait" };

/**
 * Works off 50 records, each noted in a file when it is. At 25 it fails, or waits, while the file `well` is not there; at 40
 * it waits while the file `hold` is there.
 */
const processing = (ending) =>
  defineTool({
    name: names[ending],
    description: "Works off 50 records.",
    input: z.object({ folder: z.string() }),
    state: { at: 0 },
    async *run({ folder }, task) {
      for (let at = task.state.at + 1; at <= 50; at += 1) {
        if (at === 26 && !existsSync(join(folder, "well"))) await stop(ending, task.signal);
        while (at === 40 && existsSync(join(folder, "hold"))) await delay(10, undefined, { signal: task.signal });
        appendFileSync(join(folder, "work.txt"), `${at}\n`);
        yield { progress: at, total: 50, state: { at }, append: [at] };
      }
      return { records: 50, attempts: task.attempt };
    },
  });

async function stop(ending, signal) {
  if (ending === "error") throw new Error("No network.");
  if (ending === "terminal") throw new TerminalError("No such city.");
  await new Promise((_resolve, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
}

// biome-ignore lint/style/noDefaultExport: a tools module has one.
export default Object.keys(names).map(processing);
