import { isResumableError, TaskInterrupted } from "../../errors.js";
import { copyJson, type Json, jsonBytes } from "../../json.js";
import type { TaskLimitValues } from "../../limits.js";
import type { Lease, Store } from "../../store/store.js";
import type { LogLevel, TaskEventBody } from "../../task/task-event.js";
import type { TaskRecord } from "../../task/task-record.js";
import type { Signal } from "../../task/task-snapshot.js";
import { type Clock, instantOf } from "../clock.js";
import { checkLimit } from "./check-checkpoint.js";

/** Events that become visible together, and the signals that they carry out. */
export interface JournalEntry {
  readonly events: readonly TaskEventBody[];
  readonly consume: readonly string[];
}

/** What a writer is made of. */
export interface JournalWriterOptions {
  readonly store: Store;
  readonly lease: Lease;
  readonly record: TaskRecord;
  readonly clock: Clock;
  /** Called before each commit and each look: what was signalled until now, the store will tell. */
  readonly onAsk: () => void;
  /** Hears which signals are pending: after each commit and each look, in the order of the store. */
  readonly onSignals: (signals: readonly Signal[]) => void;
  readonly onCommitted: (record: TaskRecord) => void;
  readonly onBroken: (error: unknown) => void;
  /** Events that ride with the next commit. */
  readonly takePiggybacked: () => readonly TaskEventBody[];
}

interface Waiting extends JournalEntry {
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Writes one task's journal under one lease: one operation at a time, what waits meanwhile goes into the next commit.
 *
 * Looking for signals takes its turn with the commits, so that an older answer of the store never follows a newer one.
 */
export class JournalWriter {
  readonly #options: JournalWriterOptions;
  #current: TaskRecord;
  #waiting: Waiting[] = [];
  #lookWanted = false;
  #running: Promise<void> | undefined;
  #closed = false;
  #failure: { readonly error: unknown } | undefined;

  constructor(options: JournalWriterOptions) {
    this.#options = options;
    this.#current = options.record;
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
    return this.#enqueue({ events, consume });
  }

  /** Asks the store which signals are pending; a commit that is about to begin answers that too. */
  look(): void {
    if (this.#closed) return;
    this.#lookWanted = true;
    this.#start();
  }

  /** As `look`; resolves when the answer was heard, or when the writer is broken. */
  async looked(): Promise<void> {
    this.look();
    await this.#running;
  }

  /** Takes nothing more from anybody, and writes what comes last when all that waited was written. */
  async finish(last: (record: TaskRecord) => JournalEntry): Promise<void> {
    this.#closed = true;
    while (this.#running !== undefined) await this.#running;
    if (this.#failure === undefined) await this.#enqueue(last(this.#current));
  }

  #enqueue(entry: JournalEntry): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ ...entry, resolve, reject });
      this.#start();
    });
  }

  #start(): void {
    this.#running ??= this.#pump();
  }

  /** Handles its own errors, so that no caller has to wait for it. */
  async #pump(): Promise<void> {
    // First of all, so that what is enqueued in one turn goes into one commit.
    await undefined;
    while (this.#waiting.length > 0 || this.#lookWanted) {
      this.#lookWanted = false;
      const batch = this.#waiting;
      this.#waiting = [];
      this.#options.onAsk();
      if (batch.length > 0) await this.#write(batch);
      else await this.#askForSignals();
    }
    // In the same turn as the last look at what waits: whatever is enqueued from now on starts another pump.
    this.#running = undefined;
  }

  async #write(batch: readonly Waiting[]): Promise<void> {
    try {
      if (this.#failure !== undefined) throw new TaskInterrupted("lease_lost");
      await this.#writeOnce(batch);
      for (const entry of batch) entry.resolve();
    } catch (error) {
      const refused = isRefusal(error);
      if (!refused) this.fail(error);
      for (const entry of batch) entry.reject(refused ? error : new TaskInterrupted("lease_lost"));
    }
  }

  async #writeOnce(batch: readonly Waiting[]): Promise<void> {
    const { store, lease, clock, takePiggybacked } = this.#options;
    const now = instantOf(clock);
    const events = [...takePiggybacked(), ...batch.flatMap((entry) => entry.events)];
    const consume = batch.flatMap((entry) => entry.consume);
    const { record, signals } = await store.commit({ lease, afterSeq: this.#current.lastSeq, events, consume, now });
    this.#current = record;
    this.#options.onCommitted(record);
    this.#options.onSignals(signals);
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

  /** Ends this writer because the store failed: the next attempt asks it again. */
  fail(error: unknown): void {
    this.#closed = true;
    if (this.#failure !== undefined) return;
    this.#failure = { error };
    this.#options.onBroken(error);
  }
}

const refusals = ["LIMIT_EXCEEDED", "QUOTA_EXCEEDED", "NOT_JSON"] as const;

/** The store refused the events for what they are: nothing was written, and the lease is as good as before. */
function isRefusal(error: unknown): boolean {
  return refusals.some((code) => isResumableError(error, code));
}

/** Log entries of one attempt that wait for the next commit. */
export interface AttemptLog {
  /** @throws {@link ResumableError} `NOT_JSON`, `LIMIT_EXCEEDED`. */
  log(level: LogLevel, data: Json): void;
  /** Takes what waits, oldest first. */
  take(): readonly TaskEventBody[];
}

/** Makes the log of one attempt. */
export function createAttemptLog(limits: Pick<TaskLimitValues, "maxLogBytes" | "maxPendingLogs">): AttemptLog {
  let pending: TaskEventBody[] = [];
  let dropped = 0;
  return {
    log(level, data) {
      const copied = copyJson(data ?? null, "log data");
      checkLimit("maxLogBytes", jsonBytes(copied), limits.maxLogBytes);
      if (pending.length >= limits.maxPendingLogs) {
        pending.shift();
        dropped += 1;
      }
      pending.push({ type: "log", level, data: copied });
    },
    take() {
      const taken = pending;
      pending = [];
      if (dropped === 0) return taken;
      const data = `${dropped} older log entries were dropped: maxPendingLogs allows ${limits.maxPendingLogs} between two checkpoints.`;
      dropped = 0;
      return [{ type: "log", level: "warning", data }, ...taken];
    },
  };
}
