import { type ClientError, isClientError, type TaskResult } from "@resumable-mcp/client";
import type { Interrupt } from "./interrupts.js";

/** The exit codes of the program; they are part of its interface and do not change. */
export const exitCodes = {
  ok: 0,
  /** The tool failed, or the server refused what was asked. */
  failed: 1,
  /** The command line is wrong, or there is no terminal to draw on. */
  usage: 2,
  /** No server answers, or it is no MCP server, or it refuses this client. */
  unreachable: 3,
  /** There is no such task, tool or server. */
  notFound: 4,
  /** The task is paused: it goes on when it is resumed. */
  paused: 5,
  /** The task waits for an answer. */
  inputRequired: 6,
  /** The task goes on, but the time given by --timeout is over, or it was asked for a result that is not there yet. */
  unfinished: 7,
  cancelled: 8,
  /** The state file cannot be used. */
  state: 9,
  /** SIGHUP: the terminal was closed. */
  hungUp: 129,
  /** Ctrl-C. */
  interrupted: 130,
  /** SIGTERM. */
  terminated: 143,
} as const;

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
  STREAM_LOST: exitCodes.failed,
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

/** A command line that cannot be carried out: the message says what is wrong with it. */
export class UsageError extends Error {
  override readonly name = "UsageError";
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
