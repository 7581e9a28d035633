import { type InterruptReason, isTaskInterrupted, ResumableError } from "../errors.js";
import { copyJson, jsonBytes } from "../json.js";
import type { engineDefaults } from "../limits.js";
import { checkValue, type JsonSchemaValidator } from "../schema.js";
import type { Lease, Observer, Signal, Store } from "../store.js";
import { isFinalEvent, type TaskEventBody } from "../task-event.js";
import type { TaskRecord } from "../task-record.js";
import { desiredOf } from "../task-rules.js";
import type { Tool } from "../tool.js";
import { type AttemptControl, createAttemptControl } from "./attempt-control.js";
import { createAttemptLog } from "./attempt-log.js";
import { checkCheckpoint, checkLimit, invalidValue, limitsOf } from "./check-checkpoint.js";
import { createTaskContext } from "./create-task-context.js";
import type { Clock } from "./engine.js";
import { createJournalWriter, type JournalWriter } from "./journal-writer.js";
import { failureOf, retryDelay } from "./retry-delay.js";
import { createVerbs, type Verbs } from "./task-verbs.js";

/** What one attempt needs. */
export interface AttemptOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly lease: Lease;
  /** After the commit of `attempt_started`. */
  readonly record: TaskRecord;
  /** The version of the tool that ran the attempt before. */
  readonly previousVersion: string;
  readonly tool: Tool;
  readonly limits: typeof engineDefaults;
  readonly validate: JsonSchemaValidator | undefined;
  readonly observer: Observer | undefined;
  /** Called once, at the attempt's first progress. */
  readonly onProgressed: () => void;
}

/** An attempt that runs. */
export interface Attempt {
  /** Resolves when the attempt is over and nothing more will be written by it: with the error that broke it, if any. */
  readonly ended: Promise<{ readonly broken?: unknown }>;
  /** Looks for signals that others left. */
  look(): void;
  /** Stops at the next checkpoint, at once after the grace time. */
  drain(graceMs: number): void;
}

/** Runs a tool from the task's last checkpoint until it returns, throws, or has to stop. */
export function runAttempt(options: AttemptOptions): Attempt {
  const { store, clock, lease, tool, limits, observer } = options;
  const control = createAttemptControl(clock);
  const log = createAttemptLog(limitsOf(tool.limits));
  const seen = new Set<string>();
  let wish: "run" | "pause" = "run";
  let hinted = false;
  let progressed = false;
  const journal = createJournalWriter({
    store,
    lease,
    clock,
    record: options.record,
    takeRiders: log.take,
    onBroken: () => control.abort("lease_lost", 0),
    onSignals: (signals) => {
      hinted = false;
      stall.touch();
      if (!progressed && journal.record.progressed) {
        progressed = true;
        options.onProgressed();
      }
      obey(signals);
    },
  });
  const verbs = createVerbs({
    tool,
    journal,
    control,
    clock,
    validate: options.validate,
    waitInPlaceMs: limits.waitInPlaceMs,
    graceMs: limits.graceMs,
  });
  const stall = startTimeouts(tool, control, clock, limits.graceMs);

  /** Carries out what others wish; each signal once. */
  const obey = (signals: readonly Signal[]): void => {
    wish = desiredOf({ record: journal.record, signals, leased: true });
    for (const signal of signals) {
      if (seen.has(signal.id)) continue;
      seen.add(signal.id);
      if (signal.kind === "cancel") control.abort("cancel", limits.graceMs);
      if (signal.kind === "hand_over") settle(journal.commit([{ type: "handed_over" }], [signal.id]));
      if (signal.kind === "answer") settle(takeAnswer(signal, journal, verbs));
    }
    if (wish === "pause") control.want("pause", limits.graceMs);
    else control.unwant("pause");
  };
  /** A failed commit already ended the attempt through `onBroken`. */
  const settle = (done: Promise<void>): void => void done.catch(() => {});

  let looking = false;
  const look = (): void => {
    if (looking) return;
    looking = true;
    hinted = false;
    store
      .getTask(lease.taskId)
      .then((snapshot) => obey(snapshot?.signals ?? []))
      .catch(() => {}) // The next commit meets the same trouble, and handles it.
      .finally(() => {
        looking = false;
      });
  };
  /** Every commit brings the signals along, so a hint needs a look only where no commit follows it. */
  const unwatch = store.watch(lease.taskId, () => {
    if (hinted) return;
    hinted = true;
    clock.after(limits.hintDelayMs, () => {
      if (hinted) look();
    });
  });

  const run = async (): Promise<{ broken?: unknown }> => {
    observer?.("engine.attempt.started", lease.taskId);
    const last = await execute(options, { control, journal, verbs, log });
    try {
      if (journal.broken === undefined) await journal.commit(withWish(last(journal.record), wish), [...seen]);
      observer?.("engine.attempt.ended", lease.taskId);
    } catch {
      // Reported below: the writer remembers what broke it.
    }
    journal.close();
    unwatch();
    stall.dispose();
    control.dispose();
    return journal.broken === undefined ? {} : { broken: journal.broken };
  };

  look();
  return { ended: run(), look, drain: (graceMs) => control.want("drain", graceMs) };
}

