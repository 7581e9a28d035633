import { isResumableError, TaskInterrupted } from "../../errors.js";
import { copyJson, jsonBytes } from "../../json.js";
import { checkLimit, type TaskLimitValues } from "../../limits.js";
import type { Lease } from "../../store/store.js";
import type { LogLevel, TaskEventBody } from "../../task/task-event.js";
import type { Signal, TaskRecord } from "../../task/task-record.js";
import { readInstant } from "../clock.js";
import type { Environment } from "../environment.js";

/** Events that become visible together, and the signals that they carry out. */
export interface JournalEntry {
  readonly events: readonly TaskEventBody[];
  readonly consume: readonly string[];
}

/** What a writer is made of. */
interface JournalWriterOptions extends Pick<Environment, "store" | "clock" | "limits"> {
  readonly lease: Lease;
  readonly record: TaskRecord;
  readonly taskLimits: TaskLimitValues;
  /** Hears which signals are pending: after each commit and each look, in the order of the store. */
  readonly onSignals: (signals: readonly Signal[]) => void;
  readonly onCommitted: (record: TaskRecord) => void;
  readonly onBroken: (error: unknown) => void;
}

interface Waiting extends JournalEntry {
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Writes one task's journal under one lease: one operation at a time, what waits meanwhile goes into the next commit.
 *
 * Looking for signals takes its turn with the commits, so that an older answer of the store never follows a newer one.
 * Every commit brings the pending signals along, so a notification during one waits a moment for the next. Where neither
 * notification nor commit comes, the writer looks every `pollMs`: notifications may get lost between processes.
 */
export class JournalWriter {
  readonly #options: JournalWriterOptions;
  readonly #unwatch: () => void;
  #current: TaskRecord;
  #waiting: Waiting[] = [];
  #lookWanted = false;
  #running: Promise<void> | undefined;
  #closed = false;
  #failure: { readonly error: unknown } | undefined;
  #logged: TaskEventBody[] = [];
  #droppedLogs = 0;
  #stopNotification: (() => void) | undefined;
  #stopPoll = () => {};

