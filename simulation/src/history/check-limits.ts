import type { Evidence, Violation } from "./evidence.js";

/** G11: limits hold at every moment, and nothing is refused for a limit that is not set. */
export function checkLimits(evidence: Evidence): readonly Violation[] {
  return [...tooManyUnfinished(evidence), ...tooManyRunning(evidence), ...wronglyRefused(evidence)].map((text) => ({
    rule: "G11",
    text,
  }));
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
