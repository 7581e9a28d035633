import { type Evidence, eventsOf, type Violation } from "./evidence.js";
import { livesOf } from "./lives.js";

/** How long a step of a script waits after each failure, in milliseconds. */
export const stepDelayMs = 400;
/** How long an attempt of such a step may take, in milliseconds. */
export const stepTimeoutMs = 300;

/**
 * G2: when a step has begun its next attempt, no later attempt of its task makes an earlier one again, until all are used up; and none
 * begins before its delay, or the time of the attempt before, is over, in whatever process.
 */
export function checkSteps(evidence: Evidence): readonly Violation[] {
  const { events } = evidence;
  const lives = livesOf(evidence);
  const clocksAreTrue = !eventsOf(events, "fault").some(({ fault }) => fault === "clock");
  const highest = new Map<string, { readonly tries: number; readonly attempt: number }>();
  const mayBeginMs = new Map<string, number>();
  /** Clocks may drift by as much. An attempt begins a moment before it is known to hang. */
  const after = (ms: number) => ms * 0.98 - 10;
  const violations: Violation[] = [];
  for (const event of events) {
    const { kind, task, key, atMs } = event;
    const leastMs =
      kind === "step_fails" ? after(stepDelayMs) : kind === "step_hangs" ? after(stepTimeoutMs) : undefined;
    if (kind !== "step_runs" && leastMs === undefined && kind !== "step_used_up") continue;
    const step = `${task}/${key}/${lives.of(event)}`;
    const [tries, attempt] = [Number(event.tries), Number(event.attempt)];
    if (kind === "step_used_up") highest.delete(step);
    if (leastMs !== undefined) mayBeginMs.set(`${step}/${tries}`, mayBeginMs.get(`${step}/${tries}`) ?? atMs + leastMs);
    if (kind !== "step_runs") continue;
    const before = highest.get(step);
    if (before !== undefined && attempt >= before.attempt && tries < before.tries) {
      const text = `Attempt ${tries} of ${key} of ${task} was made again at ${atMs} ms, after attempt ${before.tries}.`;
      violations.push({ rule: "G2", text });
    }
    if (tries > (before?.tries ?? 1)) highest.set(step, { tries, attempt });
    const earlyMs = (mayBeginMs.get(`${step}/${tries - 1}`) ?? atMs) - atMs;
    if (clocksAreTrue && earlyMs > 0) {
      const text = `Attempt ${tries} of ${key} of ${task} began ${Math.round(earlyMs)} ms before it may.`;
      violations.push({ rule: "G2", text });
    }
  }
  return [...violations, ...itemsBegunAgain(evidence)];
}

/**
 * G2: the next item of a map begins when all but its width are committed, and no later attempt begins one of these again; nor any of a
 * map that was over. Its counts are right.
 */
function itemsBegunAgain(evidence: Evidence): readonly Violation[] {
  const lives = livesOf(evidence);
  const committed = new Map<string, { readonly count: number; readonly attempt: number }>();
  return evidence.events.flatMap((event) => {
    const { kind, task, key, atMs } = event;
    if (kind === "map_miscounts") return [{ rule: "G2", text: `The map ${key} of ${task} has other counts.` }];
    if (kind !== "item_runs" && kind !== "map_done") return [];
    const map = `${task}/${key}/${lives.of(event)}`;
    const attempt = Number(event.attempt);
    const before = committed.get(map);
    const count = kind === "map_done" ? Number.POSITIVE_INFINITY : Number(event.item) - Number(event.width) + 1;
    if (count > (before?.count ?? 0)) committed.set(map, { count, attempt });
    if (kind === "map_done" || before === undefined || attempt < before.attempt || Number(event.item) >= before.count)
      return [];
    const text = `Item ${event.item} of ${key} of ${task} was begun again in attempt ${attempt} at ${atMs} ms.`;
    return [{ rule: "G2", text }];
  });
}
