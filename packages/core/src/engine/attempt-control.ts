import { type InterruptReason, TaskInterrupted } from "../errors.js";
import type { Clock } from "./engine.js";

/** Stops an attempt in three stages: wanted (at the next checkpoint), aborted (now), abandoned (without the tool). */
export interface AttemptControl {
  /** Handed to the tool. */
  readonly signal: AbortSignal;
  /** Why the attempt should stop at its next checkpoint, if it should. */
  readonly wanted: InterruptReason | undefined;
  /** Why the attempt was told to stop at once, if it was. */
  readonly aborted: InterruptReason | undefined;
  /** Rejects with a `TaskInterrupted` when the tool's code is no longer waited for. Never resolves. */
  readonly abandoned: Promise<never>;
  /** Stop at the next checkpoint; when none comes within the grace time, at once. */
  want(reason: InterruptReason, graceMs: number): void;
  /** Takes back a wish of this reason, if it was not carried out yet. */
  unwant(reason: InterruptReason): void;
  /** Stop now: aborts the signal; after the grace time the tool is abandoned. */
  abort(reason: InterruptReason, graceMs: number): void;
  /** Says that a verb waits in place, where stopping is always safe. Returns the end of the wait. */
  waitInPlace(): () => void;
  /** Turns all timers off. */
  dispose(): void;
}

/** Makes the control of one attempt. */
export function createAttemptControl(clock: Clock): AttemptControl {
  const controller = new AbortController();
  const timers = new Set<() => void>();
  let wanted: InterruptReason | undefined;
  let wantedGraceMs = 0;
  let aborted: InterruptReason | undefined;
  let waits = 0;
  let abandon: (error: TaskInterrupted) => void = () => {};
  const abandoned = new Promise<never>((_resolve, reject) => {
    abandon = reject;
  });
  abandoned.catch(() => {});

  const after = (delayMs: number, run: () => void): void => {
    timers.add(clock.after(delayMs, run));
  };
  const abort = (reason: InterruptReason, graceMs: number): void => {
    if (aborted !== undefined) return;
    aborted = reason;
    controller.abort(new TaskInterrupted(reason));
    after(graceMs, () => abandon(new TaskInterrupted(reason)));
  };
  const abortWanted = (): void => {
    if (wanted !== undefined) abort(wanted, wantedGraceMs);
  };

  return {
    signal: controller.signal,
    abandoned,
    get wanted() {
      return wanted;
    },
    get aborted() {
      return aborted;
    },
    want(reason, graceMs) {
      if (wanted === reason) return;
      wanted = reason;
      wantedGraceMs = graceMs;
      if (waits > 0) abortWanted();
      else after(graceMs, abortWanted);
    },
    unwant(reason) {
      if (wanted === reason && aborted === undefined) wanted = undefined;
    },
    abort,
    waitInPlace() {
      waits += 1;
      abortWanted();
      return () => {
        waits -= 1;
      };
    },
    dispose() {
      for (const stop of timers) stop();
      timers.clear();
    },
  };
}
