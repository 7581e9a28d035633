import { type Evidence, eventsOf, type Violation } from "./evidence.js";
import type { HistoryEvent } from "./history.js";

/** G11: limits hold at every moment, and nothing is refused for a limit that is not set. */
export function checkLimits(evidence: Evidence): readonly Violation[] {
  const broken = [tooManyUnfinished, tooManyRunning, tooManyInStore, tooManyBegun, wronglyRefused];
  return broken.flatMap((found) => found(evidence)).map((text) => ({ rule: "G11", text }));
}

/**
 * The limit is of all processes together, except for what a loss of power or damage took from the store, and for tasks
 * whose maker died: a request that names such a task may finish its making.
 */
function tooManyUnfinished({ plan, events }: Evidence): readonly string[] {
  const { maxUnfinishedPerOwner: allowed = Number.POSITIVE_INFINITY } = plan.limits;
  if (events.some(({ kind }) => kind === "rotted" || kind === "power_lost")) return [];
  const halfMade = new Set<unknown>();
  return events.flatMap(({ kind, half, owner, unfinished, atMs }) => {
    if (kind === "half_made") halfMade.add(half);
    return kind === "listed" && Number(unfinished) > allowed + halfMade.size
      ? [`${owner} has ${unfinished} unfinished tasks at ${atMs} ms, and ${allowed} are allowed.`]
      : [];
  });
}

/** Attempts that work, and never waited: each of them holds a slot for certain. */
function tooManyRunning({ plan, events, tasks }: Evidence): readonly string[] {
  const { maxRunning = Number.POSITIVE_INFINITY, maxRunningPerOwner = Number.POSITIVE_INFINITY } = plan.limits;
  const ownerOf = new Map(tasks.map(({ record }) => [record.id, record.owner]));
  const waited = new Set<string>();
  const working = new Map<string, { readonly worker: unknown; readonly owner: unknown }>();
  const violations: string[] = [];
  for (const { kind, worker, task, attempt, op, atMs } of events) {
    const key = `${task}/${attempt}`;
    if (kind === "died") for (const [other, one] of working) if (one.worker === worker) working.delete(other);
    if (kind === "leaves" || kind === "begins") working.delete(key);
    if (kind !== "begins") continue;
    if (op !== "work") waited.add(key);
    if (op !== "work" || waited.has(key)) continue;
    const owner = ownerOf.get(String(task));
    working.set(key, { worker, owner });
    const here = [...working.values()].filter((one) => one.worker === worker);
    const theirs = here.filter((one) => owner !== undefined && one.owner === owner);
    if (here.length > maxRunning)
      violations.push(`${worker} ran ${here.length} tasks at ${atMs} ms, and ${maxRunning} are allowed.`);
    if (theirs.length > maxRunningPerOwner)
      violations.push(`${worker} ran ${theirs.length} tasks of ${owner} at ${atMs} ms, not ${maxRunningPerOwner}.`);
  }
  return violations;
}

/**
 * Attempts of the tool that work in all processes. A process that stands still, or that its store cannot be reached from, loses its
 * tasks before it knows.
 */
function tooManyInStore({ plan, events }: Evidence): readonly string[] {
  const { maxRunningInStore: allowed } = plan.tool ?? {};
  if (allowed === undefined || !losesNoLease(events)) return [];
  const working = new Map<string, unknown>();
  return events.flatMap(({ kind, worker, task, attempt, atMs, tool }) => {
    const key = `${String(task)}/${String(attempt)}`;
    if (kind === "died") for (const [other, one] of working) if (one === worker) working.delete(other);
    if (kind === "leaves") working.delete(key);
    if (kind !== "attempt" || tool !== undefined) return [];
    working.set(key, worker);
    return working.size > allowed
      ? [`${working.size} tasks ran in all processes at ${atMs} ms, and ${allowed} are allowed.`]
      : [];
  });
}

/** First attempts that began within the time of the rate, which is measured from when they may, a moment before they do. */
function tooManyBegun({ plan, patience, events }: Evidence): readonly string[] {
  const { rate } = plan.tool ?? {};
  if (rate === undefined || !losesNoLease(events) || eventsOf(events, "fault").some(({ fault }) => fault === "clock"))
    return [];
  const begun = eventsOf(events, "attempt").filter(({ attempt, tool }) => attempt === 1 && tool === undefined);
  const leastMs = rate.per * (1 - maxDrift) - patience.lateMs;
  return begun.slice(rate.limit).flatMap(({ task, atMs }, index) => {
    const before = begun[index];
    return before !== undefined && atMs - before.atMs < leastMs
      ? [
          `${String(task)} began at ${atMs} ms, ${rate.limit} after what began at ${before.atMs} ms: not within ${rate.per} ms.`,
        ]
      : [];
  });
}

/** What clocks that drift may differ by. */
const maxDrift = 0.02;

/** Whether nothing but deaths and the network of callers broke anything. */
function losesNoLease(events: readonly HistoryEvent[]): boolean {
  return eventsOf(events, "fault").every(({ fault, takesPower }) => {
    const isDeath = typeof fault === "string" && (fault.startsWith("die_at_") || fault.startsWith("kill"));
    return (isDeath && takesPower !== true) || harmless.has(fault);
  });
}

const harmless: ReadonlySet<unknown> = new Set([
  "clock",
  "drift",
  "shut_down",
  "spikes",
  "losses",
  "slow_readers",
  "repeats",
]);

function wronglyRefused({ plan, events }: Evidence): readonly string[] {
  const { limits, storeLimits } = plan;
  const isSet: { readonly [code: string]: boolean } = {
    LIMIT_EXCEEDED: limits.maxUnfinishedPerOwner !== undefined,
    QUOTA_EXCEEDED: storeLimits?.maxStoreTasks !== undefined || storeLimits?.maxJournalEvents !== undefined,
  };
  return events.flatMap(({ kind, caller, code, atMs }) =>
    (kind === "refused" || kind === "request_refused") && isSet[String(code)] === false
      ? [`${caller} was refused with ${code} at ${atMs} ms, and no such limit is set.`]
      : [],
  );
}
