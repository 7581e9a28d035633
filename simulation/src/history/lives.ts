import { type Evidence, eventsOf } from "./evidence.js";
import type { HistoryEvent } from "./history.js";

/** What names an attempt: an event of one. */
type OfAttempt = { readonly [fact: string]: unknown };

/** Which attempts of a task belong to the same beginning from nothing. */
export interface Lives {
  /** 0 for the first; `undefined` for an attempt of which nothing is known. */
  of(attempt: OfAttempt): number | undefined;
  /** Nothing of the task was forgotten after this attempt. */
  isLast(attempt: OfAttempt): boolean;
}

/**
 * Tells apart the attempts before and after a task began again from nothing, as it may with another version of its tool
 * that declares `onVersionChange: "restart"`.
 */
export function livesOf({ plan, events }: Pick<Evidence, "plan" | "events">): Lives {
  if (plan.tool?.onVersionChange !== "restart") return { of: () => 0, isLast: () => true };
  const lives = new Map<string, number>();
  const last = new Map<string, HistoryEvent & { readonly life: number }>();
  const attempts = eventsOf(events, "attempt").toSorted((one, other) => Number(one.attempt) - Number(other.attempt));
  for (const event of attempts) {
    const before = last.get(String(event.task));
    const isNew =
      before !== undefined &&
      event.items === 0 &&
      (event.version !== before.version || Number(event.attempt) !== Number(before.attempt) + 1);
    const life = (before?.life ?? 0) + (isNew ? 1 : 0);
    last.set(String(event.task), { ...event, life });
    lives.set(`${String(event.task)}/${String(event.attempt)}`, life);
  }
  const of: Lives["of"] = ({ task, attempt }) => lives.get(`${String(task)}/${String(attempt)}`);
  return { of, isLast: (attempt) => of(attempt) === last.get(String(attempt.task))?.life };
}

/**
 * Leaves out the tasks whose id named a second task: where finished tasks expire they are forgotten, and a session that
 * repeats its call begins again under the same id.
 */
export function withoutReusedIds(evidence: Evidence): Evidence {
  if (evidence.plan.limits.ttlMs === undefined) return evidence;
  const begun = new Set<unknown>();
  const reused = new Set<unknown>();
  for (const { task, attempt } of eventsOf(evidence.events, "attempt")) {
    if (attempt === 1 && begun.has(task)) reused.add(task);
    begun.add(task);
  }
  return {
    ...evidence,
    events: evidence.events.filter(({ task }) => !reused.has(task)),
    tasks: evidence.tasks.filter(({ record }) => !reused.has(record.id)),
  };
}

/** The tasks that may not be there at the end: they may have finished, and finished tasks expire or were deleted. */
export function removableTasks({ plan, events }: Pick<Evidence, "plan" | "events">): ReadonlySet<string> {
  const finished = new Set<string>();
  const deleted = new Set<string>();
  const mayStall = plan.tool?.stallTimeout !== undefined;
  const mayBeCutOff = (tool: unknown) => tool === "once" || tool === "stepped";
  const once = new Set<unknown>(plan.calls.filter((call) => mayBeCutOff(call.tool)).map(({ name }) => name));
  for (const { kind, caller, task, what, attempt, tool } of events) {
    // A tool that stalls in each of its attempts fails without a word of its own.
    if (mayStall && kind === "attempt" && Number(attempt) > 1) finished.add(String(task));
    // So does one without checkpoints that is cut off, maybe before its first word.
    if (kind === "attempt" && mayBeCutOff(tool)) finished.add(String(task));
    if (kind === "called" && once.has(caller)) finished.add(String(task));
    if (kind === "returns" || kind === "throws" || kind === "result" || (kind === "requests" && what === "cancel"))
      finished.add(String(task));
    if (kind === "requests" && what === "delete") deleted.add(String(task));
  }
  const mayFail = plan.tool?.onVersionChange === "fail" || plan.storeLimits?.maxJournalEvents !== undefined;
  if (plan.limits.ttlMs === undefined) return deleted;
  return mayFail ? new Set(eventsOf(events, "called").map(({ task }) => String(task))) : finished;
}
