import { appendFileSync, existsSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { defineTool } from "@resumable-mcp/core";
import { z } from "zod";

const lookMs = 50;
const total = 4;

/**
 * Makes the tools of a version, whose state has a shape of its own. Both work on four rows, and behind the first one wait for a file
 * that has the task's name; each row says which version made it. Each beginning is noted in a file, with its process. The tools of the version
 * `copy` continues what another version left, and those of `fold` cannot.
 */
export function toolsOf({ version, state, rowOf, stateOf, accepts, migrate }) {
  const toolOf = (name, extra) =>
    defineTool({
      name,
      version,
      description: "Works on four rows.",
      input: z.object({ folder: z.string(), name: z.string() }),
      state,
      ...extra,
      async *run(input, task) {
        const begun = [input.name, process.pid, version, JSON.stringify(task.state)];
        appendFileSync(join(input.folder, "begun"), `${begun.join(" ")}\n`);
        const isOpen = () => existsSync(join(input.folder, input.name));
        for (let row = rowOf(task.state) + 1; row <= total; row += 1) {
          while (row > 1 && !isOpen()) {
            // A checkpoint, at which a server that stops can leave the task.
            yield { progress: row - 1 };
            await sleep(lookMs, undefined, { signal: task.signal });
          }
          yield { progress: row, total, state: stateOf(row), append: [`row ${row} by ${version}`] };
        }
        return { by: version };
      },
    });
  return [toolOf("copy", migrate && { accepts, migrate }), toolOf("fold")];
}
