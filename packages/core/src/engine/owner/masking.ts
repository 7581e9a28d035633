import { readRpcCode, type TaskEvent, type TaskFailure } from "../../task/task-event.js";
import type { Remembered, TaskRecord } from "../../task/task-record.js";
import type { Followed } from "../engine.js";
import { waitsForCode } from "../scheduling/version-rule.js";

/** What an owner sees of a task's record, of its summary, and of the events of its journal. */
export interface Masking {
  record<Part extends MaskedPart>(record: Part): Part;
  followed(followed: Followed, taskId: string): Followed;
}

type MaskedPart = Pick<TaskRecord, "id" | "error" | "message"> & Partial<Pick<TaskRecord, "remembered">>;

/** Shows everything as it is. */
export const noMasking: Masking = { record: (record) => record, followed: (followed) => followed };

/**
 * Hides what a tool's code threw from the task's owner: it may name paths, addresses and secrets of the server. The journal
 * keeps it, for the operator.
 *
 * Shown are errors of the toolkit itself, and those whose author says that they are for the caller.
 */
export const masking: Masking = {
  record(record) {
    const { id, error, message, remembered } = record;
    const shown = { error: error && maskedFailure(error, id), message: message && maskedMessage(message, id) };
    const steps = remembered && maskedSteps(remembered, id);
    if (shown.error === error && shown.message === message && steps === remembered) return record;
    return { ...record, ...shown, ...(steps !== undefined && { remembered: steps }) };
  },
  followed(followed, taskId) {
    if (followed.kind === "snapshot") return { ...followed, record: masking.record(followed.record) };
    return { ...followed, event: maskedEvent(followed.event, taskId) };
  },
};

function maskedEvent(event: TaskEvent, taskId: string): TaskEvent {
  // What a step returned is often what a service answered, which the tool's output may not show.
  if (event.type === "step") return { ...event, value: "…" };
  if (event.type === "refused") return { ...event, message: maskedMessage(event.message, taskId) };
  if (!("error" in event) || event.error === undefined) return event;
  const error = maskedFailure(event.error, taskId);
  if (event.type !== "log") return { ...event, error, ...("stack" in event && { stack: undefined }) };
  if (error === event.error) return event;
  return { ...event, error, data: String(event.data).replace(event.error.message, () => error.message) };
}

function maskedSteps(remembered: TaskRecord["remembered"], taskId: string): TaskRecord["remembered"] {
  const entries = Object.entries(remembered);
  if (!entries.some(([, entry]) => "error" in entry)) return remembered;
  const masked = (entry: Remembered): Remembered =>
    "error" in entry ? { ...entry, error: maskedFailure(entry.error, taskId) } : entry;
  return Object.fromEntries(entries.map(([key, entry]) => [key, masked(entry)]));
}

/** Only what a tool's code threw, and what quotes it, has one of these codes. */
function maskedFailure(failure: TaskFailure, taskId: string): TaskFailure {
  const isOfTool =
    ["TOOL_FAILED", "STEP_FAILED", "CHILD_FAILED"].includes(failure.code) || readRpcCode(failure) !== undefined;
  if (!isOfTool || failure.forCaller === true) return failure;
  return { ...failure, message: `The tool failed. The server's log says why, under ${taskId}.` };
}

/** Why code cannot read a task may be what the tool's migration threw. */
function maskedMessage(message: string, taskId: string): string {
  if (!message.startsWith(waitsForCode)) return message;
  return `${waitsForCode}. The server's store says more, under ${taskId}.`;
}
