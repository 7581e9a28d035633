/** A task that waits for a slot of this process. */
export interface QueuedTask {
  readonly id: string;
  readonly owner: string;
  readonly tool: string;
  /** Its process died without progress so often. */
  readonly crashes: number;
  /** Monotonic milliseconds. */
  readonly queuedAtMs: number;
}

/** A task that runs in this process. */
export interface RunningTask {
  readonly owner: string;
  readonly tool: string;
  /** It is a suspect that has made no progress yet: nothing is started beside it. */
  readonly alone: boolean;
}

/** How many tasks may run at once. */
export interface SlotLimits {
  readonly maxRunning: number;
  readonly maxRunningPerOwner: number;
  readonly maxRunningOf: (tool: string) => number;
  /** A suspect waits this long for the others to end, then runs beside them. */
  readonly aloneMs: number;
}

/**
 * Picks the task that gets the next slot: of those that may run, one of the owner that has the fewest running, the
 * longest waiting first. Pure.
 */
export function pickNext<Queued extends QueuedTask>(
  queue: Iterable<Queued>,
  running: readonly RunningTask[],
  limits: SlotLimits,
  nowMs: number,
): Queued | undefined {
  if (running.length >= limits.maxRunning || running.some((task) => task.alone)) return undefined;
  const byOwner = countBy(running.map((task) => task.owner));
  const byTool = countBy(running.map((task) => task.tool));
  let best: Queued | undefined;
  let bestCount = Number.POSITIVE_INFINITY;
  for (const task of queue) {
    const count = byOwner.get(task.owner) ?? 0;
    const suspectMustWait = task.crashes > 0 && running.length > 0 && nowMs - task.queuedAtMs < limits.aloneMs;
    if (suspectMustWait || count >= limits.maxRunningPerOwner || count >= bestCount) continue;
    if ((byTool.get(task.tool) ?? 0) >= limits.maxRunningOf(task.tool)) continue;
    best = task;
    bestCount = count;
  }
  return best;
}

function countBy(names: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
}
