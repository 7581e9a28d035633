import type { TaskEvent } from "@resumable-mcp/core/store";
import { type Evidence, eventsOf, type FinalTask, type Violation } from "./evidence.js";
import { hasFreeSlots, operationsOf } from "./slots.js";

/**
 * Liveness: after the last fault no task is silent for longer than its journal and the limits say. Times are those of the
 * journals, so the event `calm` says what the wall clock was.
 */
export function checkSilence(evidence: Evidence): readonly Violation[] {
  const { plan, patience, events, tasks } = evidence;
  const [calm] = eventsOf(events, "calm");
  const calmMs = calm?.wallMs;
  if (patience.silenceMs === undefined || typeof calmMs !== "number") return [];
  // What a journal says of time is of use only where its clock was not set.
  if (eventsOf(events, "fault").some(({ fault }) => fault === "clock")) return [];
  if (!hasFreeSlots(plan) || plan.limits.maxRunningPerOwner !== undefined) return [];
  const { leaseTtlMs = 15_000, pollMs = 1_000, recoverAfterMs = 30_000, maxWriteBackoffMs = 30_000 } = plan.limits;
  // Only where several versions run is it set.
  const { versionWaitMs = 0 } = plan.limits;
  const allowedMs = patience.silenceMs + leaseTtlMs + pollMs + recoverAfterMs + maxWriteBackoffMs + versionWaitMs;
  const { trialMs = 30_000 } = plan.limits;
  const trialAfter = (crashes: number) => (crashes === 0 ? 0 : trialMs * 4 ** crashes);
  // A suspect waits for the trials of others, which are long where a tool kills its processes.
  const isPoisoned = plan.calls.some(({ input }) => operationsOf(input).some(({ op }) => op === "poison"));
  const othersMs = isPoisoned ? tasks.map(mostCrashes).reduce((sum, crashes) => sum + trialAfter(crashes), 0) : 0;
  const patienceAfter = (crashes: number) => allowedMs + Math.max(trialAfter(crashes), crashes === 0 ? 0 : othersMs);
  // No caller has a task whose maker died: a request that names it may come much later.
  const halfMade = new Set(eventsOf(events, "half_made").map(({ half }) => half));
  return tasks.flatMap((task) => {
    if (halfMade.has(task.record.id)) return [];
    const found = silenceOf(task, calmMs, patienceAfter);
    return found === undefined ? [] : [{ rule: "liveness", text: `${task.record.id} was silent ${found}.` }];
  });
}

/** The first silence of a task that is too long. */
function silenceOf(
  { followed }: FinalTask,
  calmMs: number,
  patienceAfter: (crashes: number) => number,
): string | undefined {
  let [lastMs, dueMs, crashes] = [calmMs, 0, 0];
  let isOver = true;
  for (const each of followed) {
    if (each.kind === "snapshot") continue;
    const { event } = each;
    const nowMs = Date.parse(event.at);
    const fromMs = Math.max(lastMs, dueMs);
    if (!isOver && nowMs > fromMs + patienceAfter(crashes))
      return `for ${nowMs - lastMs} ms before its event ${event.seq}, ${event.type}`;
    lastMs = Math.max(calmMs, nowMs);
    dueMs = Math.max(dueMs, dueOf(event));
    crashes = crashesAfter(event, crashes);
    isOver = event.type === "completed" || event.type === "failed" || event.type === "cancelled";
  }
  return undefined;
}

/** How often a task died in a row, at most. */
function mostCrashes({ followed }: FinalTask): number {
  let [crashes, most] = [0, 0];
  for (const each of followed) {
    if (each.kind === "snapshot") continue;
    crashes = crashesAfter(each.event, crashes);
    most = Math.max(most, crashes);
  }
  return most;
}

/** Until when a task waits that has this event. */
function dueOf(event: TaskEvent): number {
  if (event.type === "sleep") return Date.parse(event.until);
  if (event.type === "attempt_ended" && event.runnableAt !== undefined) return Date.parse(event.runnableAt);
  return 0;
}

function crashesAfter(event: TaskEvent, crashes: number): number {
  if (event.type === "checkpoint" || event.type === "restarted") return 0;
  return crashes + (event.type === "attempt_ended" && event.reason === "crashed" ? 1 : 0);
}
