import type { TaskEventBody } from "../../task/task-event.js";
import type { TaskRecord } from "../../task/task-record.js";
import { desiredStateOf } from "../../task/task-rules.js";
import type { Signal } from "../../task/task-snapshot.js";
import type { Attempt, AttemptEnd, AttemptOptions, AttemptParts } from "./attempt.js";
import { createAttemptControl } from "./attempt-control.js";
import { type AttemptOutcome, endOfAttempt } from "./attempt-outcome.js";
import { type AttemptTimeouts, startTimeouts } from "./attempt-timeouts.js";
import { limitsOf } from "./check-checkpoint.js";
import { driveTool, stoppedHere } from "./drive-tool.js";
import { createAttemptLog, type JournalEntry, JournalWriter } from "./journal-writer.js";
import { SignalWatch } from "./signal-watch.js";
import { createVerbs } from "./task-verbs.js";

/** Runs a tool from the task's last checkpoint until it returns, throws, or has to stop. */
export function runAttempt(options: AttemptOptions): Attempt {
  return new RunningAttempt(options);
}

class RunningAttempt implements Attempt {
  readonly ended: Promise<AttemptEnd>;
  readonly #options: AttemptOptions;
  readonly #parts: AttemptParts;
  readonly #timeouts: AttemptTimeouts;
  readonly #watch: SignalWatch;
  readonly #applied = new Set<string>();
  #signals: readonly Signal[] = [];
  #progressed = false;

  constructor(options: AttemptOptions) {
    const { store, clock, lease, record, tool, limits } = options;
    this.#options = options;
    const control = createAttemptControl(clock);
    const log = createAttemptLog(limitsOf(tool.limits));
    const journal = new JournalWriter({
      store,
      clock,
      lease,
      record,
      takePiggybacked: log.take,
      onBroken: () => control.abort("lease_lost", limits.graceMs),
      onCommitted: (committed) => this.#committed(committed),
      onAsk: () => this.#watch.asked(),
      onSignals: (signals) => this.#applySignals(signals),
    });
    this.#parts = { control, log, journal, verbs: createVerbs(options, { control, journal }) };
    this.#timeouts = startTimeouts(lease.taskId, tool, control, clock, limits.graceMs);
    this.#watch = new SignalWatch(options, () => journal.look());
    this.ended = this.#run();
    // Signals that were left while the attempt was being started.
    journal.look();
  }

  look(): void {
    this.#parts.journal.look();
  }

  drain(graceMs: number): void {
    this.#parts.control.want("drain", graceMs);
  }

  #committed(record: TaskRecord): void {
    this.#timeouts.touch();
    if (this.#progressed || !record.progressed) return;
    this.#progressed = true;
    this.#options.onProgressed();
  }

  /** Carries out what others request; answers and requests to detach once each. */
  #applySignals(signals: readonly Signal[]): void {
    const { control, journal } = this.#parts;
    const { graceMs } = this.#options.limits;
    this.#signals = signals;
    for (const signal of signals) {
      if (this.#applied.has(signal.id)) continue;
      this.#applied.add(signal.id);
      if (signal.kind === "cancel") control.abort("cancel", graceMs);
      if (signal.kind === "detach") this.#write(journal.record.detached ? [] : [{ type: "detached" }], signal.id);
      if (signal.kind === "answer") this.#write(answered(journal.record, signal), signal.id, signal.key);
    }
    const request = desiredStateOf({ record: journal.record, signals, leased: true });
    if (request === "pause") control.want("pause", graceMs);
    else control.unwant("pause");
  }

  #write(events: readonly TaskEventBody[], signalId: string, answeredKey?: string): void {
    const { journal, verbs } = this.#parts;
    journal
      .commit(events, [signalId])
      .then(() => {
        if (answeredKey !== undefined) verbs.answered(answeredKey);
      })
      // The signal stays where it is, for the next attempt.
      .catch(() => {});
  }

  async #run(): Promise<AttemptEnd> {
    const options = this.#options;
    const parts = this.#parts;
    const { journal } = parts;
    options.observer("engine.attempt.started", options.lease.taskId);
    const outcome = await this.#execute();
    await this.#finish(outcome);
    options.observer("engine.attempt.ended", options.lease.taskId);
    this.#watch.stop();
    this.#timeouts.dispose();
    parts.control.dispose();
    return journal.broken === undefined ? {} : { broken: journal.broken };
  }

  async #execute(): Promise<AttemptOutcome> {
    const { control } = this.#parts;
    let over = false;
    const driving = driveTool(this.#options, this.#parts).finally(() => {
      over = true;
    });
    try {
      const output = await Promise.race([driving, control.abandoned]);
      if (output !== stoppedHere) return { kind: "returned", output };
      return this.#interrupted(false) ?? { kind: "stopped", reason: "drain", abandoned: false };
    } catch (error) {
      return this.#interrupted(!over) ?? { kind: "threw", error };
    }
  }

  #interrupted(abandoned: boolean): AttemptOutcome | undefined {
    const { aborted } = this.#parts.control;
    if (aborted === undefined) return undefined;
    if (aborted === "timeout") return { kind: "threw", error: this.#timeouts.error };
    return { kind: "stopped", reason: aborted, abandoned };
  }

  async #finish(outcome: AttemptOutcome): Promise<void> {
    const { tool, clock } = this.#options;
    const { journal, verbs } = this.#parts;
    const last = (ended: AttemptOutcome, record: TaskRecord): JournalEntry =>
      endOfAttempt(ended, {
        record,
        signals: this.#signals,
        tool,
        nowMs: clock.wallMs(),
        waitsUntilMs: verbs.waitsUntilMs,
      });
    try {
      await journal.finish((record) => last(outcome, record));
    } catch (error) {
      // The store refused the result for what it is (what broke the writer is reported by `ended`).
      await journal.finish((record) => last({ kind: "threw", error }, record)).catch(() => {});
    }
  }
}

function answered(record: TaskRecord, signal: Extract<Signal, { kind: "answer" }>): readonly TaskEventBody[] {
  const { remembered } = record;
  const open = Object.hasOwn(remembered, signal.key) && remembered[signal.key]?.kind === "question";
  return open ? [{ type: "answered", key: signal.key, answer: signal.answer }] : [];
}