  constructor(options: JournalWriterOptions) {
    const { store, lease, clock, limits } = options;
    this.#options = options;
    this.#current = options.record;
    this.#unwatch = store.watch(lease.taskId, () => {
      // The writer's own commit notifies too.
      if (this.#running === undefined) return this.look();
      this.#stopNotification ??= clock.after(limits.notificationDelayMs, () => {
        this.#stopNotification = undefined;
        this.look();
      });
    });
    this.#poll();
  }

  /** The task as of the last commit that resolved. */
  get record(): TaskRecord {
    return this.#current;
  }

  /** What ended this writer, if the store did: nothing is written after it. */
  get broken(): { readonly error: unknown } | undefined {
    return this.#failure;
  }

  /**
   * Commits events together, all or nothing.
   *
   * Rejects with `TaskInterrupted` when the epoch is over for this writer, and with the store's error when the store
   * refused the events for what they are.
   */
  commit(events: readonly TaskEventBody[], consume: readonly string[] = []): Promise<void> {
    if (this.#closed) return Promise.reject(new TaskInterrupted("lease_lost"));
    const written = new Promise<void>((resolve, reject) => {
      this.#waiting.push({ events, consume, resolve, reject });
    });
    this.#running ??= this.#pump();
    return written;
  }

  /**
   * Adds an entry to the task's log with the next commit.
   *
   * @throws {@link ResumableError} `NOT_JSON`, `LIMIT_EXCEEDED`.
   */
  log(level: LogLevel, data: unknown): void {
    const { maxLogBytes, maxPendingLogs } = this.#options.taskLimits;
    const copied = copyJson(data ?? null, "log data");
    checkLimit("maxLogBytes", jsonBytes(copied), maxLogBytes);
    if (this.#logged.length >= maxPendingLogs) {
      this.#logged.shift();
      this.#droppedLogs += 1;
    }
    this.#logged.push({ type: "log", level, data: copied });
  }

  /** Asks the store which signals are pending; a commit that is about to begin answers that too. */
  look(): void {
    if (this.#closed) return;
    this.#lookWanted = true;
    this.#running ??= this.#pump();
  }

  /** Takes nothing more from anybody, and writes what comes last when all that waited was written. */
  async finish(last: (record: TaskRecord) => JournalEntry): Promise<void> {
    this.#closed = true;
    while (this.#running !== undefined) await this.#running;
    if (this.#failure === undefined) await this.#write(last(this.#current));
  }

  /** Turns all timers off. */
  dispose(): void {
    this.#unwatch();
    this.#stopNotification?.();
    this.#stopPoll();
  }

  /** Ends this writer because the store failed: the next attempt asks it again. */
  fail(error: unknown): void {
    this.#closed = true;
    if (this.#failure !== undefined) return;
    this.#failure = { error };
    this.#options.onBroken(error);
  }

  /** Handles its own errors, so that no caller has to wait for it. */
  async #pump(): Promise<void> {
    // First of all, so that what is enqueued in one turn goes into one commit.
    await undefined;
    while (this.#waiting.length > 0 || this.#lookWanted) {
      this.#lookWanted = false;
      const batch = this.#waiting.splice(0);
      // The store will tell of everything that it notified of until here, not of later notifications.
      this.#stopNotification?.();
      this.#stopNotification = undefined;
      this.#poll();
      if (batch.length === 0) await this.#askForSignals();
      else await this.#writeBatch(batch);
    }
    // In the same turn as the last look at what waits: whatever is enqueued from now on starts another pump.
    this.#running = undefined;
  }

  async #writeBatch(batch: readonly Waiting[]): Promise<void> {
    const events = batch.flatMap((entry) => entry.events);
    const consume = batch.flatMap((entry) => entry.consume);
    try {
      await this.#write({ events, consume });
      for (const entry of batch) entry.resolve();
    } catch (error) {
      for (const entry of batch) entry.reject(error);
    }
  }

  async #write({ events, consume }: JournalEntry): Promise<void> {
    const { store, lease, clock, onCommitted, onSignals } = this.#options;
    if (this.#failure !== undefined) throw new TaskInterrupted("lease_lost");
    const written = { lease, afterSeq: this.#current.lastSeq, consume, now: readInstant(clock) };
    try {
      const { record, signals } = await store.commit({ ...written, events: [...this.#takeLogs(), ...events] });
      this.#current = record;
      onCommitted(record);
      onSignals(signals);
    } catch (error) {
      // Events that are refused for what they are: nothing was written, and the lease is as good as before.
      if (isResumableError(error, "LIMIT_EXCEEDED", "QUOTA_EXCEEDED", "NOT_JSON")) throw error;
      this.fail(error);
      throw new TaskInterrupted("lease_lost");
    }
  }

  async #askForSignals(): Promise<void> {
    const { store, lease, onSignals } = this.#options;
    try {
      const snapshot = await store.getTask(lease.taskId);
      if (snapshot !== undefined) onSignals(snapshot.signals);
    } catch {
      // The next commit meets the same trouble, and handles it.
    }
  }

  #poll(): void {
    const { clock, limits } = this.#options;
    this.#stopPoll();
    this.#stopPoll = clock.after(limits.pollMs, () => {
      this.#poll();
      this.look();
    });
  }

  /** The log entries that wait, oldest first. */
  #takeLogs(): readonly TaskEventBody[] {
    const taken = this.#logged.splice(0);
    if (this.#droppedLogs === 0) return taken;
    const { maxPendingLogs } = this.#options.taskLimits;
    const data = `${this.#droppedLogs} older log entries were dropped: maxPendingLogs allows ${maxPendingLogs} between two checkpoints.`;
    this.#droppedLogs = 0;
    return [{ type: "log", level: "warning", data }, ...taken];
  }
}
