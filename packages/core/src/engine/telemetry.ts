import type { Store } from "../store/store.js";
import type { TraceContext } from "../task/task-event.js";

/** One attempt, as traces show it. Nothing of its input or its owner. */
export interface AttemptFacts {
  readonly taskId: string;
  /** The name in the tool's definition. */
  readonly tool: string;
  readonly toolVersion: string;
  /** 1 for the first attempt of the task. */
  readonly attempt: number;
  /** Attempts in a row before this one that died with their process, without progress. */
  readonly crashes: number;
  /** The trace of the call that made the task. */
  readonly trace?: TraceContext | undefined;
}

/**
 * How an attempt ended: `completed`, `failed` and `cancelled` end the task; `refused`: the tool cannot read the task's state;
 * `lease_lost`, `store_failed`: its end could not be written; `crashed`: its process died, which the next one notices.
 */
export type AttemptEnd =
  | "completed"
  | "failed"
  | "cancelled"
  | "paused"
  | "drained"
  | "yielded"
  | "waiting"
  | "retry"
  | "interrupted"
  | "refused"
  | "lease_lost"
  | "store_failed"
  | "crashed";

/** Hears of an engine's work, for traces and metrics. Its methods return at once, and never throw. */
export interface EngineTelemetry {
  /** Gives the store as the engine is to use it, so that its operations can be measured. */
  observeStore(store: Store): Store;
  /** Hears that an engine looks for work; what it returns is called when the engine closes. */
  opened(store: Store): () => void;
  /** Runs one attempt, once: what traces the tool's own code finds the attempt active. Resolves and rejects as `run` does. */
  traceAttempt(attempt: AttemptFacts, run: () => Promise<AttemptEnd>): Promise<AttemptEnd>;
  /** Hears that this process found an attempt whose process died, and continues its task. */
  tookOver(tool: string): void;
  /** Hears how long a checkpoint took, from the tool's `yield` to the durable commit, in milliseconds. */
  checkpointed(tool: string, durationMs: number): void;
  /** Hears how long a task waited for a slot, in milliseconds. */
  leftQueue(tool: string, waitedMs: number): void;
  /** Hears that a lease was lost while an attempt ran, or when it was to begin. */
  lostLease(): void;
}

/** Measures nothing. */
export const silentTelemetry: EngineTelemetry = {
  observeStore: (store) => store,
  opened: () => () => {},
  traceAttempt: (_attempt, run) => run(),
  tookOver() {},
  checkpointed() {},
  leftQueue() {},
  lostLease() {},
};
