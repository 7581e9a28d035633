import type { ToolSettings } from "../callers/script-tool.js";
import type { Random } from "../world/random.js";
import type { Theme } from "./draw-moments.js";

/** Which version of the tool a worker has: always the first; the second from a moment on; now one, now the other. */
export type Versions = "one" | "upgrade" | "mixed";

/**
 * Everything breaks; or processes do nothing but die, again and again; or files are damaged as well; or what breaks does so
 * between two calls of the disk, or right after something was acknowledged; or one tool kills its process; or all tools only
 * wait, while processes die or the wall clock steps; or one owner calls very often; or nothing breaks at all.
 */
export type Mode = "chaos" | "crashes" | "damage" | "moments" | "poison" | "waiting" | "flood" | "quiet";

/** How engine, store and tool are set up. */
export interface PlannedLimits {
  readonly limits: { readonly [name: string]: number };
  readonly storeLimits: { readonly [name: string]: number };
  readonly tool: ToolSettings;
  readonly versions: Versions;
}

/** Draws limits. Most plans have usual ones; each of the narrow ones is in a few. */
export function drawLimits(random: Random, mode: Mode, theme: Theme | undefined): PlannedLimits {
  // Where tools work while processes are killed at random, only they could be blamed.
  const isKilledAtWork = ["chaos", "crashes", "damage", "moments", "flood"].includes(mode) && theme !== "forgotten";
  const isVaried = ["chaos", "crashes", "damage", "quiet"].includes(mode);
  const isShortLived = isVaried && random.percent(15);
  // A repeated call of a task that was deleted meanwhile is a new one.
  const hasTurns = (isVaried || mode === "flood") && !isShortLived;
  const versions = isVaried ? random.pick<Versions>(["one", "one", "one", "upgrade", "mixed"]) : "one";
  return {
    limits: {
      leaseTtlMs: 3_000,
      heartbeatMs: 1_000,
      pollMs: random.pick([1_000, 1_000, 20_000]),
      recoverAfterMs: mode === "waiting" ? 0 : random.pick([0, 2_000, 8_000]),
      maxRunning: drawSlots(random, mode),
      waitInPlaceMs: random.pick(waitsInPlace(mode, theme)),
      graceMs: 1_000,
      trialMs: random.pick([500, 3_000]),
      crashBackoffMs: 200,
      maxCrashesWithoutProgress: isKilledAtWork ? 1_000 : 3,
      maxCrashesInCompany: isKilledAtWork ? 1_000 : mode === "waiting" ? 4 : 10,
      maxDeathsInWaits: isKilledAtWork ? 1_000 : 100,
      maxWriteBackoffMs: 4_000,
      ...(hasTurns && rarely(random.aside(), "slotTurnMs", [0, 100])),
      ...rarely(random, "maxRunningPerOwner", [1, 2]),
      ...rarely(random, "maxWaitingInPlace", [0, 1]),
      ...((isVaried || mode === "flood") && rarely(random, "maxUnfinishedPerOwner", [1, 3])),
      ...rarely(random, "reuseResultMs", [1_000]),
      ...(versions !== "one" && { versionWaitMs: random.pick([0, 1_000, 5_000]) }),
      ...(isShortLived && { ttlMs: 3_000, firstSweepMs: 500, sweepEveryMs: 700 }),
    },
    storeLimits: {
      rotateBytes: random.pick([700, 3_000, 1_000_000]),
      maxJournalFiles: random.pick([3, 12]),
      keepJournalFiles: 2,
      ...(isVaried && rarely(random, "maxJournalEvents", [25])),
      ...(isVaried && rarely(random, "maxStoreTasks", [4])),
    },
    tool: isVaried ? drawTool(random) : {},
    versions,
  };
}

/** For how long a task that waits keeps its attempt: at 0 each wait ends it. */
function waitsInPlace(mode: Mode, theme: Theme | undefined): readonly number[] {
  if (mode === "waiting") return [30_000];
  if (theme === "errors" || theme === "removals" || theme === "cancels") return [0];
  // What does not wait in place fails before it is answered.
  if (theme === "failures") return [30_000];
  return theme === undefined ? [200, 3_000, 30_000] : [0, 200, 30_000];
}

/** Few, where the work of others is short; mostly enough, where suspects work for long. */
function drawSlots(random: Random, mode: Mode): number {
  if (mode === "flood") return random.pick([2, 2, 4]);
  return random.pick(mode === "poison" ? [4, 32, 32] : [2, 4, 32]);
}

function drawTool(random: Random): ToolSettings {
  return {
    onVersionChange: random.pick(["resume", "resume", "restart", "fail"]),
    ...(random.percent(20) && { onFailure: "restart" as const }),
    ...(random.percent(20) && { onCallerCancel: "detach" as const }),
    ...(random.percent(10) && { stallTimeout: 3_000 }),
    ...(random.percent(10) && { maxRunning: 2 }),
    ...drawStoreLimits(random.aside()),
  };
}

/** Limits of the tool in all processes. */
function drawStoreLimits(random: Random): ToolSettings {
  return {
    ...(random.percent(12) && { maxRunningInStore: random.pick([1, 2]) }),
    ...(random.percent(8) && { rate: { limit: random.pick([1, 2]), per: 6_000 } }),
  };
}

function rarely(random: Random, name: string, values: readonly number[]): { readonly [name: string]: number } {
  const value = random.pick(values);
  return random.percent(12) ? { [name]: value } : {};
}
