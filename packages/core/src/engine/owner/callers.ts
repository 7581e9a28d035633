import { isResumableError } from "../../errors.js";
import { fixedLimits } from "../../limits.js";
import type { Environment } from "../environment.js";
import { Exclusive } from "../exclusive.js";
import { writeBackoff } from "../retry-delay.js";

/**
 * The callers in this process that wait for tasks, and the stops of tasks whose last caller cancelled its request.
 *
 * A stop that the store cannot take (a full disk) is repeated, with growing pauses of at most `maxWriteBackoffMs`, until
 * it is written or a caller returns.
 */
export class Callers {
  readonly #environment: Pick<Environment, "clock" | "limits" | "onError">;
  /** How many wait for a task. */
  readonly #counts = new Map<string, number>();
  /** When a call found a task that it is about to wait for, in monotonic milliseconds. */
  readonly #arrivals = new Map<string, number>();
  readonly #stops = new Exclusive();
  readonly #retries = new Map<string, () => void>();

  constructor(environment: Pick<Environment, "clock" | "limits" | "onError">) {
    this.#environment = environment;
  }

  /** A call has found the task and is about to wait for it. */
  arrive(taskId: string): void {
    this.#arrivals.set(taskId, this.#environment.clock.monotonicMs());
    const [oldest] = this.#arrivals.keys();
    // Calls that never wait leave theirs behind.
    if (this.#arrivals.size > fixedLimits.maxArrivals && oldest !== undefined) this.#arrivals.delete(oldest);
  }

  /** Counts a caller that waits: a stop that failed is not repeated. */
  add(taskId: string): void {
    this.#forgetStop(taskId);
    this.#counts.set(taskId, (this.#counts.get(taskId) ?? 0) + 1);
    this.#arrivals.delete(taskId);
  }

  /** A caller waits no longer. Tells whether it was the last one. */
  remove(taskId: string): boolean {
    const others = (this.#counts.get(taskId) ?? 1) - 1;
    if (others > 0) this.#counts.set(taskId, others);
    else this.#counts.delete(taskId);
    return others <= 0;
  }

  /** A caller waits for the task, or has found it and is about to. */
  isAwaited(taskId: string): boolean {
    const arrivedMs = this.#arrivals.get(taskId) ?? Number.NEGATIVE_INFINITY;
    return this.#counts.has(taskId) || this.#environment.clock.monotonicMs() - arrivedMs < fixedLimits.arrivalMs;
  }

  /** Begins to stop a task, after the stop of it that is under way. */
  beginStop(taskId: string, stop: () => Promise<void>, failures = 0): void {
    this.#forgetStop(taskId);
    void this.#stops.run(taskId, () => stop().catch((error) => this.#failed(taskId, stop, error, failures)));
  }

  /** Resolves when the stop that is under way is written, or has failed: a repetition is not waited for. */
  stopWritten(taskId: string): Promise<void> {
    return this.#stops.ended(taskId);
  }

  #forgetStop(taskId: string): void {
    this.#retries.get(taskId)?.();
    this.#retries.delete(taskId);
  }

  #failed(taskId: string, stop: () => Promise<void>, error: unknown, failures: number): void {
    const { clock, limits, onError } = this.#environment;
    onError(error);
    if (!isResumableError(error, "STORE_WRITE_FAILED", "STORE_READ_FAILED")) return;
    this.#forgetStop(taskId);
    const cancel = clock.after(writeBackoff(failures, limits), () => this.beginStop(taskId, stop, failures + 1));
    this.#retries.set(taskId, cancel);
  }
}

/**
 * What this process is just writing about results that reached their callers, or did not, by owner.
 *
 * A call that comes right after a result would find the note not written yet, and get that result again. So a call waits
 * for the notes of its owner. Limits: one write for each result; nothing stays when it is over.
 */
export class DeliveryNotes {
  readonly #writing = new Map<string, Exclusive>();

  /** Writes a note about one task, after the notes about it that are being written. */
  write(owner: string, taskId: string, run: () => Promise<void>): Promise<void> {
    const notes = this.#writing.get(owner) ?? new Exclusive();
    this.#writing.set(owner, notes);
    const written = notes.run(taskId, run);
    const over = (): void => {
      if (notes.idle && this.#writing.get(owner) === notes) this.#writing.delete(owner);
    };
    written.then(over, over);
    return written;
  }

  /** Resolves when the notes of an owner that are being written now are written, or have failed. */
  async written(owner: string): Promise<void> {
    await this.#writing.get(owner)?.ended();
  }

  /** The same for all owners. */
  async allWritten(): Promise<void> {
    await Promise.all(Array.from(this.#writing.values(), (notes) => notes.ended()));
  }
}
