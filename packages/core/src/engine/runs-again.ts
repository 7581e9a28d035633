import type { TaskFailure } from "../task/task-event.js";
import type { TaskRecord } from "../task/task-record.js";
import type { Tool } from "../tool/tool.js";

/** Tells whether a tool that was cut off may run again by itself. Pure. */
export function runsAgain(
  { kind, durable, annotations }: Pick<Tool, "kind" | "durable" | "annotations">,
  { remembered }: Pick<TaskRecord, "remembered">,
): boolean {
  const isHarmless = annotations?.readOnlyHint === true || annotations?.idempotentHint === true;
  return kind === "generator" || durable === true || isHarmless || Object.keys(remembered).length > 0;
}

/**
 * Tells whether a task that is stopped now could go on later: a call of another server's tool has to have left something for that.
 * Pure.
 */
export function canContinue(tool: Pick<Tool, "mirrors"> | undefined, { state }: Pick<TaskRecord, "state">): boolean {
  return tool?.mirrors === undefined || (state ?? null) !== null;
}

/** How a task ends whose tool was cut off and may not run again. */
export function outcomeUnknown(cause: string): TaskFailure {
  const message = `${cause} It left no step that it could continue from: the call may or may not have taken effect. Check before you call again. Its author can put effects into task.step, or say durable: true where all of it may run again.`;
  return { code: "OUTCOME_UNKNOWN", message };
}
