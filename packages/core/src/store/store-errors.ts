import { ResumableError } from "../errors.js";
import { limitExceeded, overLimit } from "../limits.js";
import type { CountedGroup, Lease } from "./store.js";

/** The store was closed. */
export function storeClosed(): ResumableError {
  return new ResumableError("STORE_CLOSED", "The store was closed. Create a new one.", { details: {} });
}

/** There is no such task. */
export function taskNotFound(taskId: string): ResumableError {
  return new ResumableError("TASK_NOT_FOUND", `There is no task ${taskId}. It may have been deleted.`, {
    details: { taskId },
  });
}

/** The lease is no longer the newest, or ended by a failed write. */
export function leaseLost({ taskId, epoch }: Lease): ResumableError {
  return new ResumableError(
    "LEASE_LOST",
    `Lease ${epoch} of task ${taskId} has ended: nothing was written. Acquire a new lease and read the task again.`,
    { details: { taskId, epoch } },
  );
}

/** The writer is wrong about where the journal ends. */
export function seqConflict(taskId: string, expected: number, actual: number): ResumableError {
  return new ResumableError(
    "SEQ_CONFLICT",
    `The journal of task ${taskId} ends at ${actual}, not at ${expected}: nothing was written. Read the task again.`,
    { details: { taskId, expected, actual } },
  );
}

/** Another task has the call of one that is to restart, or to be imported. */
export function keyTaken(taskId: string, otherTaskId: string): ResumableError {
  return new ResumableError(
    "KEY_TAKEN",
    `The unfinished task ${otherTaskId} has the call of task ${taskId}, which stays as it is. Use task ${otherTaskId}.`,
    { details: { taskId, otherTaskId } },
  );
}

/** Another task has the id of one that is to be imported. */
export function taskExists(taskId: string): ResumableError {
  return new ResumableError(
    "TASK_EXISTS",
    `The store has another task ${taskId}, which stays as it is. To import this one in its place, delete the other one first.`,
    { details: { taskId } },
  );
}

/** The question has an answer already. */
export function alreadyAnswered(taskId: string, key: string): ResumableError {
  return new ResumableError(
    "ALREADY_ANSWERED",
    `Question ${JSON.stringify(key)} of task ${taskId} already has an answer. The first one counts.`,
    { details: { taskId, key } },
  );
}

/** The question is one from before the task's last restart from nothing. */
export function questionForgotten(taskId: string, key: string): ResumableError {
  return new ResumableError(
    "UNKNOWN_QUESTION",
    `Task ${taskId} restarted from nothing, and has forgotten the question ${JSON.stringify(key)}. Read the task again: it may ask again.`,
    { details: { taskId, key } },
  );
}

/** A document has another version than its writer expected. */
export function documentConflict(kind: string, id: string): ResumableError {
  return new ResumableError(
    "DOCUMENT_CONFLICT",
    `The ${kind} ${id} was changed meanwhile: nothing was written. Read the document again and repeat the change.`,
    { details: { kind, id } },
  );
}

/** For a cursor of tasks that no list gave. */
export function cursorInvalid(): ResumableError {
  return new ResumableError(
    "INVALID_VALUE",
    "The cursor does not come from a page of tasks. Leave the cursor out to get the first page.",
    { details: { what: "The cursor", problems: ["it does not come from a page of tasks"] } },
  );
}

/** For something that is larger than a limit of the store. */
export function storeLimitExceeded(limit: string, value: number, allowed: number): ResumableError {
  return new ResumableError(
    "LIMIT_EXCEEDED",
    `${overLimit(limit, value, allowed)} Use less, or raise the limit of the store.`,
    { details: { limit, value, allowed } },
  );
}

/** For a document that would be one too many of its group. */
export function groupFull({ limit, max }: Pick<CountedGroup, "limit" | "max">): ResumableError {
  return limitExceeded(limit, max + 1, max);
}

/** For a task that would be one too many of its owner. */
export function tooManyUnfinished(maxUnfinished: number): ResumableError {
  return groupFull({ limit: "maxUnfinishedPerOwner", max: maxUnfinished });
}

/** For an artifact of which a part is missing. */
export function damagedArtifact(taskId: string, name: string): ResumableError {
  return new ResumableError(
    "TASK_CORRUPT",
    `Artifact ${JSON.stringify(name)} of task ${taskId} is not as long as its task says. Nothing was changed. Restore the task from a backup.`,
    { details: { taskId, path: `artifact ${name}` } },
  );
}

/** The errors that every store throws alike. */
export const storeErrors = {
  alreadyAnswered,
  cursorInvalid,
  damagedArtifact,
  documentConflict,
  groupFull,
  keyTaken,
  leaseLost,
  questionForgotten,
  seqConflict,
  storeClosed,
  storeLimitExceeded,
  taskExists,
  taskNotFound,
  tooManyUnfinished,
} as const;
