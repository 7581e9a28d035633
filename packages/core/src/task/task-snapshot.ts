import type { Answer } from "./task-event.js";
import type { TaskRecord } from "./task-record.js";

/**
 * A request from outside the lease. It stays until a commit consumes it.
 *
 * `pause` and `resume` set one value: the newer replaces the older. So do `delivered` and `undelivered`, which say
 * whether the result of the task reached its caller. `cancel` and `detach` exist at most once. There is at most one
 * `answer` for each key, also after it was consumed, until the task restarts from nothing (`restarted` with `fromState`
 * false, which changes the record's `itemsFromSeq`) and may ask again.
 */
export type Signal = { readonly id: string } & NewSignal;

/** A signal without the id that the store gives it. */
export type NewSignal =
  | { readonly kind: "pause" | "resume" | "cancel" | "detach" | "delivered" | "undelivered" }
  | { readonly kind: "answer"; readonly key: string; readonly answer: Answer };

/** A task as others see it. */
export interface TaskSnapshot {
  readonly record: TaskRecord;
  /** Signals that no commit has consumed yet, oldest first. */
  readonly signals: readonly Signal[];
  /** A live worker holds its lease, as far as this process could tell at the latest `Instant` that it was given. */
  readonly leased: boolean;
}

type Kind = Signal["kind"];

const opposites: { readonly [Name in Kind]?: Kind } = {
  pause: "resume",
  resume: "pause",
  delivered: "undelivered",
  undelivered: "delivered",
};

/**
 * The other side of a signal that is one value with it: of the two only the newest counts, and it replaces the older.
 * `undefined` for a signal without another side. Used by every store.
 */
export function oppositeOf(kind: Kind): Kind | undefined {
  return opposites[kind];
}
