import { isolate, type Json } from "../../json.js";
import { reduceTask } from "../../task/reduce-task.js";
import type { NewTask, TaskEvent, TaskEventBody } from "../../task/task-event.js";
import { findEntry, type NewSignal, oppositeKind, type Signal } from "../../task/task-record.js";
import type { EventPage, Instant, ItemPage } from "../store.js";
import { alreadyAnswered, questionForgotten } from "../store-errors.js";
import type { MemoryTask } from "./memory.js";

/** Begins a task's journal. */
export function beginTask(task: NewTask, now: Instant): MemoryTask {
  const events = numbered([{ type: "created", task }], 0, now);
  return {
    record: reduceTask(undefined, events),
    base: undefined,
    events,
    bytes: 0,
    items: [],
    chunks: new Map(),
    signals: Object.freeze([]),
    answered: new Set(),
    holder: undefined,
  };
}

/** Gives events their place and time. */
export function numbered(bodies: readonly TaskEventBody[], afterSeq: number, now: Instant): TaskEvent[] {
  const at = new Date(now.wallMs).toISOString();
  return bodies.map((body, index) => isolate({ ...body, seq: afterSeq + 1 + index, at }, "event"));
}

/** Appends events that were checked; `record` is their fold. */
export function append(task: MemoryTask, events: readonly TaskEvent[], record: MemoryTask["record"]): void {
  for (const event of events) {
    task.events.push(event);
    if (event.type === "checkpoint") for (const item of event.items ?? []) task.items.push(item);
    if (event.type !== "restarted" || event.fromState) continue;
    task.items = [];
    task.answered = new Set();
  }
  task.record = record;
}

/** Folds the older half of a journal away when it has grown too long. */
export function compact(task: MemoryTask, maxEvents: number): void {
  if (task.events.length <= maxEvents) return;
  const dropped = task.events.splice(0, task.events.length - Math.floor(maxEvents / 2));
  task.base = reduceTask(task.base, dropped);
}

/** Reads a journal from behind a cursor. */
export function readEvents(task: MemoryTask, range: { afterSeq: number; limit: number }): EventPage {
  const baseSeq = task.base?.lastSeq ?? 0;
  const start = Math.max(range.afterSeq - baseSeq, 0);
  return {
    snapshot: range.afterSeq < baseSeq ? task.base : undefined,
    events: task.events.slice(start, start + range.limit),
    lastSeq: task.record.lastSeq,
  };
}

/** Reads what checkpoints appended. */
export function readItems(task: MemoryTask, range: { after: number; limit: number }): ItemPage {
  const items: readonly Json[] = task.items.slice(range.after, range.after + range.limit);
  return { items, next: range.after + items.length, total: task.items.length };
}

/** Adds a signal to those that are pending. */
export function addSignal(task: MemoryTask, signal: NewSignal, id: string): void {
  if (signal.kind === "answer") {
    const { itemsFromSeq, key } = signal;
    if (itemsFromSeq !== undefined && itemsFromSeq !== task.record.itemsFromSeq)
      throw questionForgotten(task.record.id, key);
  }
  const { itemsFromSeq: _checked, ...kept } = { itemsFromSeq: undefined, ...signal };
  const added: Signal = isolate({ ...kept, id }, "signal");
  task.signals = Object.freeze(pendingWith(task, added));
  if (added.kind === "answer") task.answered = new Set([...task.answered, added.key]);
}

function pendingWith(task: MemoryTask, added: Signal): Signal[] {
  const others = task.signals.filter(({ kind }) => kind !== added.kind && kind !== oppositeKind(added.kind));
  if (oppositeKind(added.kind) !== undefined) return [...others, added];
  if (added.kind !== "answer") return others.length < task.signals.length ? [...task.signals] : [...others, added];
  if (task.answered.has(added.key) || findEntry(task.record, added.key)?.kind === "answer")
    throw alreadyAnswered(task.record.id, added.key);
  return [...task.signals, added];
}
