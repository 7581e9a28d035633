import { ResumableError } from "./errors.js";

/** Every default of the engine, with its unit in its name. */
export const engineDefaults = {
  /** A worker without a heartbeat for this long has lost its leases. */
  leaseTtlMs: 15_000,
  /** How often a worker says that it lives. */
  heartbeatMs: 5_000,
  /**
   * A task whose caller was connected when its process died resumes without that caller after this time, counted from
   * when a process first sees it. 0: at once; `Infinity`: never.
   */
  recoverAfterMs: 30_000,
  /**
   * How long a task whose version no living worker offers waits for one, before another version continues it. Counted
   * from when a process first sees it so. A process that never saw another worker waits for none.
   */
  versionWaitMs: 30_000,
  /** How often to look where no notification came. */
  pollMs: 1_000,
  /** How long a notification that comes during a commit waits for the next one, which brings the news along. */
  notificationDelayMs: 50,
  /** Attempts that run at once in this process. */
  maxRunning: 32,
  /** Of `maxRunning`, for one owner. */
  maxRunningPerOwner: 16,
  /**
   * Of `maxRunning`, slots that only owners who run nothing get: tasks that never end must not take all. No more than an
   * eighth of `maxRunning`, and none where `maxRunningPerOwner` lets one owner take all.
   */
  reservedRunning: 4,
  /**
   * A task that has had a slot for this long gives it up at its next checkpoint, when an owner that runs nothing waits for
   * one, and continues when a slot is free again. `Infinity`: never.
   */
  slotTurnMs: 60_000,
  /**
   * A call that has waited for a slot for this long runs in any process that has one, while its caller waits here. At most
   * `maxRunning` calls at a time are offered so.
   */
  offerAfterMs: 1_000,
  /** Attempts that wait in place for an answer or a time; they take no slot. Beyond that a wait ends its attempt. */
  maxWaitingInPlace: 64,
  /** Unfinished tasks that one owner may have, counted by the store over all processes. */
  maxUnfinishedPerOwner: 1_000,
  /** How long finished tasks are kept. */
  ttlMs: 7 * 24 * 60 * 60 * 1000,
  /** How often expired tasks are deleted. */
  sweepEveryMs: 60 * 60 * 1000,
  /** The first sweep after the start; servers that restart often sweep too. */
  firstSweepMs: 60_000,
  /** The same call gets a completed task that was not delivered, for this long. */
  reuseResultMs: 10 * 60 * 1000,
  /** After this time without a checkpoint, a pause or cancellation is carried out without the tool. */
  graceMs: 10_000,
  /** How long `drain` waits. */
  drainTimeoutMs: 10_000,
  /** Waits of `ask` and `sleep` longer than this end the attempt; next to a map they wait in place, without a slot. */
  waitInPlaceMs: 30_000,
  /** Deaths in a row without progress, of which no other task can have caused one but the first; at least 2. */
  maxCrashesWithoutProgress: 3,
  /** Deaths in a row without progress in all, also those that another task may have caused. */
  maxCrashesInCompany: 10,
  /** Deaths in a row of a task that only waited: a tool that begins another wait before each death ends too. */
  maxDeathsInWaits: 100,
  /**
   * The wait after the first death; doubles with each further one. For up to twice as long the task then waits until no
   * other could be blamed for the next one.
   */
  crashBackoffMs: 1_000,
  /**
   * A task that died twice in a row without progress keeps others that did from running at the same time for four times as
   * long as this, and again four times as long for each further death.
   */
  trialMs: 30_000,
  /** After a failed write the task waits, in memory, and doubles the wait up to the second figure. */
  writeBackoffMs: 500,
  maxWriteBackoffMs: 30_000,
  /** Deleting or restarting a task waits so long for a process that is just writing it. */
  claimPatienceMs: 2_000,
  /** Tasks taken from the store's list of runnable ones at a time. */
  lookBatch: 200,
  /** Deletions of one sweep. */
  sweepBatch: 1_000,
  /** Events that a follower reads at once. */
  followBatch: 256,
  /** The input of a call. */
  maxInputBytes: 1024 * 1024,
} as const;

/** Limits of one task, unless its tool says otherwise. */
export const taskDefaults = {
  /** Remembered keys of a task. */
  maxSteps: 10_000,
  /** The value of one step. */
  maxStepBytes: 1024 * 1024,
  maxStateBytes: 1024 * 1024,
  /** Of one checkpoint. */
  maxAppendBytes: 4 * 1024 * 1024,
  /** Of all checkpoints together. */
  maxItemsBytes: 1024 * 1024 * 1024,
  /** Artifacts of a task. */
  maxArtifacts: 100,
  /** Of all artifacts of a task together. */
  maxArtifactBytes: 1024 * 1024 * 1024,
  /** The result. */
  maxOutputBytes: 4 * 1024 * 1024,
  /** In characters; a longer message is cut. */
  maxMessageLength: 2_000,
  /** One log entry. */
  maxLogBytes: 64 * 1024,
  /** Log entries between two commits; the oldest beyond that are dropped, and the drop is logged. */
  maxPendingLogs: 1_000,
  /** Keys of verbs, in characters. */
  maxKeyLength: 200,
} as const;

