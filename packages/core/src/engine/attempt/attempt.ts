import { isResumableError } from "../../errors.js";
import { type TaskLimitValues, taskDefaults, withDefaults } from "../../limits.js";
import type { TaskEventBody } from "../../task/task-event.js";
import { findEntry, type Signal, type TaskRecord } from "../../task/task-record.js";
import { readDesiredState } from "../../task/task-rules.js";
import { Exclusive } from "../exclusive.js";
import { canContinue } from "../runs-again.js";
import { passOn } from "../scheduling/family.js";
import type { AttemptEnd } from "../telemetry.js";
import { AttemptControl } from "./attempt-control.js";
import { type AttemptOutcome, endOfAttempt, findEndName } from "./attempt-outcome.js";
import type { AttemptOptions, AttemptParts } from "./attempt-parts.js";
import { driveTool, stoppedHere } from "./drive-tool.js";
import { type JournalEntry, JournalWriter } from "./journal-writer.js";
import { Refusal } from "./task-context.js";
import { TaskVerbs } from "./task-verbs.js";

/** Runs a tool from the task's last checkpoint until it returns, throws, or has to stop. */
export class Attempt {
  readonly #parts: AttemptParts;
  readonly #verbs: TaskVerbs;
  readonly #applied = new Set<string>();
  #signals: readonly Signal[] = [];
  /** As the attempt wrote it last. */
  #end: AttemptEnd = "interrupted";

  constructor(options: AttemptOptions) {
    const taskLimits = withDefaults<TaskLimitValues>(taskDefaults, options.tool.limits);
    // First the journal, whose store may refuse to be watched: the timers of the control would remain.
    const journal = new JournalWriter({
      ...options,
      taskLimits,
      onBroken: () => control.abort("lease_lost"),
      onCommitted: (record) => this.#committed(record),
      onSignals: (signals) => this.#applySignals(signals),
    });
    const control = new AttemptControl(options);
    this.#parts = { ...options, taskLimits, control, journal, checkpoints: new Exclusive() };
    this.#verbs = new TaskVerbs(this.#parts);
  }

  /**
   * Runs the attempt until nothing more will be written by it. Resolves to the error of the store that broke it, if one
   * did. Never rejects.
   */
  async run(): Promise<JournalWriter["broken"]> {
    const { telemetry, record, tool, journal } = this.#parts;
    const { id: taskId, attempt, crashes, trace } = record;
    const facts = { taskId, tool: tool.name, toolVersion: tool.version, attempt, crashes, trace };
    await telemetry.traceAttempt(facts, () => this.#run());
    return journal.broken;
  }

  async #run(): Promise<AttemptEnd> {
    const { observer, lease, journal, control, runAttempt, onError } = this.#parts;
    // Signals that were left while the attempt was being started.
    journal.look();
    observer("engine.attempt.started", lease.taskId);
    let over = false;
    const driving = runAttempt(lease.taskId, () => driveTool(this.#parts, this.#verbs)).finally(() => {
      over = true;
    });
    let outcome: AttemptOutcome;
    try {
      const output = await Promise.race([driving, control.abandoned]);
      outcome =
        output === stoppedHere
          ? (this.#interrupted(false) ?? { kind: "stopped", reason: "drain", abandoned: false })
          : { kind: "returned", output };
    } catch (error) {
      const ended: AttemptOutcome =
        error instanceof Refusal ? { kind: "refused", message: error.message } : { kind: "threw", error };
      outcome = this.#interrupted(!over) ?? ended;
      if (outcome === ended && ended.kind === "threw") this.#reportError(error);
    }
    // A cancel that comes from here on is for the process that opens the task next: it has not reached what this one called.
    const signals = this.#signals;
    await passOn(
      this.#parts,
      journal.record,
      signals.filter(({ kind }) => kind === "cancel"),
    ).catch(onError);
    try {
      await journal.finish((record) => this.#lastEntry(outcome, record, signals));
    } catch (error) {
      // The store refused the result for what it is (what broke the writer is reported at the end).
      await journal.finish((record) => this.#lastEntry({ kind: "threw", error }, record, signals)).catch(() => {});
    }
    observer("engine.attempt.ended", lease.taskId);
    this.#verbs.waits.interruptAll();
    journal.dispose();
    control.dispose();
    if (journal.broken === undefined) return this.#end;
    return isResumableError(journal.broken.error, "LEASE_LOST") ? "lease_lost" : "store_failed";
  }

  #reportError(error: unknown): void {
    const { onToolError, lease, tool, record } = this.#parts;
    onToolError(error, { taskId: lease.taskId, tool: tool.name, attempt: record.attempt });
  }

  /** Looks for signals that others left. */
  look(): void {
    this.#parts.journal.look();
  }

  /** Stops at the next checkpoint, at once after the grace time. */
  drain(graceMs: number): void {
    this.#parts.control.want("drain", graceMs);
  }

  #committed(record: TaskRecord): void {
    this.#parts.control.touch();
    if (record.progressed) this.#parts.onProgressed();
  }

  /** Carries out what others request; answers, offers and requests to detach once each. */
  #applySignals(signals: readonly Signal[]): void {
    const { control, journal, tool } = this.#parts;
    this.#signals = signals;
    for (const signal of signals) {
      if (this.#applied.has(signal.id)) continue;
      this.#applied.add(signal.id);
      if (signal.kind === "cancel") control.abort("cancel");
      if (signal.kind === "offer") this.#write([], signal.id, () => this.#verbs.calls.look());
      if (signal.kind === "detach") this.#write(journal.record.detached ? [] : [{ type: "detached" }], signal.id);
      if (signal.kind !== "answer") continue;
      const { id, key, answer } = signal;
      const isOpen = findEntry(journal.record, key)?.kind === "question";
      this.#write(isOpen ? [{ type: "answered", key, answer }] : [], id, () => this.#verbs.waits.wake(key));
    }
    const request = readDesiredState({ record: journal.record, signals, leased: true });
    if (request !== "pause") control.unwant("pause");
    else if (tool.mirrors === undefined) control.want("pause");
    // Another server hears at once that the call is cancelled: no checkpoint of ours is near. Without any it is not stopped.
    else if (canContinue(tool, journal.record)) control.abort("pause");
  }

  #write(events: readonly TaskEventBody[], signalId: string, written = () => {}): void {
    this.#parts.journal
      .commit(events, [signalId])
      .then(written)
      // The signal stays where it is, for the next attempt.
      .catch(() => {});
  }

  #interrupted(abandoned: boolean): AttemptOutcome | undefined {
    const { aborted, timeout } = this.#parts.control;
    if (aborted === undefined) return undefined;
    return timeout === undefined ? { kind: "stopped", reason: aborted, abandoned } : { kind: "threw", error: timeout };
  }

  #lastEntry(outcome: AttemptOutcome, record: TaskRecord, signals: readonly Signal[]): JournalEntry {
    const { tool, before, clock, dueTimes, random } = this.#parts;
    const waitsUntilMs = this.#verbs.waits.untilMs;
    const nowMs = clock.wallMs();
    const entry = endOfAttempt(outcome, { record, before, signals, tool, nowMs, random, waitsUntilMs });
    this.#end = findEndName(entry.events);
    for (const event of entry.events) {
      // The wall clock may be set while this is written.
      if (event.type === "attempt_ended" && event.runnableAt !== undefined)
        dueTimes.leftMs(Date.parse(event.runnableAt));
    }
    return entry;
  }
}
