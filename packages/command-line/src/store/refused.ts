import { isResumableError } from "@resumable-mcp/core";

/** A task with which a command could not do what it does. */
export interface Refused {
  readonly taskId: string;
  readonly code: string;
  readonly message: string;
}

/** @throws what is wrong with no single task, but with this program. */
export function refusedFor(taskId: string, error: unknown): Refused {
  if (!(error instanceof Error) || !("code" in error)) throw error;
  return { taskId, code: String(error.code), message: messageOf(error) };
}

/** The same for people, in a line. */
export function formatRefused({ taskId, code, message }: Refused): string {
  return `${code === "TASK_CORRUPT" ? "damaged" : "refused"}  ${taskId}  ${code}: ${message}`;
}

/** What an error says, with what an operator does next. */
export function messageOf(error: unknown): string {
  const next = isResumableError(error, "TASK_NOT_FOUND") ? " tasks --all lists what is there." : "";
  return `${error instanceof Error ? error.message : String(error)}${next}`;
}
