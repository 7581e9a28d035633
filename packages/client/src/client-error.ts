/** What can go wrong, as a closed list: programs branch on these, people read the message. */
export type ClientErrorCode =
  | "SERVER_UNREACHABLE"
  | "NOT_AN_MCP_SERVER"
  | "SERVER_UNTRUSTED"
  | "UNAUTHORIZED"
  | "SIGN_IN_FAILED"
  | "CONNECTION_LOST"
  | "SERVER_REFUSED"
  | "UNKNOWN_SERVER"
  | "INVALID_SERVER"
  | "UNKNOWN_TOOL"
  | "TASK_NOT_FOUND"
  | "TASK_REFUSED"
  | "NOT_RESUMABLE"
  | "MALFORMED_ANSWER"
  | "STATE_FOREIGN"
  | "STATE_UNREADABLE"
  | "STATE_LOCKED"
  | "ABORTED"
  | "CLIENT_CLOSED";

const brand = Symbol.for("@resumable-mcp/client-error");

/** The one error that this package throws: a code for programs, a sentence that says what to do next for people. */
export class ClientError extends Error {
  override readonly name = "ClientError";
  readonly code: ClientErrorCode;
  /** What the server called the failure, where it was the server that refused. */
  readonly reason?: string;

  constructor(code: ClientErrorCode, message: string, options: { cause?: unknown; reason?: string } = {}) {
    super(message, options.cause === undefined ? {} : { cause: options.cause });
    this.code = code;
    if (options.reason !== undefined) this.reason = options.reason;
    Object.defineProperty(this, brand, { value: true });
  }
}

/** Tells whether something thrown is a {@link ClientError}, also one of another loaded copy of this package. */
export function isClientError(error: unknown): error is ClientError {
  return typeof error === "object" && error !== null && brand in error;
}
