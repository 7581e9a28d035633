import type { Duration } from "./duration.js";

/** Every error code of the toolkit, with the details that an error of that code carries. */
export interface ErrorDetails {
  /** A value is not JSON. */
  NOT_JSON: { what: string; path: string };
  /** Input, output, state, item or answer does not fit its schema. */
  INVALID_VALUE: { what: string; problems: readonly string[] };
  /** An option of the toolkit itself is wrong. */
  INVALID_OPTION: { option: string };
  /** No tool of that name is known here. */
  UNKNOWN_TOOL: { tool: string; known: readonly string[] };
  /** Two tools share one name. */
  TOOL_NAME_TAKEN: { tool: string };
  /** The task does not exist, or it belongs to another owner: callers cannot tell which. */
  TASK_NOT_FOUND: { taskId: string };
  /** The task's status does not allow what was asked. */
  ILLEGAL_TRANSITION: { taskId: string; status: string; wanted: string };
  /** A checkpoint's progress is lower than one that was already committed. */
  PROGRESS_WENT_BACK: { taskId: string; from: number; to: number };
  /** All attempts that the `retry` of a step, or of the item at `index` of a map, allows have failed. */
  STEP_FAILED: { taskId: string; key: string; attempts: number; index?: number };
  /** The items of a map are not those of an earlier attempt. */
  MAP_ITEMS_CHANGED: { taskId: string; key: string; items: number };
  /** A task that another one called has failed or was cancelled. `code`: why it failed. */
  CHILD_FAILED: { taskId: string; key: string; tool: string; code: string };
  /** One attempt used a step key twice. */
  STEP_KEY_REUSED: { taskId: string; key: string };
  /** A limit with a name was reached. */
  LIMIT_EXCEEDED: { limit: string; value: number; allowed: number };
  /** A journal or a store holds as much as it may. */
  QUOTA_EXCEEDED: { quota: string; limit: number; used: number; taskId?: string };
  /** The lease is no longer the newest: nothing that this writer commits counts any more. */
  LEASE_LOST: { taskId: string; epoch: number };
  /** The journal is not where the writer believed it to be. */
  SEQ_CONFLICT: { taskId: string; expected: number; actual: number };
  /** Another unfinished task has the same deduplication key. */
  KEY_TAKEN: { taskId: string; otherTaskId: string };
  /** The question already has an answer. */
  ALREADY_ANSWERED: { taskId: string; key: string };
  /** No such question is open. */
  UNKNOWN_QUESTION: { taskId: string; key: string };
  /** The task has no artifact of that name. */
  UNKNOWN_ARTIFACT: { taskId: string; name: string };
  /** The process died again and again without a checkpoint. */
  CRASH_LOOP: { taskId: string; crashes: number };
  /** A tool without checkpoints was running when the process died. */
  OUTCOME_UNKNOWN: { tool: string };
  /** A wrapped server is away: its tool was not called. */
  UPSTREAM_AWAY: { tool: string };
  /** The call of a wrapped server's tool needs headers of its caller, which did not come back. */
  CALLER_AWAY: { tool: string };
  /** The task was begun by a version of the tool that this one cannot continue. */
  VERSION_MISMATCH: { taskId: string; from: string; to: string };
  /** The tool itself failed. */
  TOOL_FAILED: { tool: string };
  /** An attempt of a task or step took longer than allowed, or made no checkpoint for too long. */
  ATTEMPT_TIMEOUT: { taskId: string; limit: string; ms: number };
  /** The call says neither who is calling nor by which session. */
  NO_OWNER: Record<string, never>;
  /** The caller's token lacks scopes that the tool requires. */
  INSUFFICIENT_SCOPE: { tool: string; missing: readonly string[] };
  /** A file of the task cannot be read; it was set aside and nothing was overwritten. `owner`: whose it is, where that can be read. */
  TASK_CORRUPT: { taskId: string; path: string; owner?: string | undefined };
  /** The store could not be written: disk full, permission, I/O error. */
  STORE_WRITE_FAILED: { path: string; reason: string };
  /** The store could not be read. */
  STORE_READ_FAILED: { path: string; reason: string };
  /** The store's folder was written by a layout that this version does not know. */
  STORE_LAYOUT: { path: string; found: string; supported: string };
  /** The store implements another version of the store contract than the engine needs. */
  STORE_CONTRACT: { found: string; supported: string };
  /** The store's folder is not there, is no longer there, or another one is in its place. */
  STORE_MISSING: { path: string; reason: string };
  /** The store is encrypted, and it is used without its keys. */
  STORE_ENCRYPTED: Record<string, never>;
  /** A keyring was given for a store whose contents are not encrypted. */
  STORE_NOT_ENCRYPTED: { tasks: number };
  /** What the store holds was sealed under a key that the keyring does not have. Nothing was changed. */
  KEY_MISSING: { keyId: string };
  /** A task of this id is there already, and it is another one. */
  TASK_EXISTS: { taskId: string };
  /** An exported file is damaged, was cut short, is of another version, or holds what no store writes. */
  EXPORT_INVALID: { line: number; reason: string };
  /** The store was closed. */
  STORE_CLOSED: Record<string, never>;
  /** A document of the store has another version than the one that a change is based on. */
  DOCUMENT_CONFLICT: { kind: string; id: string };
  /**
   * A document of the store does not have the form that this version knows; or it does not open in an encrypted store: it was
   * changed, or belongs to another place. It stays as it is.
   */
  DOCUMENT_UNREADABLE: { kind: string; id: string };
  /** The engine is draining or closed and takes no new work. */
  DRAINING: Record<string, never>;
  /** A request that is for operators alone came from another caller. */
  FORBIDDEN: Record<string, never>;
  /** A model answered a question that is for its user alone. */
  USER_ONLY: Record<string, never>;
  /** The task of the call was cancelled. */
  CANCELLED: Record<string, never>;
  /** The server failed, with an error that is not one of these. */
  INTERNAL: Record<string, never>;
}

