import type { NewSignal, Signal } from "../../task/task-snapshot.js";
import { oppositeOf } from "../../task/task-snapshot.js";
import { isolate, type MemoryTask } from "./memory.js";
import { alreadyAnswered } from "./memory-error.js";

/** Adds a signal to those that are pending. */
export function addSignal(task: MemoryTask, signal: NewSignal, id: string): void {
  const added: Signal = isolate({ ...signal, id }, "signal");
  task.signals = Object.freeze(pendingWith(task, added));
  if (added.kind === "answer") task.answered = new Set([...task.answered, added.key]);
}

function pendingWith(task: MemoryTask, added: Signal): Signal[] {
  const others = task.signals.filter(({ kind }) => kind !== added.kind && kind !== oppositeOf(added.kind));
  if (oppositeOf(added.kind) !== undefined) return [...others, added];
  if (added.kind !== "answer") return others.length < task.signals.length ? [...task.signals] : [...others, added];
  if (isAnswered(task, added.key)) throw alreadyAnswered(task.record.id, added.key);
  return [...task.signals, added];
}

function isAnswered(task: MemoryTask, key: string): boolean {
  const { remembered } = task.record;
  return task.answered.has(key) || (Object.hasOwn(remembered, key) && remembered[key]?.kind === "answer");
}
