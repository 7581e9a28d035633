/** Every limit of the client, with its unit. All of them can be given to `openClient`. */
export interface ClientLimits {
  /** Attempts to reach a server that has not answered this client yet. */
  readonly firstConnectAttempts: number;
  /** Attempts in a row to reach a server that was there before. */
  readonly reconnectAttempts: number;
  readonly reconnectInitialDelayMs: number;
  readonly reconnectMaxDelayMs: number;
  /** How long one `wait_for_task` may wait on the server; the contract allows 45. */
  readonly waitSeconds: number;
  /** How long a request other than a wait or a plain call may take. */
  readonly requestTimeoutMs: number;
  /** How long a call to a server without tasks may take, from one sign of life to the next. */
  readonly plainCallTimeoutMs: number;
  /** Pause before the next poll after one that brought nothing, doubled up to the second value. */
  readonly idlePollDelayMs: number;
  readonly idlePollMaxDelayMs: number;
  /** Events that one reader may be behind; beyond it progress is merged and logs are dropped. */
  readonly maxQueuedEvents: number;
  /** Least time between two writes of progress to the state file. */
  readonly saveProgressMs: number;
  /** Bytes of one server-sent event, and of a response that is not a stream of them. */
  readonly maxEventBytes: number;
  /** How long a sign-in waits for the user to come back from the browser. */
  readonly signInTimeoutMs: number;
  /** Pages read of one list. */
  readonly maxPages: number;
}

/** The values that apply where `openClient` is given none. */
export const defaultLimits: ClientLimits = {
  firstConnectAttempts: 1,
  reconnectAttempts: 100,
  reconnectInitialDelayMs: 250,
  reconnectMaxDelayMs: 10_000,
  waitSeconds: 30,
  requestTimeoutMs: 30_000,
  plainCallTimeoutMs: 300_000,
  idlePollDelayMs: 250,
  idlePollMaxDelayMs: 2_000,
  maxQueuedEvents: 1_000,
  saveProgressMs: 1_000,
  maxEventBytes: 16 * 1024 * 1024,
  signInTimeoutMs: 300_000,
  maxPages: 1_000,
};