/** A code out of the closed table of errors. */
export type ErrorCode = keyof ErrorDetails;

const brand: unique symbol = Symbol.for("resumable-mcp.error") as never;
const retryBrand: unique symbol = Symbol.for("resumable-mcp.retryable") as never;
const callerBrand: unique symbol = Symbol.for("resumable-mcp.for-caller") as never;
const terminalBrand: unique symbol = Symbol.for("resumable-mcp.terminal") as never;
const interruptedBrand: unique symbol = Symbol.for("resumable-mcp.interrupted") as never;

function isBranded(error: unknown, mark: symbol): error is object {
  return typeof error === "object" && error !== null && mark in error;
}

function causeOf({ cause }: { cause?: unknown }): ErrorOptions | undefined {
  return cause === undefined ? undefined : { cause };
}

/** An error of the toolkit: a code, a sentence that says what to do next, and typed details. */
export class ResumableError<Code extends ErrorCode = ErrorCode> extends Error {
  override readonly name = "ResumableError";
  readonly code: Code;
  readonly details: ErrorDetails[Code];
  readonly [brand] = true;

  constructor(code: Code, message: string, options: { details: ErrorDetails[Code]; cause?: unknown }) {
    super(message, causeOf(options));
    this.code = code;
    this.details = options.details;
  }
}

/** Makes the error for a value that does not fit its schema. */
export function invalidValue(what: string, problems: readonly string[]): ResumableError<"INVALID_VALUE"> {
  // An author's own sentence may have its full stop.
  const said = problems.slice(0, 10).join("; ").replace(/\.?$/, ".");
  return new ResumableError("INVALID_VALUE", `${what} is not valid: ${said}`, {
    details: { what, problems },
  });
}

/**
 * Thrown by a tool to say something to its caller. Where what tools throw is hidden from callers (`maskErrors`), this message is
 * shown all the same: it must name no secret of the server.
 */
export class ToolError extends Error {
  override readonly name = "ToolError";
  readonly [callerBrand] = true;

  constructor(message: string, options: { cause?: unknown } = {}) {
    super(message, causeOf(options));
  }
}

/** Thrown by a tool to ask for another attempt, whatever its retry policy says about other errors. */
export class RetryableError extends Error {
  override readonly name = "RetryableError";
  /** How long to wait before the next attempt; the retry policy decides when absent. */
  readonly delay: Duration | undefined;
  readonly [retryBrand] = true;
  readonly [callerBrand]: boolean;

  /** @param options.forCaller the message is for the caller, as that of a {@link ToolError}. */
  constructor(message: string, options: { delay?: Duration; forCaller?: boolean; cause?: unknown } = {}) {
    super(message, causeOf(options));
    this.delay = options.delay;
    this[callerBrand] = options.forCaller === true;
  }
}

/** Thrown by a tool to say that another attempt would be useless. */
export class TerminalError extends Error {
  override readonly name = "TerminalError";
  readonly [terminalBrand] = true;
  readonly [callerBrand]: boolean;

  /** @param options.forCaller the message is for the caller, as that of a {@link ToolError}. */
  constructor(message: string, options: { forCaller?: boolean; cause?: unknown } = {}) {
    super(message, causeOf(options));
    this[callerBrand] = options.forCaller === true;
  }
}

/** Why an attempt was asked to stop. `turn`: another owner gets its slot, and the task continues later. */
export type InterruptReason = "pause" | "cancel" | "drain" | "turn" | "lease_lost" | "waiting" | "timeout";

/** What pending verbs of a tool reject with, and what `task.signal` carries, when an attempt has to stop. */
export class TaskInterrupted extends Error {
  override readonly name = "TaskInterrupted";
  readonly reason: InterruptReason;
  readonly [interruptedBrand] = true;

  constructor(reason: InterruptReason) {
    super(`The attempt stops: ${reason}. Do not catch this error: the engine handles it.`);
    this.reason = reason;
  }
}

/** Tells whether a value is a {@link ResumableError}, of one of these codes if any is given, also one of another loaded copy of this package. */
export function isResumableError<Code extends ErrorCode = ErrorCode>(
  error: unknown,
  ...codes: readonly Code[]
): error is ResumableError<Code> {
  if (!isBranded(error, brand)) return false;
  return codes.length === 0 || ("code" in error && codes.some((code) => code === error.code));
}

/** Tells whether an error is a {@link RetryableError} of any loaded copy. */
export const isRetryableError = (error: unknown): error is RetryableError => isBranded(error, retryBrand);
/** Tells whether an error is a {@link TerminalError} of any loaded copy. */
export const isTerminalError = (error: unknown): error is TerminalError => isBranded(error, terminalBrand);
/** Tells whether the author of an error says that its message is for the caller. */
export const isForCaller = (error: unknown): boolean =>
  isBranded(error, callerBrand) && Reflect.get(error, callerBrand) === true;
/** Tells whether an error is a {@link TaskInterrupted} of any loaded copy. */
export const isTaskInterrupted = (error: unknown): error is TaskInterrupted => isBranded(error, interruptedBrand);
