import { ResumableError } from "../../errors.js";
import { isFinal, type TaskRecord, type TaskSnapshot, type TaskStatus } from "../../task/task-record.js";
import { answeredBy, isOrphan, readDesiredState, readStatus, unansweredQuestions } from "../../task/task-rules.js";
import type { TaskView } from "../engine.js";

/** Tells whether a text may be the id of a task. */
export function isTaskId(text: string): boolean {
  return /^[A-Za-z0-9_-]{16,64}$/.test(text);
}

/** A task as its owner sees it. */
export function toTaskView(snapshot: TaskSnapshot): TaskView {
  const status = readStatus(snapshot);
  const answered = answeredBy(snapshot.record, snapshot.signals).map(({ key }) => key);
  return {
    record: snapshot.record,
    status,
    interrupted: isOrphan(snapshot),
    // A failed task may ask again when it continues: until then it takes no answer.
    questions: isFinal(status) ? [] : unansweredQuestions(snapshot),
    requested: requestOf(snapshot, status),
    ...(answered.length > 0 && { answered }),
  };
}

function requestOf(snapshot: TaskSnapshot, status: TaskStatus): TaskView["requested"] {
  if (isFinal(status)) return undefined;
  if (snapshot.signals.some(({ kind }) => kind === "cancel")) return "cancel";
  return status !== "paused" && readDesiredState(snapshot) === "pause" ? "pause" : undefined;
}

/** Makes the error for an unknown and for a foreign task alike. Which tool lists tasks is for the server to say. */
export function taskNotFound(taskId: string): ResumableError {
  const shown = isTaskId(taskId) ? taskId : "of that id";
  return new ResumableError(
    "TASK_NOT_FOUND",
    `There is no task ${shown}. It may have been deleted, or belong to another owner.`,
    {
      details: { taskId },
    },
  );
}

const refusals = {
  pause: { done: "paused", advice: "Only an unfinished task can be paused." },
  resume: { done: "resumed", advice: "Call the tool again to start from the beginning." },
  cancel: { done: "cancelled", advice: "Nothing is left to cancel." },
  delete: { done: "deleted", advice: "Cancel it first, or wait until it has finished." },
} as const;

/** Makes the error for a request that the task's status does not allow. */
export function illegalTransition(taskId: string, status: TaskStatus, wanted: keyof typeof refusals): ResumableError {
  const { done, advice } = refusals[wanted];
  const nextStep = wanted === "pause" && status === "paused" ? "Resume it to continue." : advice;
  return new ResumableError("ILLEGAL_TRANSITION", `Task ${taskId} is ${status}, so it cannot be ${done}. ${nextStep}`, {
    details: { taskId, status, wanted },
  });
}

/** Makes the error for a call of another server's tool whose outcome would not be known after a pause. */
export function cannotPause(taskId: string, status: TaskStatus): ResumableError {
  return new ResumableError(
    "ILLEGAL_TRANSITION",
    `Task ${taskId} cannot be paused: another server carries out its call, and has sent nothing that the call could continue from. Wait until it has finished, or cancel it.`,
    { details: { taskId, status, wanted: "pause" } },
  );
}

/** Makes the error for a task whose output the task that called it has not read yet. */
export function keptForParent({ id: taskId, status, parent }: TaskRecord): ResumableError {
  return new ResumableError(
    "ILLEGAL_TRANSITION",
    `Task ${taskId} cannot be deleted yet: task ${parent?.id}, which called it, still needs its result. Delete that one first, or wait until it has finished.`,
    { details: { taskId, status, wanted: "delete" } },
  );
}
