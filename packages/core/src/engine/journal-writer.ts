import { isResumableError } from "../errors.js";
import { reduceTask } from "../reduce-task.js";
import type { Lease, Signal, Store } from "../store.js";
import type { TaskEvent, TaskEventBody } from "../task-event.js";
import type { TaskRecord } from "../task-record.js";
import type { Clock } from "./engine.js";

/** Writes one task's journal under one lease: one commit at a time, what waits meanwhile goes into the next. */
export interface JournalWriter {
  /** The task as of the last commit that resolved. */
  readonly record: TaskRecord;
  /** The error that ended this writer, if one did: nothing is written after it. */
  readonly broken: unknown;
  /** Commits events together, all or nothing. Rejects with the store's error. */
  commit(events: readonly TaskEventBody[], consume?: readonly string[]): Promise<void>;
  /** Refuses everything from now on: the epoch is over for this writer. */
  close(): void;
}

interface Waiting {
  readonly events: readonly TaskEventBody[];
  readonly consume: readonly string[];
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/** Makes the writer of a lease that was just taken. */
export function createJournalWriter(options: {
  readonly store: Store;
  readonly lease: Lease;
  readonly record: TaskRecord;
  readonly clock: Clock;
  /** Hears which signals are pending after each commit. */
  readonly onSignals: (signals: readonly Signal[]) => void;
  readonly onBroken: (error: unknown) => void;
  /** Events that ride with the next commit. */
  readonly takeRiders: () => readonly TaskEventBody[];
}): JournalWriter {
  const { store, lease, clock } = options;
  let record = options.record;
  let waiting: Waiting[] = [];
  let busy = false;
  let closed = false;
  let broken: unknown;

  const writeOnce = async (batch: readonly Waiting[]): Promise<void> => {
    const now = { wallMs: clock.wallMs(), monotonicMs: clock.monotonicMs() };
    const events = [...options.takeRiders(), ...batch.flatMap((entry) => entry.events)];
    const consume = batch.flatMap((entry) => entry.consume);
    const next = reduceTask(record, stamp(events, record.lastSeq, now.wallMs));
    const { signals } = await store.commit({ lease, afterSeq: record.lastSeq, events, consume, now });
    record = next;
    options.onSignals(signals);
  };

  const pump = async (): Promise<void> => {
    busy = true;
    while (waiting.length > 0) {
      const batch = waiting;
      waiting = [];
      try {
        if (closed) throw broken ?? new Error("closed");
        await writeOnce(batch);
        for (const entry of batch) entry.resolve();
      } catch (error) {
        closed = true;
        if (broken === undefined) {
          broken = error;
          options.onBroken(error);
        }
        for (const entry of batch) entry.reject(error);
      }
    }
    busy = false;
  };

  return {
    get record() {
      return record;
    },
    get broken() {
      return broken;
    },
    commit(events, consume = []) {
      return new Promise((resolve, reject) => {
        waiting.push({ events, consume, resolve, reject });
        // `pump` handles its own errors, so that nothing is left to reject.
        if (!busy) void pump();
      });
    },
    close() {
      closed = true;
    },
  };
}

/** Gives events the places and times that the store will give them, so that writer and store fold alike. */
function stamp(events: readonly TaskEventBody[], afterSeq: number, wallMs: number): readonly TaskEvent[] {
  const at = new Date(wallMs).toISOString();
  return events.map((event, index) => ({ ...event, seq: afterSeq + 1 + index, at }));
}

/** Tells whether an error means that somebody else has the lease. */
export function isLeaseLost(error: unknown): boolean {
  return isResumableError(error, "LEASE_LOST");
}
