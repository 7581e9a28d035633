import { readDuration } from "../../duration.js";
import { type InterruptReason, ResumableError, TaskInterrupted } from "../../errors.js";
import type { TaskRecord } from "../../task/task-record.js";
import type { Tool } from "../../tool/tool.js";
import type { Environment } from "../environment.js";

interface ControlOptions extends Pick<Environment, "clock" | "limits"> {
  readonly tool: Tool;
  readonly record: TaskRecord;
}

interface StopRequest {
  readonly reason: InterruptReason;
  readonly graceMs: number;
  readonly stopTimer: () => void;
}

/**
 * Stops an attempt in three stages: wanted (at the next checkpoint), aborted (now), abandoned (without the tool). An
 * attempt that runs out of time is aborted.
 */
export class AttemptControl {
  /** Rejects with a `TaskInterrupted` when the tool's code is no longer waited for. Never resolves. */
  readonly abandoned: Promise<never>;
  readonly #options: ControlOptions;
  readonly #controller = new AbortController();
  readonly #requests = new Map<InterruptReason, StopRequest>();
  readonly #forks = new Set<AbortController>();
  #abandon: (error: TaskInterrupted) => void = () => {};
  #aborted: InterruptReason | undefined;
  #timeout: ResumableError<"ATTEMPT_TIMEOUT"> | undefined;
  #stopAbandon = () => {};
  #stopAttemptTimer = () => {};
  #stopStallTimer = () => {};
  #waits = 0;

  constructor(options: ControlOptions) {
    const { clock, tool } = options;
    this.#options = options;
    this.abandoned = new Promise<never>((_resolve, reject) => {
      this.#abandon = reject;
    });
    this.abandoned.catch(() => {});
    const ms = readDuration(tool.attemptTimeout);
    if (ms !== undefined) this.#stopAttemptTimer = clock.after(ms, () => this.#runOut("attemptTimeout", ms));
    this.touch();
  }

  /** Handed to the tool. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }
  /** A signal for one part of the attempt: the listeners of many on one would be taken for a leak. */
  fork(): AbortController {
    const own = new AbortController();
    if (this.signal.aborted) own.abort(this.signal.reason);
    else this.#forks.add(own);
    return own;
  }
  /** The part is over. */
  release(own: AbortController): void {
    this.#forks.delete(own);
  }
  /** Why the attempt should stop at its next checkpoint, if it should. */
  get wanted(): InterruptReason | undefined {
    return this.#firstRequest()?.reason;
  }
  /** Why the attempt must stop at once, if it must. */
  get aborted(): InterruptReason | undefined {
    return this.#aborted;
  }
  /** What ran out of time, if anything did. */
  get timeout(): ResumableError<"ATTEMPT_TIMEOUT"> | undefined {
    return this.#timeout;
  }

  /** Throws a `TaskInterrupted` when the attempt must stop at once. */
  check(): void {
    if (this.#aborted !== undefined) throw new TaskInterrupted(this.#aborted);
  }

  /** Stop at the next checkpoint; when none comes within the grace time, at once. */
  want(reason: InterruptReason, graceMs = this.#options.limits.graceMs): void {
    if (this.#requests.has(reason) || this.#aborted !== undefined) return;
    const stopTimer = this.#options.clock.after(graceMs, () => this.abort(reason, graceMs));
    this.#requests.set(reason, { reason, graceMs, stopTimer });
    if (this.#waits > 0) this.abort(reason, graceMs);
  }

  /** Takes back a request of this reason, if it was not carried out yet. Requests of other reasons stand. */
  unwant(reason: InterruptReason): void {
    this.#requests.get(reason)?.stopTimer();
    this.#requests.delete(reason);
  }

  /** Stop now: aborts the signal; after the grace time the tool is abandoned. */
  abort(reason: InterruptReason, graceMs = this.#options.limits.graceMs): void {
    if (this.#aborted !== undefined) return;
    this.#aborted = reason;
    this.#stopRequests();
    const why = new TaskInterrupted(reason);
    this.#controller.abort(why);
    for (const own of this.#forks) own.abort(why);
    this.#forks.clear();
    this.#stopAbandon = this.#options.clock.after(graceMs, () => this.#abandon(new TaskInterrupted(reason)));
  }

  /** Says that a verb waits in place, where stopping is always safe. Returns the end of the wait. */
  waitInPlace(): () => void {
    this.#waits += 1;
    const request = this.#firstRequest();
    if (request !== undefined) this.abort(request.reason, request.graceMs);
    return () => {
      this.#waits -= 1;
    };
  }

  /** The attempt has committed something: the time in which it may commit nothing begins again. */
  touch(): void {
    this.#stopStallTimer();
    const { clock, tool } = this.#options;
    const ms = readDuration(tool.stallTimeout);
    if (ms === undefined) return;
    // A tool that waits for an answer or for a time to come is not stuck.
    const look = () => (this.#waits > 0 ? this.touch() : this.#runOut("stallTimeout", ms));
    this.#stopStallTimer = clock.after(ms, look);
  }

  /** Turns all timers off. */
  dispose(): void {
    this.#stopRequests();
    this.#stopAbandon();
    this.#stopAttemptTimer();
    this.#stopStallTimer();
  }

  #runOut(limit: "attemptTimeout" | "stallTimeout", ms: number): void {
    if (this.#aborted !== undefined) return;
    const { tool, record } = this.#options;
    this.#timeout = new ResumableError(
      "ATTEMPT_TIMEOUT",
      `${tool.name} reached the limit ${limit} (${ms} ms) and was stopped. Its last checkpoint is kept.`,
      { details: { taskId: record.id, limit, ms } },
    );
    this.abort("timeout");
  }

  #firstRequest(): StopRequest | undefined {
    return this.#requests.values().next().value;
  }

  #stopRequests(): void {
    for (const { stopTimer } of this.#requests.values()) stopTimer();
    this.#requests.clear();
  }
}