interface AttemptParts {
  readonly control: AttemptControl;
  readonly journal: JournalWriter;
  readonly verbs: Verbs;
  readonly log: ReturnType<typeof createAttemptLog>;
}

/** The events that end an attempt, given the record as it then is. */
type LastEvents = (record: TaskRecord) => readonly TaskEventBody[];

async function execute(options: AttemptOptions, parts: AttemptParts): Promise<LastEvents> {
  const { control, verbs } = parts;
  try {
    const output = await Promise.race([drive(options, parts), control.abandoned]);
    if (output === stopped) return endOf(control.wanted ?? control.aborted ?? "drain", options, verbs);
    if (control.aborted === "cancel") return endOf("cancel", options, verbs);
    return () => [output];
  } catch (error) {
    const reason = control.aborted ?? (isTaskInterrupted(error) ? error.reason : undefined);
    if (reason !== undefined && reason !== "timeout") return endOf(reason, options, verbs);
    const cause = reason === "timeout" ? timeoutError(options) : error;
    return (record) => [failed(cause, record, options)];
  }
}

const stopped = Symbol("stopped");

/** Pulls the tool from checkpoint to checkpoint. */
async function drive(options: AttemptOptions, parts: AttemptParts): Promise<TaskEventBody | typeof stopped> {
  const { tool, observer, lease, validate } = options;
  const { control, journal } = parts;
  const input = await parseInput(options);
  const context = await createTaskContext(options, parts);
  const running = tool.run(input, context);
  if (!(Symbol.asyncIterator in running)) return completed(await running, options);
  for (;;) {
    const next = await running.next();
    if (next.done === true) return completed(next.value, options);
    if (control.aborted === undefined) {
      const event = await checkCheckpoint(next.value, tool, journal.record, validate).catch(async (error: unknown) => {
        await leave(running);
        throw error;
      });
      observer?.("engine.checkpoint.before", lease.taskId);
      await journal.commit([event]);
      observer?.("engine.checkpoint.after", lease.taskId);
    }
    if (control.wanted === undefined && control.aborted === undefined) continue;
    if (control.aborted === undefined && control.wanted !== undefined) {
      control.abort(control.wanted, options.limits.graceMs);
    }
    await leave(running);
    return stopped;
  }
}

/** Lets `finally` blocks run; what they yield is ignored. */
async function leave(running: AsyncGenerator<unknown, unknown, void>): Promise<void> {
  const maxYieldsInFinally = 1_000;
  let result = await running.return(undefined);
  for (let count = 0; result.done !== true && count < maxYieldsInFinally; count++) result = await running.next();
}

async function parseInput({ tool, record, validate }: AttemptOptions): Promise<unknown> {
  const checked = await checkValue(tool.input, record.input, validate);
  if (checked.problems !== undefined) {
    throw new ResumableError(
      "VERSION_MISMATCH",
      `The input of the task no longer fits ${tool.name}: ${checked.problems.join("; ")}. Call the tool again.`,
      { details: { taskId: record.id, from: record.toolVersion, to: tool.version } },
    );
  }
  return checked.value;
}

