/**
 * Who is to blame when a process dies? All tasks that ran in it without progress are suspects. They are tried in smaller
 * and smaller groups, so that the innocent come to their next progress without the one that kills, and are suspects no
 * more. Other tasks run next to them and wait for none. Everything here is pure.
 */

/** Each death of a suspect divides its group by this, and multiplies the time of its trial. */
const narrowing = 4;

/** A task that runs, as far as a trial depends on it. */
export interface TriedTask {
  /** Deaths without progress; 0 as soon as the present attempt made progress. */
  readonly crashes: number;
  /** It only waits: its death would say nothing, so it is not on trial. */
  readonly waiting: boolean;
  /** Monotonic milliseconds. */
  readonly startedAtMs: number;
}

/** What trials are bounded by. */
export interface TrialLimits {
  readonly maxRunning: number;
  /** How long the trial of a task lasts that died once. */
  readonly trialMs: number;
}

/** How many suspects may be on trial in one process at a time, by the number of deaths of one of them. */
export function groupSize(crashes: number, { maxRunning }: Pick<TrialLimits, "maxRunning">): number {
  return Math.max(1, Math.floor(maxRunning / narrowing ** (crashes - 1)));
}

/** How long a suspect with so many deaths keeps others from their trial, and waits itself for its own. */
export function trialMsOf(crashes: number, { trialMs }: Pick<TrialLimits, "trialMs">): number {
  return trialMs * narrowing ** (crashes - 1);
}

/** Tells whether a running task is on trial. */
export function isOnTrial(task: TriedTask, limits: TrialLimits, nowMs: number): boolean {
  return task.crashes > 0 && !task.waiting && nowMs < task.startedAtMs + trialMsOf(task.crashes, limits);
}

/** Tells whether a task may start next to those that run. A task that is not a suspect always may. */
export function mayJoin(
  task: { readonly crashes: number; readonly queuedAtMs: number },
  running: readonly TriedTask[],
  limits: TrialLimits,
  nowMs: number,
): boolean {
  if (task.crashes === 0 || nowMs >= task.queuedAtMs + trialMsOf(task.crashes, limits)) return true;
  const tried = running.filter((other) => isOnTrial(other, limits, nowMs));
  const worst = Math.max(task.crashes, ...tried.map(({ crashes }) => crashes));
  return tried.length < groupSize(worst, limits);
}

/** When time alone next lets a suspect start that waits now: monotonic milliseconds, infinite for never. */
export function nextTrialMs(
  queue: Iterable<{ readonly crashes: number; readonly queuedAtMs: number }>,
  running: readonly TriedTask[],
  limits: TrialLimits,
  nowMs: number,
): number {
  const waiting = [...queue].filter(({ crashes }) => crashes > 0);
  if (waiting.length === 0) return Number.POSITIVE_INFINITY;
  const ends = running
    .filter((task) => isOnTrial(task, limits, nowMs))
    .map((task) => task.startedAtMs + trialMsOf(task.crashes, limits));
  const patience = waiting.map((task) => task.queuedAtMs + trialMsOf(task.crashes, limits));
  return Math.min(...[...ends, ...patience].filter((atMs) => atMs > nowMs));
}

/**
 * Judges a task by the processes in which it died without progress.
 *
 * A death counts when no other task can have caused it: all others that died in that process have made progress since,
 * or have ended well. `companions` are the same lists of those of which that is not known, and of those that were found
 * guilty. Beyond `maxCrashesInCompany` deaths a task is not tried again, whichever other task may be guilty.
 */
export function isCrashLoop(
  crashedIn: readonly string[],
  companions: readonly (readonly string[])[],
  limits: { readonly maxCrashesWithoutProgress: number; readonly maxCrashesInCompany: number },
): boolean {
  const proven = crashedIn.filter((worker) => !companions.some((others) => others.includes(worker)));
  if (proven.length >= limits.maxCrashesWithoutProgress) return true;
  return crashedIn.length >= Math.max(limits.maxCrashesInCompany, limits.maxCrashesWithoutProgress);
}
