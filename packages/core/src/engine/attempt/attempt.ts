import type { EngineLimits } from "../../limits.js";
import type { Lease, Observer, Store } from "../../store/store.js";
import type { TaskRecord } from "../../task/task-record.js";
import type { JsonSchemaValidator } from "../../tool/schema.js";
import type { TaskContext, Tool } from "../../tool/tool.js";
import type { Clock, DueTimes } from "../clock.js";
import type { AttemptControl } from "./attempt-control.js";
import type { AttemptLog, JournalWriter } from "./journal-writer.js";

/** What one attempt needs. */
export interface AttemptOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly dueTimes: DueTimes;
  readonly lease: Lease;
  /** After the commit of `attempt_started`. */
  readonly record: TaskRecord;
  readonly tool: Tool;
  readonly limits: EngineLimits;
  readonly validate: JsonSchemaValidator;
  /** Never throws. */
  readonly observer: Observer;
  /** Called once, at the attempt's first progress. */
  readonly onProgressed: () => void;
  /** Hears whether the attempt does nothing but wait in place. */
  readonly onWaiting: (waiting: boolean) => void;
  /** Whether one more attempt may wait in place. */
  readonly mayWaitInPlace: () => boolean;
}

/** An attempt that runs. */
export interface Attempt {
  /** Resolves when the attempt is over and nothing more will be written by it. Never rejects. */
  readonly ended: Promise<AttemptEnd>;
  /** Looks for signals that others left. */
  look(): void;
  /** Stops at the next checkpoint, at once after the grace time. */
  drain(graceMs: number): void;
}

/** How an attempt ended; the journal has what it wrote. */
export interface AttemptEnd {
  /** The error of the store that broke it. */
  readonly broken?: { readonly error: unknown };
}

/** The parts of an attempt that its tool meets. */
export interface AttemptParts {
  readonly control: AttemptControl;
  readonly journal: JournalWriter;
  readonly verbs: TaskVerbs;
  readonly log: AttemptLog;
}

/** `step`, `ask` and `sleep` of one attempt, and what its runner needs to know of them. */
export interface TaskVerbs extends Pick<TaskContext<unknown, unknown>, "step" | "ask" | "sleep"> {
  /** Wakes the question that waits in place for this key. */
  answered(key: string): void;
  /** When the earliest of the waits that ended the attempt is over; `undefined`: when an answer comes. */
  readonly waitsUntilMs: number | undefined;
}