async function completed(returned: unknown, { tool, validate }: AttemptOptions): Promise<TaskEventBody> {
  const checked = tool.output === undefined ? { value: returned } : await checkValue(tool.output, returned, validate);
  if (checked.problems !== undefined) throw invalidValue(`The output of ${tool.name}`, checked.problems);
  const output = copyJson(checked.value ?? null, "output");
  checkLimit("maxOutputBytes", jsonBytes(output), limitsOf(tool.limits).maxOutputBytes);
  return { type: "completed", output };
}

function failed(error: unknown, record: TaskRecord, { tool, clock }: AttemptOptions): TaskEventBody {
  const delayMs = retryDelay(error, record.failures, tool.retry);
  if (delayMs === undefined) return { type: "failed", error: failureOf(error) };
  const runnableAt = new Date(clock.wallMs() + delayMs).toISOString();
  return { type: "attempt_ended", reason: "retry", runnableAt, error: failureOf(error) };
}

function endOf(reason: InterruptReason, { clock }: AttemptOptions, verbs: Verbs): LastEvents {
  switch (reason) {
    case "cancel":
      return () => [{ type: "cancelled" }];
    case "pause":
      return () => [{ type: "attempt_ended", reason: "paused" }];
    case "waiting": {
      const until = verbs.waitsUntil;
      return () => [
        { type: "attempt_ended", reason: "waiting", ...(until === undefined ? {} : { runnableAt: until }) },
      ];
    }
    case "drain":
      return () => [{ type: "attempt_ended", reason: "drained", runnableAt: new Date(clock.wallMs()).toISOString() }];
    case "lease_lost":
    case "timeout":
      return () => [{ type: "attempt_ended", reason: "interrupted" }];
  }
}

/** A wish to pause outlives an attempt that ended for another reason. */
function withWish(events: readonly TaskEventBody[], wish: "run" | "pause"): readonly TaskEventBody[] {
  if (wish === "run" || events.some(isFinalEvent)) return events;
  return [{ type: "desired", desired: "pause" }, ...events];
}

async function takeAnswer(
  signal: Extract<Signal, { kind: "answer" }>,
  journal: JournalWriter,
  verbs: Verbs,
): Promise<void> {
  const open = journal.record.remembered[signal.key]?.kind === "question";
  await journal.commit(open ? [{ type: "answered", key: signal.key, answer: signal.answer }] : [], [signal.id]);
  verbs.answered(signal.key);
}

function timeoutError({ tool, record }: AttemptOptions): ResumableError {
  const ms = tool.attemptTimeoutMs ?? tool.stallTimeoutMs ?? 0;
  const limit = tool.attemptTimeoutMs === undefined ? "stallTimeoutMs" : "attemptTimeoutMs";
  return new ResumableError(
    "ATTEMPT_TIMEOUT",
    `${tool.name} was stopped by ${limit} (${ms} ms). It goes on from its last checkpoint when resume_task is called.`,
    { details: { taskId: record.id, limit, ms } },
  );
}

/** Timers of the attempt as a whole and of the time since its last commit. */
function startTimeouts(
  tool: Tool,
  control: AttemptControl,
  clock: Clock,
  graceMs: number,
): { readonly touch: () => void; readonly dispose: () => void } {
  const abort = (): void => control.abort("timeout", graceMs);
  const { attemptTimeoutMs, stallTimeoutMs } = tool;
  const stopAttempt = attemptTimeoutMs === undefined ? () => {} : clock.after(attemptTimeoutMs, abort);
  let stopStall = () => {};
  const touch = (): void => {
    stopStall();
    if (stallTimeoutMs !== undefined) stopStall = clock.after(stallTimeoutMs, abort);
  };
  touch();
  return {
    touch,
    dispose() {
      stopAttempt();
      stopStall();
    },
  };
}
