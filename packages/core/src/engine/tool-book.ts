import { readDuration } from "../duration.js";
import type { Json } from "../json.js";
import type { TaskRecord } from "../task/task-record.js";
import type { Tool } from "../tool/tool.js";

/** What counts for a tool in all processes on one store: the value of one document. */
export interface ToolBook {
  /** Tasks that run, each with the epoch of its lease. */
  readonly running: readonly Entry[];
  /** Tasks that began within the time of the rate, each with that moment: milliseconds of the wall clock. */
  readonly begun: readonly Entry[];
}
type Entry = readonly [taskId: string, value: number];

/** A tool's limits for all processes together. */
export interface ToolBounds {
  readonly maxRunning: number;
  readonly rate?: { readonly limit: number; readonly perMs: number };
}

/** Why a task of a tool does not begin now, and for how long the rate keeps it. */
export type ToolWait = { readonly limit: "store" } | { readonly limit: "rate"; readonly leftMs: number };

type Starter = Pick<TaskRecord, "id" | "attempt">;

/** For how long what began at a moment still counts for the rate, in milliseconds; 0 or less: it counts no more. */
export type CountsFor = (begunMs: number) => number;

/** The limits of a tool for all processes together, if it has any. */
export function boundsOf({ maxRunningInStore, rate }: Partial<Tool>): ToolBounds | undefined {
  if (maxRunningInStore === undefined && rate === undefined) return undefined;
  const perMs = readDuration(rate?.per);
  return {
    maxRunning: maxRunningInStore ?? Number.POSITIVE_INFINITY,
    ...(rate !== undefined && perMs !== undefined && { rate: { limit: rate.limit, perMs } }),
  };
}

/** Reads the value of a document. */
export function readBook(value: Json | undefined): ToolBook {
  const { running, begun } = Object(value);
  return { running: entriesOf(running), begun: entriesOf(begun) };
}

function entriesOf(list: unknown): readonly Entry[] {
  if (!Array.isArray(list)) return [];
  return list.filter((entry): entry is Entry => typeof entry?.[0] === "string" && Number.isFinite(entry[1]));
}

/** Tells why a task must wait, if it must. The task's own entries of before do not count. Pure. */
export function findToolWait(
  { running, begun }: ToolBook,
  { maxRunning, rate }: ToolBounds,
  { id, attempt }: Starter,
  countsFor: CountsFor,
): ToolWait | undefined {
  if (without(running, id).length >= maxRunning) return { limit: "store" };
  if (rate === undefined || attempt > 0) return undefined;
  const counted = without(begun, id)
    .map(([, ms]) => countsFor(ms))
    .filter((leftMs) => leftMs > 0)
    .sort((left, right) => left - right);
  const leftMs = counted.length < rate.limit ? undefined : counted.at(-rate.limit);
  return leftMs === undefined ? undefined : { limit: "rate", leftMs };
}

/** The book with a task that runs from now on. Only a first attempt counts for the rate. Pure. */
export function withStart(
  { running, begun }: ToolBook,
  { maxRunning, rate }: ToolBounds,
  { id, attempt, epoch }: Starter & { readonly epoch: number },
  nowMs: number,
): ToolBook {
  return {
    running: Number.isFinite(maxRunning) ? [...without(running, id), [id, epoch]] : [],
    begun: rate !== undefined && attempt === 0 ? [...without(begun, id), [id, nowMs]] : begun,
  };
}

/** The book without tasks that run no more, if it has them; one that runs again with another lease stays. Pure. */
export function withoutRunning({ running, begun }: ToolBook, ended: readonly Entry[]): ToolBook | undefined {
  const isOver = ([id, epoch]: Entry) => ended.some(([endedId, of]) => endedId === id && of === epoch);
  return running.some(isOver) ? { begun, running: running.filter((entry) => !isOver(entry)) } : undefined;
}

/**
 * The book as it counts now. A moment that has not come yet is of a wall clock that was set back, or of a machine whose clock is
 * ahead: it becomes now, so that no task waits for longer than the time of the rate. Pure.
 */
export function countedNow(book: ToolBook, { rate }: ToolBounds, countsFor: CountsFor, nowMs: number): ToolBook {
  if (rate === undefined) return book;
  const begun = book.begun
    .filter(([, ms]) => countsFor(ms) > 0)
    .map(([id, ms]): Entry => [id, countsFor(ms) > rate.perMs ? nowMs : ms]);
  return { ...book, begun };
}

function without(entries: readonly Entry[], taskId: string): readonly Entry[] {
  return entries.filter(([id]) => id !== taskId);
}
