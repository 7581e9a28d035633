import { type Evidence, eventsOf, type Violation } from "./evidence.js";
import { hasFreeSlots } from "./slots.js";

/**
 * G10, G11, G12: no owner waits for long while slots are free or soon become free: a task that waits holds none, a suspect
 * keeps none from others, and the next one goes to the owner with the fewest running tasks.
 */
export function checkFair(evidence: Evidence): readonly Violation[] {
  return hasFreeSlots(evidence.plan) ? [...lateProbes(evidence), ...lateStarts(evidence)] : [];
}

/** A short call is soon done. */
function lateProbes({ patience, events }: Evidence): readonly Violation[] {
  const { probeMs, faultMs } = patience;
  const ends = new Map(eventsOf(events, "probe_ends").map(({ probe, atMs }) => [probe, atMs]));
  const lastMs = events.at(-1)?.atMs ?? 0;
  const broken = events.filter(({ kind }) => kind === "died" || kind === "fault" || kind === "probe_fails");
  return eventsOf(events, "probe_begins").flatMap(({ probe, worker, atMs }) => {
    const endMs = ends.get(probe) ?? lastMs;
    if (endMs - atMs <= probeMs) return [];
    const isDisturbed = broken.some(
      (fault) =>
        fault.atMs > atMs - faultMs &&
        fault.atMs < Math.min(endMs, atMs + probeMs) &&
        // Another process may die without making this one late.
        (fault.kind !== "died" || fault.worker === worker),
    );
    if (isDisturbed) return [];
    return [
      {
        rule: "fairness",
        text: `Probe ${String(probe)}, made at ${atMs} ms, took ${Math.round(endMs - atMs)} ms while slots were free.`,
      },
    ];
  });
}

/** The first attempt of a new task begins soon, unless something was requested of it meanwhile. */
function lateStarts({ plan, patience, events }: Evidence): readonly Violation[] {
  const { probeMs, faultMs } = patience;
  if ((plan.limits.maxRunning ?? 0) < 32 || plan.limits.maxRunningPerOwner !== undefined) return [];
  const begunMs = new Map(
    eventsOf(events, "attempt")
      .toReversed()
      .map(({ task, atMs }) => [task, atMs]),
  );
  const lastMs = events.at(-1)?.atMs ?? 0;
  return eventsOf(events, "called").flatMap(({ task, created, atMs }) => {
    const endMs = begunMs.get(task) ?? lastMs;
    if (created !== true || endMs - atMs <= probeMs) return [];
    const isDisturbed = events.some(
      (event) =>
        event.atMs > atMs - faultMs &&
        event.atMs < Math.min(endMs, atMs + probeMs) &&
        (event.kind === "died" || event.kind === "fault" || (event.kind === "requests" && event.task === task)),
    );
    const text = `${String(task)}, created at ${atMs} ms, began after ${Math.round(endMs - atMs)} ms while slots were free.`;
    return isDisturbed ? [] : [{ rule: "fairness", text }];
  });
}
