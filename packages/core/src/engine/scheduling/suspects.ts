/**
 * Who is to blame when a process dies? Any task that ran in it without progress. One that died once so runs again next to
 * others of its kind, and tasks that did not die have a moment to make progress first. From its second death on it is a
 * suspect, and is tried alone: so the innocent come to their next progress without the one that kills, and are suspects no
 * more. Tasks that did not die start next to all of them and wait for none. Everything here is pure.
 */

/** A task that runs, as far as a trial depends on it. */
export interface TriedTask {
  /** Deaths without progress; 0 as soon as the present attempt made progress. */
  readonly crashes: number;
  /** The present attempt made progress: a death would say nothing. */
  readonly progressed: boolean;
  /** It only waits: its death would say nothing either. */
  readonly waiting: boolean;
  /** Monotonic milliseconds. */
  readonly startedAtMs: number;
}

/** A task that waits to run. */
interface QueuedTask {
  readonly crashes: number;
  readonly queuedAtMs: number;
}

/** What trials are bounded by. */
export interface TrialLimits {
  /** How long the trial of a task would last that died once; each further death makes it four times as long. */
  readonly trialMs: number;
  /** Half of how long such a task waits for a moment without others; each further death doubles it. */
  readonly crashBackoffMs: number;
}

/** How long a suspect with so many deaths keeps other suspects from their trial, and waits itself for its own. */
export function trialMsFor(crashes: number, { trialMs }: TrialLimits): number {
  return trialMs * 4 ** (crashes - 1);
}

/** How long a task with so many deaths waits for a moment in which no other task could be the cause of the next one. */
function quietMsOf(crashes: number, { crashBackoffMs }: TrialLimits): number {
  return crashBackoffMs * 2 ** crashes;
}

function isSuspect({ crashes }: { readonly crashes: number }): boolean {
  return crashes > 1;
}

/** Tells whether a running task is on trial. */
export function isOnTrial(task: TriedTask, limits: TrialLimits, nowMs: number): boolean {
  return isSuspect(task) && !task.waiting && nowMs < task.startedAtMs + trialMsFor(task.crashes, limits);
}

/** Tells whether a task may start next to those that run. One that did not die always may, and each other one after a time. */
export function mayJoin(task: QueuedTask, running: readonly TriedTask[], limits: TrialLimits, nowMs: number): boolean {
  const waitedMs = nowMs - task.queuedAtMs;
  if (task.crashes === 0 || waitedMs >= trialMsFor(task.crashes, limits)) return true;
  if (isSuspect(task) && running.some((other) => isOnTrial(other, limits, nowMs))) return false;
  const mayBlame = (other: TriedTask) => mayKill(other) && (isSuspect(task) || other.crashes === 0);
  return waitedMs >= quietMsOf(task.crashes, limits) || !running.some(mayBlame);
}

/** When time alone next lets a task start that waits now: monotonic milliseconds, infinite for never. */
export function nextTrialMs(
  queue: Iterable<QueuedTask>,
  running: readonly TriedTask[],
  limits: TrialLimits,
  nowMs: number,
): number {
  const waiting = [...queue].filter(({ crashes }) => crashes > 0);
  const times = [
    ...waiting.flatMap(({ crashes, queuedAtMs }) =>
      [quietMsOf(crashes, limits), trialMsFor(crashes, limits)].map((ms) => queuedAtMs + ms),
    ),
    ...running
      .filter((task) => isOnTrial(task, limits, nowMs))
      .map(({ crashes, startedAtMs }) => startedAtMs + trialMsFor(crashes, limits)),
  ];
  return waiting.length === 0 ? Number.POSITIVE_INFINITY : Math.min(...times.filter((atMs) => atMs > nowMs));
}

/** Tells whether a task that died before runs next to another one that could kill the process: then a death proves nothing. */
export function isInCompany(running: readonly TriedTask[]): boolean {
  const able = running.filter(mayKill);
  return able.length > 1 && able.some(({ crashes }) => crashes > 0);
}

function mayKill({ progressed, waiting }: TriedTask): boolean {
  return !progressed && !waiting;
}

/**
 * Judges a task by the processes in which it died without progress. Beyond its first death, those count that no other task
 * can have caused. Beyond `maxCrashesInCompany` deaths a task is not tried again, whichever may be guilty.
 *
 * @param inCompany the processes in which a task that died before ran next to others.
 */
export function isCrashLoop(
  crashedIn: readonly string[],
  inCompany: ReadonlySet<string>,
  limits: { readonly maxCrashesWithoutProgress: number; readonly maxCrashesInCompany: number },
): boolean {
  const own = crashedIn.filter((worker, index) => index === 0 || !inCompany.has(worker));
  // One death alone convicts no task: others may have run.
  const needed = Math.max(2, limits.maxCrashesWithoutProgress);
  return own.length >= needed || crashedIn.length >= Math.max(limits.maxCrashesInCompany, needed);
}
