import { invalidValue } from "../../errors.js";
import { copyJson, type Json, jsonBytes } from "../../json.js";
import { checkLimit, fixedLimits } from "../../limits.js";
import { checkValue } from "../../tool/schema.js";
import type { Checkpoint } from "../../tool/tool.js";
import { canContinue } from "../runs-again.js";
import type { AttemptParts } from "./attempt-parts.js";
import { checkCheckpoint, keepsCheckpoints, writeCheckpoint } from "./check-checkpoint.js";
import { createTaskContext, inputOfAttempt } from "./task-context.js";
import type { TaskVerbs } from "./task-verbs.js";

/** The tool was stopped between two checkpoints. */
export const stoppedHere = Symbol("stopped");

type Running = AsyncGenerator<Checkpoint<unknown, unknown>, unknown, void>;

/** Pulls the tool from checkpoint to checkpoint. Gives its output, or says that it was stopped on the way. */
export async function driveTool(parts: AttemptParts, verbs: TaskVerbs): Promise<Json | typeof stoppedHere> {
  const { tool, control } = parts;
  const input = await inputOfAttempt(tool, parts.record, parts.tools.validate);
  const running = tool.run(input, await createTaskContext(parts, verbs));
  if (!isGenerator(running)) return checkedOutput(await running, parts);
  for (;;) {
    const next = await running.next();
    if (next.done === true) return checkedOutput(next.value, parts);
    if (keepsCheckpoints(control.aborted)) {
      try {
        await writeCheckpoint(parts, () => checkCheckpoint(next.value, parts));
      } catch (error) {
        await leave(running);
        throw error;
      }
    }
    if (control.aborted === undefined && !canContinue(tool, parts.journal.record)) continue;
    if (control.wanted !== undefined) control.abort(control.wanted);
    // From any other checkpoint the next attempt would begin with an older state, or with none.
    else if (control.aborted === undefined && next.value.state !== undefined && parts.yields()) control.abort("turn");
    if (control.aborted === undefined) continue;
    await leave(running);
    return stoppedHere;
  }
}

/** Lets `finally` blocks run; what they yield is ignored, and how they fail does not hide why the tool was left. */
async function leave(running: Running): Promise<void> {
  try {
    let result = await running.return(undefined);
    for (let count = 0; result.done !== true && count < fixedLimits.maxYieldsInFinally; count++)
      result = await running.next();
  } catch {
    // The checkpoint before it stands.
  }
}

async function checkedOutput(returned: unknown, { tool, tools, taskLimits }: AttemptParts): Promise<Json> {
  const checked =
    tool.output === undefined ? { value: returned } : await checkValue(tool.output, returned, tools.validate);
  if (checked.problems !== undefined) throw invalidValue(`The output of ${tool.name}`, checked.problems);
  const output = copyJson(checked.value ?? null, "output");
  checkLimit("maxOutputBytes", jsonBytes(output), taskLimits.maxOutputBytes, "Keep a large result with task.artifact");
  return output;
}

/** A plain function may return anything, also nothing. */
function isGenerator(running: unknown): running is Running {
  return typeof running === "object" && running !== null && Symbol.asyncIterator in running && "return" in running;
}
