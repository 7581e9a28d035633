import { type ClientError, isClientError, type TaskResult } from "@resumable-mcp/client";
import type { Interrupt } from "./command.js";
import { exitCodes, UsageError } from "./exit-codes.js";

// Parsing a command line and drawing the first frame need no client, so these two are in a file of their own.
export { exitCodes, UsageError };

const byError: Readonly<Record<ClientError["code"], number>> = {
  SERVER_UNREACHABLE: exitCodes.unreachable,
  NOT_AN_MCP_SERVER: exitCodes.unreachable,
  SERVER_UNTRUSTED: exitCodes.unreachable,
  UNAUTHORIZED: exitCodes.unreachable,
  SIGN_IN_FAILED: exitCodes.unreachable,
  CONNECTION_LOST: exitCodes.unreachable,
  SERVER_REFUSED: exitCodes.failed,
  UNKNOWN_SERVER: exitCodes.notFound,
  INVALID_SERVER: exitCodes.usage,
  UNKNOWN_TOOL: exitCodes.notFound,
  TASK_NOT_FOUND: exitCodes.notFound,
  TASK_REFUSED: exitCodes.failed,
  NOT_RESUMABLE: exitCodes.failed,
  MALFORMED_ANSWER: exitCodes.failed,
  STATE_FOREIGN: exitCodes.state,
  STATE_UNREADABLE: exitCodes.state,
  STATE_LOCKED: exitCodes.state,
  ABORTED: exitCodes.failed,
  CLIENT_CLOSED: exitCodes.failed,
};

/** The exit code for a signal. */
export function exitCodeOfInterrupt(interrupt: Interrupt): number {
  return { SIGINT: exitCodes.interrupted, SIGTERM: exitCodes.terminated, SIGHUP: exitCodes.hungUp }[interrupt];
}

/** The time that `--timeout` gave is over. */
export class TimeOverError extends Error {
  override readonly name = "TimeOverError";
}

/** The exit code for something thrown. */
export function exitCodeOfError(error: unknown): number {
  if (error instanceof TimeOverError) return exitCodes.unfinished;
  if (error instanceof UsageError) return exitCodes.usage;
  return isClientError(error) ? byError[error.code] : exitCodes.failed;
}

/** The exit code for the end of a task. */
export function exitCodeOfResult(result: TaskResult): number {
  if (result.status === "cancelled") return exitCodes.cancelled;
  return result.isError || result.status === "failed" ? exitCodes.failed : exitCodes.ok;
}
