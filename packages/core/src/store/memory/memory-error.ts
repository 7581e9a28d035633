import { ResumableError } from "../../errors.js";
import type { Lease } from "../store.js";

export function storeClosed(): ResumableError {
  return new ResumableError("STORE_CLOSED", "The store was closed. Open another one.", { details: {} });
}

export function taskNotFound(taskId: string): ResumableError {
  return new ResumableError("TASK_NOT_FOUND", `There is no task ${taskId}. It may have been deleted.`, {
    details: { taskId },
  });
}

export function leaseLost({ taskId, epoch }: Lease): ResumableError {
  return new ResumableError(
    "LEASE_LOST",
    `Lease ${epoch} of task ${taskId} was released or taken over: nothing was written. Stop the attempt.`,
    { details: { taskId, epoch } },
  );
}

export function seqConflict(taskId: string, expected: number, actual: number): ResumableError {
  return new ResumableError(
    "SEQ_CONFLICT",
    `The journal of task ${taskId} ends at ${actual}, not at ${expected}: nothing was written. Read it again.`,
    { details: { taskId, expected, actual } },
  );
}

export function keyTaken(taskId: string, otherTaskId: string): ResumableError {
  return new ResumableError(
    "KEY_TAKEN",
    `Task ${taskId} cannot restart: task ${otherTaskId} belongs to the same call and is not finished. Use that one.`,
    { details: { taskId, otherTaskId } },
  );
}

export function alreadyAnswered(taskId: string, key: string): ResumableError {
  return new ResumableError(
    "ALREADY_ANSWERED",
    `Question ${JSON.stringify(key)} of task ${taskId} already has an answer. The first one stands.`,
    { details: { taskId, key } },
  );
}

export function documentConflict(kind: string, id: string): ResumableError {
  return new ResumableError(
    "DOCUMENT_CONFLICT",
    `The ${kind} ${id} has another version by now: nothing was written. Read it again and repeat the change.`,
    { details: { kind, id } },
  );
}
