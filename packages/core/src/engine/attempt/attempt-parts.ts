import type { TaskLimitValues } from "../../limits.js";
import type { Lease } from "../../store/store.js";
import type { TaskEventBody } from "../../task/task-event.js";
import type { Remembered, TaskRecord } from "../../task/task-record.js";
import type { Tool } from "../../tool/tool.js";
import type { Environment } from "../environment.js";
import type { Exclusive } from "../exclusive.js";
import type { AttemptControl } from "./attempt-control.js";
import type { JournalWriter } from "./journal-writer.js";

/** What one attempt needs. */
export interface AttemptOptions extends Environment {
  readonly lease: Lease;
  /** After the commit of `attempt_started`. */
  readonly record: TaskRecord;
  readonly tool: Tool;
  /** Before the attempt. */
  readonly before: Pick<TaskRecord, "toolVersion" | "stateShape">;
  /** Runs a task that the tool called, here if there is a slot. */
  readonly runChild: (child: TaskRecord) => void;
  /** Begins a new generation of a failed task that the tool called. */
  readonly continueChild: (taskId: string) => Promise<void>;
  /** Called with each commit from the first progress of the attempt on. */
  readonly onProgressed: () => void;
  /** Hears whether the attempt does nothing but wait in place. */
  readonly onWaiting: (waiting: boolean) => void;
  /** Whether one more attempt may wait in place. */
  readonly mayWaitInPlace: () => boolean;
  /** Asked after each checkpoint: whether the attempt stops there, so that another owner gets its slot. */
  readonly yields: () => boolean;
}

/** What the parts of an attempt share. */
export interface AttemptParts extends AttemptOptions {
  readonly taskLimits: TaskLimitValues;
  readonly control: AttemptControl;
  readonly journal: JournalWriter;
  readonly checkpoints: Exclusive;
}

/** What all verbs do with their keys. */
export interface VerbKeys {
  /** Runs a verb under its key, with what is remembered under it. @throws {@link ResumableError} `STEP_KEY_REUSED`. */
  using<Result>(
    key: string,
    kinds: readonly Remembered["kind"][],
    run: (entry: Remembered | undefined) => Promise<Result>,
  ): Promise<Result>;
  remember(event: Extract<TaskEventBody, { key: string }>): Promise<void>;
  /** Waits until woken, or until a time; where the wait ends the attempt, the next one begins at `nextMs`. Both are of the wall clock. */
  wait(key: string, untilMs: number, nextMs?: number): Promise<void>;
  wake(key: string): void;
}