/** What no option changes. */
export const fixedLimits = {
  /** A call that found its task waits for it within this time, or not at all. */
  arrivalMs: 1_000,
  /** Calls that found their tasks and may still begin to wait; the oldest is forgotten first. */
  maxArrivals: 1_000,
  /** Times that journals name, of which the clock's distance is known; beyond it the wall clock decides over the oldest. */
  maxDueTimes: 100_000,
  /** Others may restart, finish or delete a failed task meanwhile; after this many lost races the call begins a new task. */
  maxContinueTries: 5,
  /** A call that begins so long after it was accepted may have been given up, and made again, meanwhile. */
  lateCallMs: 1_000,
  /** The longest time that finished tasks are kept, 100 years: `Infinity` is not JSON, in which stores write it down. */
  maxTtlMs: 100 * 365 * 24 * 60 * 60 * 1000,
  /** Calls (`task.call`) below a task that has no parent: a tool that calls itself without end is refused. */
  maxCallDepth: 8,
  /**
   * A task looks after what it called when nothing has woken it for as long as it has waited for it: because of a process
   * that died at the very moment. The shortest and the longest such time.
   */
  minCallLookMs: 60_000,
  maxCallLookMs: 60 * 60_000,
  /** Unfinished tasks that are counted one by one when an engine opens. */
  maxCountedTasks: 1_000,
  /** Tasks of a tool that are read to find the one of a call, the newest. */
  maxFoundTasks: 50,
  /** Unfinished tasks that a survey of the servers reads, the newest. */
  maxSurveyedTasks: 200,
  /** Tasks on a page that the engine reads for itself. */
  taskPage: 1_000,
  /** So long it is kept that a death in a process may have had more than one cause. */
  keptCompanyMs: 30 * 24 * 60 * 60 * 1000,
  itemPage: 1_000,
  /** The largest number that a tool's limits in the store may have: what they count is in one document. */
  maxInStore: 1_000,
  /** Other processes may change a tool's document meanwhile. */
  maxBookTries: 100,
  /** Items of one map that run at once. */
  maxConcurrency: 1_000,
  /** Items of a map that are read again after a restart before anything else gets its turn. */
  mapSkipBatch: 1_000,
  /** All chunks of an artifact but the last: stores hold artifacts that were cut so. */
  artifactChunkBytes: 256 * 1024,
  /** Of the name of an artifact, in characters. */
  maxArtifactNameLength: 128,
  /** Yields of a `finally` block that are ignored; then the tool is left. */
  maxYieldsInFinally: 1_000,
  /** Of the shape of a first state, in characters: a longer one is not compared. */
  maxStateShape: 4_096,
  /** Of the name that a task has for its owner, in characters. */
  maxLabelLength: 80,
  /** Of the message of an error that a journal keeps, in characters. */
  maxFailureLength: 2_000,
  /** Lines of a stack. */
  maxStackLines: 8,
} as const;

/** What a store takes by default. */
export const storeQuotaDefaults = {
  /** Events of one task, all together. */
  maxJournalEvents: 100_000_000,
  /** What is kept of one task's journal, its items included. */
  maxJournalBytes: 4 * 1024 * 1024 * 1024,
  /** Tasks of a store that still takes new ones, finished ones included. */
  maxStoreTasks: 1_000_000,
  /** Bytes of a store that still takes new tasks. They are measured only where this is set. */
  maxStoreBytes: Number.POSITIVE_INFINITY,
} as const;

/** The quotas of a store, as `storeQuotaDefaults` names them. */
export type StoreQuotas = { readonly [Name in keyof typeof storeQuotaDefaults]: number };

/** The limits of an engine, as `engineDefaults` names them. */
export type EngineLimits = { readonly [Name in keyof typeof engineDefaults]: number };

/** The limits of a task, as `taskDefaults` names them. */
export type TaskLimitValues = { readonly [Name in keyof typeof taskDefaults]: number };

/** Fills in defaults: also for what is given as `undefined`. */
export function withDefaults<Values extends object>(
  defaults: Values,
  given: { readonly [Name in keyof Values]?: Values[Name] } = {},
): Values {
  const filled = { ...defaults, ...given };
  for (const name in defaults) filled[name] ??= defaults[name];
  return filled;
}

/** Throws `LIMIT_EXCEEDED` when a value is above its limit. */
export function checkLimit(limit: string, value: number, allowed: number, advice?: string): void {
  if (value > allowed) throw limitExceeded(limit, value, allowed, advice);
}

/** Says for people that a value is above its limit; a number of bytes in the unit in which it is short. */
export function overLimit(limit: string, value: number, allowed: number): string {
  const shown = (count: number) => (limit.endsWith("Bytes") ? formatBytes(count) : String(count));
  return `The limit ${limit} is ${shown(allowed)}, and this would be ${shown(value)}.`;
}

function formatBytes(bytes: number): string {
  const exponent = Math.min(3, Math.max(0, Math.floor(Math.log2(Math.max(1, bytes)) / 10)));
  return `${Number((bytes / 1024 ** exponent).toPrecision(3))} ${["bytes", "KiB", "MiB", "GiB"][exponent]}`;
}

/** For a value above its limit. @param advice what to do in place of raising the limit. */
export function limitExceeded(limit: string, value: number, allowed: number, advice = "Use less"): ResumableError {
  return new ResumableError(
    "LIMIT_EXCEEDED",
    `${overLimit(limit, value, allowed)} ${advice}, or raise the limit where the tool or engine is defined.`,
    { details: { limit, value, allowed } },
  );
}
