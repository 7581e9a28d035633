import type { databaseFaults } from "../database/strike-database.js";
import { type NetworkFault, networkFaults } from "../world/network.js";
import type { Random } from "../world/random.js";
import type { Moment } from "./moments.js";
import { namedPoints } from "./named-points.js";

/** Something that is done to the system at a moment. */
export interface Fault {
  readonly atMs: number;
  readonly kind:
    | (typeof suddenDeaths)[number]
    | (typeof others)[number]
    | "power"
    | "rot"
    | "lost_end"
    | "lost_syncs"
    | "die_at_place"
    | "at_moment"
    // Calls of the disk that read something fail.
    | "unreadable"
    // A server is asked to end, and sends its last answers.
    | "shut_down"
    // A process freezes in the midst of what it does, and its callers leave.
    | "stand_still"
    | (typeof databaseFaults)[number]
    | NetworkFault;
  /** Which worker, of those there are. */
  readonly slot: number;
  /** The machine loses its power when the worker dies. */
  readonly takesPower?: boolean;
  /** What it waits for, and what breaks then, where that is not one of a list. */
  readonly moment?: Moment;
  /** The named point at which a process dies. */
  readonly point?: string;
  /** Milliseconds, calls, turns, how often the point is reached, or a place in a list, as the kind has it. */
  readonly amount: number;
}

/** What the faults of a plan are drawn for. */
export interface FaultFrame {
  readonly mode: string;
  readonly durability: "machine" | "process";
  readonly workers: number;
  readonly calmMs: number;
}

const suddenDeaths = [
  "kill",
  "kill",
  "kill_all",
  "die_at_call",
  "die_at_call",
  "die_at_call",
  "die_at_turn",
  "die_at_point",
  "die_at_point",
  "die_at_point",
] as const;
const others = [
  "freeze",
  "clock",
  // All processes are dead meanwhile.
  "clock_while_down",
  "drift",
  "full",
  "slow",
  // Syncs do not end.
  "stuck",
  "errors",
  "failing_syncs",
  // Syncs fail, and later ones succeed without what those did not write.
  "lost_syncs",
  // A process has no descriptors left.
  "no_files",
  "drain",
  "drain_frozen",
  // A process drains next to its successor.
  "replace",
  // The store's folder is away for a while, as on a disk that was unmounted.
  "unmount",
  // A folder in it that follows from the rest is removed.
  "remove_folder",
] as const;

/** Kinds that bring out more without all others. */
const themes: readonly (readonly Fault["kind"][])[] = [
  ["power", "slow", "die_at_call", "die_at_point"],
  ["power", "errors", "full"],
  ["power", "failing_syncs", "stuck"],
  ["power", "lost_syncs", "kill"],
  ["full", "no_files", "errors"],
  ["clock", "drift", "clock_while_down"],
  ["unmount", "remove_folder"],
  ["freeze", "drain", "drain_frozen", "replace", "kill"],
];

/**
 * Draws faults of all kinds or of one theme, and in many runs deaths beyond them: a death is over soon, so there can be
 * hundreds.
 */
export function drawFaults(random: Random, frame: FaultFrame): readonly Fault[] {
  const { durability, mode } = frame;
  const kinds = random.percent(50) ? undefined : random.pick(themes);
  const count = random.pick([0, 2, 5, 10, 20, 40]);
  const draw = (from: readonly Fault["kind"][], length: number) =>
    Array.from({ length: from.length === 0 ? 0 : length }, () => drawFault(random, frame, random.pick(from)));
  if (mode === "poison" || mode === "quiet") return [];
  if (mode === "crashes") return drawSeriesOfDeaths(random, frame);
  if (mode === "flood") return draw(["kill", "kill_all", "drain"], random.pick([0, 0, 2]));
  // A process that lives is to wait by its monotonic clock.
  if (mode === "waiting")
    return draw(random.percent(50) ? ["kill", "kill_all"] : ["clock"], random.pick([0, 0, 2, 5, 20]));
  const powerLosses = durability === "machine" ? (["power", "power", "power"] as const) : [];
  const isFit = (kind: Fault["kind"]) => {
    // That a journal lost its end is known by what stands of its task in the folders that follow from it.
    if (mode === "damage" && kind === "remove_folder") return false;
    return kinds === undefined || kinds.includes(kind);
  };
  const deaths = [...suddenDeaths, ...powerLosses].filter(isFit);
  const rot = mode === "damage" ? draw(["rot", "lost_end"], 1 + random.below(6)) : [];
  return [
    ...rot,
    ...draw([...deaths, ...others.filter(isFit)], count),
    ...draw(deaths, random.pick([0, 50, 200, 500])),
    // Also where little else breaks: most rare points are passed only by tasks that come to their end.
    ...draw(["die_at_point"], random.pick([0, 10, 30])),
  ];
}

/**
 * Processes that die again and again, mostly before they have recovered from the last death, and live for a while between
 * two such series.
 */
function drawSeriesOfDeaths(random: Random, frame: FaultFrame): readonly Fault[] {
  const kinds = frame.durability === "machine" ? ([...suddenDeaths, "power"] as const) : suddenDeaths;
  return Array.from({ length: random.pick([10, 30]) }, () => random.between(0, frame.calmMs)).flatMap((fromMs) =>
    Array.from({ length: 60 }, () => ({
      ...drawFault(random, frame, random.pick(kinds)),
      atMs: fromMs + random.between(0, 500),
    })),
  );
}

/** Draws a fault of a kind. */
export function drawFault(random: Random, { calmMs, workers, durability }: FaultFrame, kind: Fault["kind"]): Fault {
  // What a new store writes first is on the disk after a few milliseconds.
  const untilMs = kind === "power" && random.percent(20) ? 12 : calmMs;
  // Power that is lost at any moment is rarely lost while something is only half written.
  const takesPower = durability === "machine" && kind.startsWith("die_at_") && random.percent(50);
  const atMs = random.between(0, untilMs);
  const point = kind === "die_at_point" ? random.pick(namedPoints) : undefined;
  return { atMs, kind, slot: random.below(workers), takesPower, point, amount: drawAmount(random, kind) };
}

/** Draws what the network does, in half of the plans. */
export function drawNetworkFaults(random: Random, calmMs: number): readonly Fault[] {
  return Array.from({ length: random.pick([0, 0, 3, 10]) }, () => {
    const kind = random.pick(networkFaults);
    return { atMs: random.between(0, calmMs), kind, slot: 0, amount: random.pick([2_000, 5_000, 12_000]) };
  });
}

function drawAmount(random: Random, kind: Fault["kind"]): number {
  if (kind === "die_at_call" || kind === "die_at_turn") return random.pick([1, 3, 10, 30, 100]) + random.below(10);
  if (kind === "remove_folder") return random.below(2);
  if (kind === "unmount") return random.pick([100, 3_000]);
  if (kind === "die_at_point") return random.pick([1, 1, 2, 3, 10]);
  if (kind === "die_at_place" || kind === "at_moment") return random.below(1_000_000);
  // Steps of ten minutes end the time for which a result is kept for the same call.
  if (kind === "clock" || kind === "clock_while_down") return random.pick([-60_000, -5_000, 5_000, 90_000]);
  if (kind === "drift") return random.pick([-0.01, -0.001, 0.001, 0.01]);
  if (kind === "power") return random.pick([50, 50, 500, 3_000]);
  // Mostly longer than a lease lasts.
  if (kind === "freeze" || kind === "drain_frozen") return random.pick([500, 4_000, 6_000, 12_000]);
  return random.pick([100, 2_000, 5_000, 12_000]);
}
