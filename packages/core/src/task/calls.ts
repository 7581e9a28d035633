import { fixedLimits } from "../limits.js";
import type { TaskEvent } from "./task-event.js";
import { type CalledTask, findEntry, isFinal, type Remembered, type TaskRecord } from "./task-record.js";

type OpenCall = Extract<Remembered, { kind: "call" }>;

/** A task that was called, and how far the task that called it knows it to be. */
export interface Child extends CalledTask {
  readonly key: string;
  readonly status: "called" | "returned" | "failed";
}

const statuses = { call: "called", returned: "returned", failed_call: "failed" } as const;

/** The tasks that a task called since it began, or last restarted from nothing, in order. */
export function childrenOf({ remembered }: Pick<TaskRecord, "remembered">): readonly Child[] {
  return Object.entries(remembered).flatMap(([key, entry]) =>
    "child" in entry ? [{ key, child: entry.child, tool: entry.tool, status: statuses[entry.kind] }] : [],
  );
}

/** The calls whose tasks have not ended, as far as their caller knows. */
export function openCalls({ remembered }: Pick<TaskRecord, "remembered">): readonly OpenCall[] {
  return Object.values(remembered).filter((entry) => entry.kind === "call");
}

/**
 * When a task looks after what it called, though nothing woke it: wall clock in milliseconds, infinite when it waits for no call.
 * Where that is because of a process that died, the task has waited at most twice as long as what it called took, or a minute longer.
 */
export function looksAgainMs({ remembered }: Pick<TaskRecord, "remembered">, nowMs: number): number {
  const since = openCalls({ remembered }).map(({ calledAt }) => Date.parse(calledAt));
  const waitedMs = nowMs - Math.max(...since);
  if (since.length === 0) return Number.POSITIVE_INFINITY;
  return nowMs + Math.min(Math.max(waitedMs, fixedLimits.minCallLookMs), fixedLimits.maxCallLookMs);
}

/** What a call leaves behind; `undefined` for an event of another kind. */
export function rememberedCall(
  record: Pick<TaskRecord, "remembered">,
  event: TaskEvent,
): { readonly key: string; readonly value: Remembered } | undefined {
  if (event.type === "called") {
    const { key, child, tool, at } = event;
    return { key, value: { kind: "call", child, tool, calledAt: at } };
  }
  if (event.type !== "returned" && event.type !== "call_failed") return undefined;
  const entry = findEntry(record, event.key);
  if (entry?.kind !== "call") return undefined;
  const { child, tool } = entry;
  if (event.type === "returned")
    return { key: event.key, value: { kind: "returned", child, tool, value: event.value } };
  const { generation, error } = event;
  return { key: event.key, value: { kind: "failed_call", child, tool, generation, error } };
}

/** Forgets what failed, because the task runs again: steps begin again, and what it called continues. */
export function withoutFailures(remembered: TaskRecord["remembered"], at: string): TaskRecord["remembered"] {
  const entries = Object.entries(remembered);
  if (!entries.some(([, entry]) => "error" in entry)) return remembered;
  const kept = entries.flatMap(([key, entry]): readonly (readonly [string, Remembered])[] => {
    if (entry.kind === "failed_step" && entry.until === undefined) return [];
    if (entry.kind !== "failed_call") return [[key, entry]];
    const { child, tool, generation } = entry;
    return [[key, Object.freeze({ kind: "call", child, tool, calledAt: at, continues: generation })]];
  });
  return Object.fromEntries(kept);
}

/** Whether a task has a use for one that it called and that has not begun. */
export function wantsChild(parent: TaskRecord, { id, parent: link }: TaskRecord): boolean {
  const entry = link && findEntry(parent, link.key);
  return parent.status !== "cancelled" && entry !== undefined && "child" in entry && entry.child === id;
}

/** Whether a task is still to read how one ended that it called, or continues one that failed when it continues itself. */
export function needsChild(parent: TaskRecord, { id }: TaskRecord): boolean {
  const isOver = isFinal(parent.status) && parent.status !== "failed";
  return !isOver && childrenOf(parent).some(({ child, status }) => child === id && status !== "returned");
}
