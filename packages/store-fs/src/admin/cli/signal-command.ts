import { isFinal, ResumableError, statusOf, type TaskRecord } from "@resumable-mcp/core";
import { isSafeId } from "../../disk/layout.js";
import { badId } from "../../disk/store-errors.js";
import type { OpenStore } from "../../open-store.js";
import { signalTask } from "../../task/task-signals.js";
import type { CommandResult } from "./command.js";

/** A wish that the command line can leave. */
export type Wish = "pause" | "resume" | "cancel";

/** Leaves a wish for whoever runs a task, or will: the task itself is not touched. */
export async function signalCommand(store: OpenStore, taskId: string, wish: Wish): Promise<CommandResult> {
  if (!isSafeId(taskId)) throw badId("id");
  const { record } = await store.reader.require(taskId);
  if (isFinal(record.status)) throw isOver(record, wish);
  await signalTask(store, taskId, { kind: wish });
  const snapshot = store.reader.snapshotOf(await store.reader.require(taskId));
  const json = { taskId, signal: wish, status: statusOf(snapshot), leased: snapshot.leased };
  const when = snapshot.leased ? "the process that runs it, at its next checkpoint" : "whoever runs it next";
  return { json, text: `${wish} was left for task ${taskId}, to be carried out by ${when}`, ok: true };
}

function isOver({ id, status }: TaskRecord, wish: Wish): ResumableError {
  return new ResumableError(
    "ILLEGAL_TRANSITION",
    `Task ${id} is ${status}: there is nothing left to ${wish}. Look at it with show.`,
    { details: { taskId: id, status, wanted: wish } },
  );
}
