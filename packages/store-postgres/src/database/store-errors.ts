import { isResumableError, ResumableError } from "@resumable-mcp/core";

/** What an operation of the store does as a whole. */
export type OperationKind = "read" | "write";

/** What a server's error asks the operator for, by SQLSTATE or by the beginning of one. Source: PostgreSQL, appendix A. */
const advices: readonly (readonly [state: string, advice: string])[] = [
  ["28", "Check user and password: the connection string, PGUSER, PGPASSWORD or PGPASSFILE."],
  ["42501", "Grant the user the rights on the store's schema and its tables, or connect as their owner."],
  ["3D000", "Create the database, or name another one."],
  ["25006", "The server is a standby or read-only: connect to the primary."],
  ["53100", "Make room on the server's disk; unfinished tasks then continue."],
  ["53300", "Raise max_connections of the server, or lower maxConnections and maxWriters of the store."],
  ["53", "The server lacks memory or other resources: give it more, or less work."],
  ["57P", "The server shuts down or starts; the store connects again by itself."],
  ["08", "Check that the server runs; the store connects again by itself."],
  ["XX", "The server reports damaged data: check its log and its disk before anything else."],
];

const missing = new Set(["42P01", "3F000", "42883", "42703"]);

/** Whether the server itself refused a statement: the connection is as good as before. */
export function isServerError(
  error: unknown,
): error is Error & { readonly code: string; readonly constraint?: string } {
  return error instanceof Error && "severity" in error && "code" in error && typeof error.code === "string";
}

/** What the network says of a server that does not run, cannot be reached, or is too busy to answer. */
const awayCodes = new Set(
  "ECONNREFUSED ECONNRESET ENOTFOUND EAI_AGAIN ETIMEDOUT EHOSTUNREACH ENETUNREACH EPIPE".split(" "),
);
/** What the server itself says when it starts, stops, or has no free connection; class 08 is a pooler's that cannot reach it. */
const awayStates = new Set(["57P01", "57P02", "57P03", "53300"]);

/** Whether an error of the store says that its server cannot be reached now: to try again later may help. */
export function isServerAway(error: unknown): boolean {
  const cause = isResumableError(error) ? error.cause : undefined;
  if (!(cause instanceof Error)) return false;
  const code = "code" in cause ? String(cause.code) : "";
  if (isServerError(cause)) return awayStates.has(code) || code.startsWith("08");
  // A socket that is a file; and the driver's own errors, which have no code.
  const isMissingSocket = code === "ENOENT" && "syscall" in cause && cause.syscall === "connect";
  const isAway = /timeout|terminated|not answer|not queryable/.test(cause.message);
  return awayCodes.has(code) || isMissingSocket || (code === "" && isAway);
}

/** Whether a statement would have broken a constraint of this name. */
export function breaksConstraint(error: unknown, constraint: string): boolean {
  const cause = isResumableError(error) ? error.cause : error;
  return isServerError(cause) && cause.code === "23505" && cause.constraint === constraint;
}

/** Turns what the server or the network refused into an error of the store; anything else stays as it is. */
export function storeFailure(error: unknown, kind: OperationKind, place: string): unknown {
  if (isResumableError(error) || !(error instanceof Error)) return error;
  const state = "code" in error && typeof error.code === "string" ? error.code : "";
  if (isServerError(error) && missing.has(state)) return storeMissing(error, place);
  const reason = reasonOf(error, state);
  const verb = kind === "read" ? "read" : "written";
  const code = kind === "read" ? "STORE_READ_FAILED" : "STORE_WRITE_FAILED";
  // The message may reach a caller far away: only the details say where the store is. Neither names a password.
  return new ResumableError(code, `The store could not be ${verb} (${reason}). ${adviceFor(error, state)}`, {
    details: { path: place, reason },
    cause: error,
  });
}

function reasonOf(error: Error, state: string): string {
  if (state === "") return error.message;
  return isServerError(error) ? `${state}: ${error.message}` : state;
}

function adviceFor(error: Error, state: string): string {
  if (!isServerError(error))
    return "Check that the server runs and can be reached; the store connects again by itself.";
  return advices.find(([prefix]) => state.startsWith(prefix))?.[1] ?? "Check the server's log.";
}

/** The server answers, and would refuse every write. */
export function serverReadOnly(path: string): ResumableError {
  const reason = "25006: the server accepts no writes";
  const advice = "The server is a standby or read-only: connect to the primary.";
  return new ResumableError("STORE_WRITE_FAILED", `The store could not be written (${reason}). ${advice}`, {
    details: { path, reason },
  });
}

function storeMissing(cause: Error, path: string): ResumableError {
  const reason = cause.message;
  return new ResumableError(
    "STORE_MISSING",
    `The store's schema is not the one that was opened: ${reason}. Restore it from a backup, or restart the program, which makes what is missing when the whole schema was dropped.`,
    { details: { path, reason }, cause },
  );
}

/** A task's rows do not fold to a record. */
export function taskCorrupt(taskId: string, place: string, cause: unknown, owner?: string): ResumableError {
  return new ResumableError(
    "TASK_CORRUPT",
    `The journal of task ${taskId} is damaged; it is left unchanged. Other tasks are not affected.`,
    { details: { taskId, path: place, ...(owner !== undefined && { owner }) }, cause },
  );
}

/** An option of the store that cannot be used. */
export function invalidOption(option: string, message: string): ResumableError {
  return new ResumableError("INVALID_OPTION", message, { details: { option } });
}

/** The schema has another layout than this version of the package. */
export function storeLayout(path: string, found: string, supported: number, advice: string): ResumableError {
  return new ResumableError(
    "STORE_LAYOUT",
    `The store's schema has layout ${found}, and this version needs layout ${supported}. ${advice}`,
    { details: { path, found, supported: String(supported) } },
  );
}
