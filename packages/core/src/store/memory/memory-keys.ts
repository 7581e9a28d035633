import { isFinal } from "../../task/task-record.js";
import type { Memory, MemoryTask } from "./memory.js";

interface Call {
  readonly id: string;
  readonly owner: string;
  readonly key: string | null;
}

/** Finds the task that claimed a call last. */
export function newestClaim(memory: Memory, { owner, key }: Call): MemoryTask | undefined {
  if (key === null) return undefined;
  const id = memory.claims.get(claimName(owner, key))?.at(-1);
  return id === undefined ? undefined : memory.tasks.get(id);
}

/** Finds another unfinished task that stands for the same call. */
export function rivalOf(memory: Memory, call: Call): MemoryTask | undefined {
  const newest = newestClaim(memory, call);
  return newest === undefined || newest.record.id === call.id || isFinal(newest.record.status) ? undefined : newest;
}

/** Makes a task the newest of its call. */
export function claim(memory: Memory, call: Call): void {
  if (call.key === null) return;
  unclaim(memory, call);
  const name = claimName(call.owner, call.key);
  memory.claims.set(name, [...(memory.claims.get(name) ?? []), call.id]);
}

/** Forgets that a task ever stood for its call. */
export function unclaim(memory: Memory, { id, owner, key }: Call): void {
  if (key === null) return;
  const name = claimName(owner, key);
  const left = (memory.claims.get(name) ?? []).filter((other) => other !== id);
  if (left.length === 0) memory.claims.delete(name);
  else memory.claims.set(name, left);
}

function claimName(owner: string, key: string): string {
  return JSON.stringify([owner, key]);
}
