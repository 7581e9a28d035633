import { mayJoin, type TrialLimits, type TriedTask } from "./suspects.js";

/** A task that waits for a slot of this process. */
export interface QueuedTask {
  readonly id: string;
  readonly owner: string;
  readonly tool: string;
  /** How many times its process died without progress. */
  readonly crashes: number;
  /** Attempts that have begun, as far as is known: for a limit of tasks that begin. */
  readonly attempt?: number | undefined;
  /** Monotonic milliseconds. */
  readonly queuedAtMs: number;
  /** Another process runs it, as far as is known: it waits for a caller's sake, should that process die. */
  readonly runsElsewhere: boolean;
}

/** A task that runs in this process. */
export interface RunningTask extends TriedTask {
  readonly owner: string;
  readonly tool: string;
}

/** A task that runs, as far as turns depend on it. */
export interface TurnTask extends RunningTask {
  /** It stops at the checkpoint that it has just written, so that another owner gets its slot. */
  readonly yielding: boolean;
}

/**
 * Whose running tasks a task waits for: `running` are those of its owner in this process, `store` those of its tool in all processes.
 * For its tool's rate it waits until a time: ISO 8601 UTC.
 */
export type SlotWait =
  | { readonly limit: "owner"; readonly running: number }
  | { readonly limit: "tool" | "process" | "store" }
  | { readonly limit: "rate"; readonly until: string };

/** How many tasks may run at once. */
export interface SlotLimits extends TrialLimits {
  readonly maxRunning: number;
  readonly maxRunningPerOwner: number;
  readonly reservedRunning: number;
  readonly maxRunningOf: (tool: string) => number;
  /** Whether a limit of its tool for all processes keeps a task from a slot. Default: none does. */
  readonly isHeld?: (task: QueuedTask) => boolean;
}

/** The same, and how long a task has its slot before it may have to give it up. */
export interface TurnLimits extends SlotLimits {
  readonly slotTurnMs: number;
}

/**
 * Picks the task that gets the next slot: of those that may run, one of the owner that has the fewest running, the
 * longest waiting first. The last free slots are for owners that run nothing. A task that waits in place does not run; only
 * the limit of its own tool counts it. Pure.
 */
export function pickNext<Queued extends QueuedTask>(
  queue: Iterable<Queued>,
  attempts: readonly RunningTask[],
  limits: SlotLimits,
  nowMs: number,
): Queued | undefined {
  const running = attempts.filter(({ waiting }) => !waiting);
  if (running.length >= limits.maxRunning) return undefined;
  const mayTakeMore = limits.maxRunning - running.length > reservedOf(limits);
  const byOwner = countBy(running.map((task) => task.owner));
  const byTool = countBy(attempts.map((task) => task.tool));
  let best: Queued | undefined;
  let bestCount = Number.POSITIVE_INFINITY;
  for (const task of queue) {
    const count = byOwner.get(task.owner) ?? 0;
    if (count >= limits.maxRunningPerOwner || count >= bestCount) continue;
    if (count > 0 && !mayTakeMore) continue;
    if ((byTool.get(task.tool) ?? 0) >= limits.maxRunningOf(task.tool)) continue;
    if (limits.isHeld?.(task) === true) continue;
    if (!mayJoin(task, running, limits, nowMs)) continue;
    best = task;
    bestCount = count;
  }
  return best;
}

/** Tells which limit keeps a task of the queue from a slot; `undefined` where none does. Pure. */
export function findSlotWait(
  { owner, tool }: QueuedTask,
  attempts: readonly RunningTask[],
  limits: SlotLimits,
): SlotWait | undefined {
  const running = attempts.filter(({ waiting }) => !waiting);
  const own = running.filter((task) => task.owner === owner).length;
  if (own >= limits.maxRunningPerOwner) return { limit: "owner", running: own };
  if (attempts.filter((task) => task.tool === tool).length >= limits.maxRunningOf(tool)) return { limit: "tool" };
  const free = limits.maxRunning - running.length;
  return free <= (own > 0 ? reservedOf(limits) : 0) ? { limit: "process" } : undefined;
}

/**
 * Tells whether a task that has just written a checkpoint gives its slot to an owner that runs nothing here: its turn is
 * over, and such an owner can use the slot. Each of these owners is given one slot at a time. Pure.
 */
export function mustYield(
  task: TurnTask,
  queue: readonly QueuedTask[],
  attempts: readonly TurnTask[],
  limits: TurnLimits,
  nowMs: number,
): boolean {
  if (queue.length === 0 || nowMs - task.startedAtMs < limits.slotTurnMs) return false;
  const busy = ownersOf(attempts);
  // A task that waited in place works on without asking for a slot. While more run than there are slots, each turn ends one.
  const slots = {
    ...limits,
    maxRunning: Math.max(limits.maxRunning, attempts.filter(({ waiting }) => !waiting).length),
  };
  const running: RunningTask[] = attempts.filter((other) => other !== task && !other.yielding);
  const free = attempts.filter(({ yielding }) => yielding).length + 1;
  for (let slot = 0; slot < free; slot++) {
    const starving = queue.filter((waiting) => starves(waiting, busy));
    const next = pickNext(starving, running, slots, nowMs);
    if (next === undefined) return false;
    busy.add(next.owner);
    running.push({ ...next, progressed: false, waiting: false, startedAtMs: nowMs });
  }
  return true;
}

/** Whether a task waits whose owner runs nothing here: without one, no turn ends. Pure. */
export function hasStarving(queue: Iterable<QueuedTask>, attempts: Iterable<RunningTask>): boolean {
  const busy = ownersOf(attempts);
  for (const task of queue) if (starves(task, busy)) return true;
  return false;
}

function ownersOf(attempts: Iterable<RunningTask>): Set<string> {
  const owners = new Set<string>();
  for (const { owner, waiting } of attempts) if (!waiting) owners.add(owner);
  return owners;
}

function starves({ owner, runsElsewhere }: QueuedTask, busy: ReadonlySet<string>): boolean {
  return !runsElsewhere && !busy.has(owner);
}

/** No more than an eighth; none where one owner may take all. */
function reservedOf({ maxRunning, maxRunningPerOwner, reservedRunning }: SlotLimits): number {
  return maxRunningPerOwner >= maxRunning ? 0 : Math.min(reservedRunning, Math.floor(maxRunning / 8));
}

function countBy(names: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
}
