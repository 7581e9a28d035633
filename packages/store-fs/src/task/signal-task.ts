import { join } from "node:path";
import { type NewSignal, ResumableError } from "@resumable-mcp/core";
import { taskFolder } from "../disk/layout.js";
import { syncPath } from "../disk/whole-file.js";
import { disturb } from "../journal/quiet-folder.js";
import { isAnswered, leaveSignal, removeSignals, signalFile } from "../journal/task-signals.js";
import type { OpenStore } from "../open-store.js";

/** Leaves a signal for whoever runs a task, or will. */
export async function signalTask(
  { context, reader, hints }: OpenStore,
  taskId: string,
  signal: NewSignal,
): Promise<void> {
  const { record, folder, view } = await reader.require(taskId);
  if (signal.kind === "answer" && isAnswered(view, signal.key)) throw alreadyAnswered(taskId, signal.key);
  const left = leaveSignal(context, record, signal, folder);
  disturb(context, taskId);
  context.observe("store.signal.linked", taskId);
  if (signal.kind === "answer") {
    if (left === undefined) throw alreadyAnswered(taskId, signal.key);
    await refuseLate(reader, taskId, signal.key, left.id, () => removeSignals(context, taskId, [left.id]));
  }
  if (context.durable) {
    const path = taskFolder(context.layout, taskId);
    if (signal.kind === "answer" && left !== undefined) await syncPath(context.disk, join(path, signalFile(left.id)));
    await context.disk.syncFolder(path);
  }
  // Only now: a loss of power must not take the new signal and keep the removal of the old one.
  removeSignals(context, taskId, left?.replaced ?? []);
  hints.notify(taskId, "runnable");
}

/** An earlier answer may have been carried out and its file removed just before this one took its place. */
async function refuseLate(
  reader: OpenStore["reader"],
  taskId: string,
  key: string,
  id: string,
  undo: () => void,
): Promise<void> {
  const after = await reader.require(taskId);
  if (!isAnswered(after.view, key) || after.view.consumed.has(id)) return;
  undo();
  throw alreadyAnswered(taskId, key);
}

function alreadyAnswered(taskId: string, key: string): ResumableError {
  return new ResumableError(
    "ALREADY_ANSWERED",
    `The question "${key}" of task ${taskId} has an answer already; the first one counts.`,
    { details: { taskId, key } },
  );
}
