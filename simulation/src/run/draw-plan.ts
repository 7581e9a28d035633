import { Random } from "../world/random.js";
import { drawCall, drawOwners, type PlannedCall } from "./draw-call.js";
import { drawFaults, drawNetworkFaults, type Fault } from "./draw-fault.js";
import { drawLimits, type Mode, type PlannedLimits } from "./draw-limits.js";
import {
  callsOfTheme,
  calmOfTheme,
  drawMoments,
  type Theme,
  themesOfMoments,
  themesOfPower,
  themesOfTwo,
  themesOnRequest,
} from "./draw-moments.js";

/** Everything that is drawn before a run begins. A run is its plan: leaving parts of it out makes a shorter story. */
export interface Plan extends PlannedLimits {
  readonly seed: number;
  readonly mode: Mode;
  /** Of the mode `moments`. */
  readonly theme: Theme | undefined;
  /** The store is in a database, with a standby that has every commit, or is behind; absent: it is in a folder. */
  readonly standby?: "synchronous" | "asynchronous";
  readonly durability: "machine" | "process";
  readonly workers: number;
  /** Each process is in a namespace of its own, as in containers: only its heartbeat tells that it lives. */
  readonly isIsolated: boolean;
  readonly restartMs: number;
  /** How often an owner who has nothing to do with the rest makes a short call; 0: never. */
  readonly probeEveryMs: number;
  /** How often someone looks at the owners' lists and tries what one can do to the tasks of another; 0: never. */
  readonly visitEveryMs: number;
  /** From then on nothing breaks. */
  readonly calmMs: number;
  readonly calls: readonly PlannedCall[];
  readonly faults: readonly Fault[];
}

/** The modes, as often as they are drawn. */
const modes = [
  ...["chaos", "chaos", "chaos", "chaos"],
  ...["crashes", "crashes", "crashes", "crashes", "crashes", "crashes"],
  "damage",
  ...["moments", "moments", "moments", "moments", "moments", "moments"],
  ...["poison", "waiting", "flood", "quiet"],
] as const satisfies readonly Mode[];

/**
 * Draws a plan.
 *
 * @param only its mode or theme, where that is not drawn.
 * @throws {@link RangeError} where there is no such mode or theme.
 */
export function drawPlan(seed: number, only?: string): Plan {
  const random = new Random(seed);
  const mode = modeOf(only, random.pick(modes));
  const drawnTheme = mode === "moments" ? random.pick(themesOfMoments) : undefined;
  const theme = [...themesOfMoments, ...themesOnRequest].find((name) => name === only) ?? drawnTheme;
  const durability: Plan["durability"] = themesOfPower.includes(theme) || random.percent(70) ? "machine" : "process";
  const workers = random.pick(themesOfTwo.includes(theme) ? [2, 2, 3] : [1, 2, 2, 3]);
  const calmMs = theme === undefined ? drawCalm(random, mode) : calmOfTheme[theme];
  const setUp = drawLimits(random, mode, theme);
  const callFrame = { owners: drawOwners(random), calmMs, mode, theme, expires: setUp.limits.ttlMs !== undefined };
  const someCalls = (theme && callsOfTheme[theme]) ?? 1 + random.below(10);
  const callCount = mode === "flood" ? 40 : someCalls;
  const calls = Array.from({ length: callCount }, (_, index) => drawCall(random, index, callFrame));
  const frame = { calmMs, workers, durability, mode };
  const drawn = theme === undefined ? drawFaults(random, frame) : drawMoments(random, frame, theme);
  // Deaths that come faster than a tool begins to wait meet it at work.
  const faults = mode === "waiting" ? drawn.map((fault, index) => ({ ...fault, atMs: 2_500 * (index + 1) })) : drawn;
  // Of a call that is late or repeated it is not known whether it came before its result was given up.
  const isWhole = mode === "poison" || mode === "quiet" || theme === "leaving";
  const network = isWhole ? [] : drawNetworkFaults(random, calmMs);
  return {
    seed,
    mode,
    theme,
    durability,
    workers,
    isIsolated: random.percent(25),
    ...setUp,
    probeEveryMs: drawProbes(random, mode),
    visitEveryMs: random.pick([0, 1_000]),
    restartMs: mode === "crashes" ? 10 : random.pick([10, 30, 500]),
    calmMs,
    calls,
    faults: [...faults, ...network].toSorted((one, other) => one.atMs - other.atMs),
  };
}

function modeOf(only: string | undefined, drawn: Mode): Mode {
  if (only === undefined) return drawn;
  const themes: readonly string[] = [...themesOfMoments, ...themesOnRequest];
  if (themes.includes(only)) return "moments";
  const mode = modes.find((name) => name === only);
  if (mode !== undefined) return mode;
  const known = [...new Set(modes), ...new Set(themes)].join(", ");
  throw new RangeError(`No mode or theme is named "${only}". Known: ${known}.`);
}

/** Next to tasks that wait, die or are many, short calls are soon done. */
export function drawProbes(random: Random, mode: Mode): number {
  if (mode === "waiting") return 2_100;
  return mode === "flood" || mode === "poison" ? 700 : random.pick([0, 0, 2_000]);
}

export function drawCalm(random: Random, mode: Mode): number {
  if (mode === "waiting") return 40_000;
  if (mode === "crashes") return random.pick([15_000, 40_000]);
  return random.pick(mode === "flood" ? [5_000, 15_000] : [5_000, 15_000, 40_000]);
}
