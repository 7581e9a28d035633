import { type Evidence, eventsOf, isSameCall, type Violation } from "./evidence.js";
import type { HistoryEvent } from "./history.js";

/** G8: what is requested is carried out in time, and what is stopped stays stopped. */
export function checkControl(evidence: Evidence): readonly Violation[] {
  const found = [worksAfterRequest, worksAfterCancel, neverLeft, refusedWrongly].flatMap((rule) => rule(evidence));
  return found.map((text) => ({
    rule: "G8",
    text,
  }));
}

/** After this time also a process that was frozen or without its disk knows of a request. */
const longMs = 60_000;

/** A cancelled task begins nothing more, and a paused one nothing until it is resumed. */
function worksAfterRequest({ plan, patience, events }: Evidence): readonly string[] {
  const reactMs = 2 * (plan.limits.graceMs ?? 10_000) + patience.lateMs;
  const breaks = events.filter(({ kind }) => kind === "died" || kind === "fault");
  const begun = byTask(eventsOf(events, "begins"));
  const calls = byTask(events.filter(({ kind }) => kind === "calls" || kind === "called"));
  const requests = byTask(eventsOf(events, "requests"));
  return eventsOf(events, "request_done").flatMap(({ task, what, atMs, caller }) => {
    if (what !== "cancel" && (what !== "pause" || isShared(plan, caller))) return [];
    const asked = requests
      .get(String(task))
      ?.findLast((one) => one.caller === caller && one.what === what && one.atMs <= atMs);
    if (asked === undefined) return [];
    const isQuiet = !breaks.some((one) => one.atMs > asked.atMs - patience.faultMs && one.atMs < atMs + reactMs);
    const fromMs = atMs + (isQuiet ? reactMs : longMs);
    const revivals = [
      ...(calls.get(String(task)) ?? []),
      ...(requests.get(String(task)) ?? []).filter((one) => one.what === "resume"),
    ];
    const untilMs =
      what === "cancel"
        ? Number.POSITIVE_INFINITY
        : Math.min(...revivals.map((one) => one.atMs).filter((ms) => ms > asked.atMs - patience.lateMs));
    const late = begun.get(String(task))?.find((one) => one.atMs > fromMs && one.atMs < untilMs);
    return late === undefined
      ? []
      : [
          `${task} began ${late.op} at ${late.atMs} ms, though its owner's request to ${what} was accepted at ${atMs} ms.`,
        ];
  });
}

/** A process that starts after a cancellation was accepted begins nothing of the task. */
function worksAfterCancel({ events }: Evidence): readonly string[] {
  const started = new Map(eventsOf(events, "started").map(({ worker, atMs }) => [worker, atMs]));
  const cancelled = new Map<unknown, number>();
  return events.flatMap(({ kind, what, task, worker, op, atMs }) => {
    if (kind === "request_done" && what === "cancel") cancelled.set(task, cancelled.get(task) ?? atMs);
    const sinceMs = cancelled.get(task);
    if (kind !== "begins" || sinceMs === undefined || (started.get(worker) ?? 0) <= sinceMs) return [];
    return [`${task} began ${op} at ${atMs} ms in ${worker}, which started after its cancellation at ${sinceMs} ms.`];
  });
}

/** Others make the same call, and resume the task by that. */
function isShared({ calls }: Evidence["plan"], caller: unknown): boolean {
  const own = calls.find(({ name }) => name === caller);
  return calls.filter((call) => own === undefined || isSameCall(call, own)).length > 1;
}

function byTask(events: readonly HistoryEvent[]): ReadonlyMap<string, readonly HistoryEvent[]> {
  const groups = new Map<string, HistoryEvent[]>();
  for (const event of events) groups.set(String(event.task), [...(groups.get(String(event.task)) ?? []), event]);
  return groups;
}

/** The `finally` block of an attempt runs before a process begins the next one, unless its code ignores its signal. */
function neverLeft({ events }: Evidence): readonly string[] {
  // Not every harness notes it.
  if (!events.some(({ kind }) => kind === "leaves")) return [];
  const last = new Map<string, HistoryEvent>();
  const ignoring = new Set<string>();
  return events.flatMap((event) => {
    const key = `${event.worker} ${event.task}`;
    if (event.kind === "begins" && (event.op === "stubborn" || event.op === "poison")) ignoring.add(key);
    if (event.kind === "leaves") last.delete(key);
    if (event.kind !== "attempt") return [];
    const before = last.get(key);
    last.set(key, event);
    if (before === undefined || ignoring.has(key)) return [];
    return [`Attempt ${before.attempt} of ${event.task} in ${event.worker} was never left.`];
  });
}

/** What a request may be refused with, in addition to what any call may be refused with. */
const refusals: { readonly [what: string]: readonly string[] } = {
  pause: ["ILLEGAL_TRANSITION"],
  resume: ["ILLEGAL_TRANSITION", "KEY_TAKEN", "LIMIT_EXCEEDED", "QUOTA_EXCEEDED"],
  cancel: ["ILLEGAL_TRANSITION"],
  detach: [],
  get: [],
  delete: ["ILLEGAL_TRANSITION"],
};

/** An owner's request reaches the task in any state and in any process. */
function refusedWrongly({ plan, events }: Evidence): readonly string[] {
  const deleted = new Set(
    events.filter(({ kind, what }) => kind === "requests" && what === "delete").map(({ task }) => task),
  );
  return eventsOf(events, "request_refused").flatMap(({ task, what, code, atMs }) => {
    const isRight =
      /^(LOST|DRAINING|STORE_[A-Z_]+)$/.test(String(code)) ||
      refusals[String(what)]?.includes(String(code)) ||
      (code === "TASK_NOT_FOUND" && (deleted.has(task) || plan.limits.ttlMs !== undefined));
    return isRight ? [] : [`The request to ${what} ${task} was refused with ${code} at ${atMs} ms.`];
  });
}
