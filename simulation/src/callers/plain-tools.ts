import { defineTool, type Tool } from "@resumable-mcp/core";
import { pause } from "./pause.js";
import { scriptInput } from "./script-operations.js";
import type { ToolWitness } from "./script-tool.js";

/** Tools without checkpoints: one must not run twice by itself, one may, and one may from its step on. */
export const plainTools = ["once", "again", "stepped"] as const;

/** A tool without checkpoints that works for as long as its input says, and notes each of its runs. */
export function plainTool(
  name: (typeof plainTools)[number],
  { history, here }: Pick<ToolWitness, "history" | "here">,
): Tool {
  return defineTool({
    name,
    description: "Works for a while.",
    input: scriptInput,
    durable: name === "again",
    async run({ program }, task) {
      const { id, attempt, signal } = task;
      const worker = here();
      const note = (kind: string, facts = {}) => {
        if (worker.isAlive) history.add(kind, { worker: worker.actor.name, task: id, attempt, ...facts });
      };
      note("attempt", { at: 0, stateItems: 0, items: 0, whole: true, version: "1", tool: name });
      try {
        if (name === "stepped") {
          const value = await task.step("first", () => {
            note("step_runs", { key: "first", tries: 1 });
            return `${worker.actor.name} ${attempt}`;
          });
          note("step_done", { key: "first", value });
        }
        for (const operation of program) if (operation.op === "work") await pause(operation.ms, signal);
        note("returns");
        return { done: program.length };
      } finally {
        note("leaves");
      }
    },
  });
}
