import { Random } from "../world/random.js";
import { drawCall, type PlannedCall } from "./draw-call.js";
import { drawFaults, drawNetworkFaults, type Fault } from "./draw-fault.js";

/** Everything that is drawn before a run begins. A run is its plan: leaving parts of it out makes a shorter story. */
export interface Plan {
  readonly seed: number;
  /** Everything breaks; or one tool kills its process; or processes die while all tools only wait. */
  readonly mode: "chaos" | "poison" | "waiting";
  readonly durability: "machine" | "process";
  readonly workers: number;
  readonly limits: { readonly [name: string]: number };
  readonly storeLimits: { readonly [name: string]: number };
  readonly restartMs: number;
  /** How often an owner who has nothing to do with the rest makes a short call; 0: never. */
  readonly probeEveryMs: number;
  /** From then on nothing breaks. */
  readonly calmMs: number;
  readonly calls: readonly PlannedCall[];
  readonly faults: readonly Fault[];
}

/** Draws a plan. */
export function drawPlan(seed: number): Plan {
  const random = new Random(seed);
  const mode = random.pick(["chaos", "chaos", "chaos", "poison", "waiting"] as const);
  const durability: Plan["durability"] = random.percent(70) ? "machine" : "process";
  const workers = random.pick([1, 2, 2, 3]);
  const calmMs = random.pick([5_000, 15_000, 40_000]);
  const owners = Array.from(
    { length: random.pick([1, 2, 3]) },
    (_, index) => `5d5f6ae5-7a38-4b44-9d2f-5f6f4ec3a0b${index}`,
  );
  const calls = Array.from({ length: 1 + random.below(10) }, (_, index) =>
    drawCall(random, { index, owners, calmMs, mode }),
  );
  const frame = { calmMs, workers, durability, mode };
  const drawn = drawFaults(random, frame);
  // Deaths that come faster than a tool begins to wait meet it at work.
  const faults = mode === "waiting" ? drawn.map((fault, index) => ({ ...fault, atMs: 2_500 * (index + 1) })) : drawn;
  const network = mode === "poison" ? [] : drawNetworkFaults(random, calmMs);
  return {
    seed,
    mode,
    durability,
    workers,
    limits: {
      leaseTtlMs: 3_000,
      heartbeatMs: 1_000,
      pollMs: 1_000,
      recoverAfterMs: mode === "waiting" ? 0 : random.pick([0, 2_000, 8_000]),
      maxRunning: random.pick([2, 4, 32]),
      waitInPlaceMs: mode === "waiting" ? 30_000 : random.pick([200, 3_000, 30_000]),
      graceMs: 1_000,
      trialMs: random.pick([500, 3_000]),
      crashBackoffMs: 200,
      // Where tools work while processes are killed at random, only they could be blamed.
      maxCrashesWithoutProgress: mode === "chaos" ? 1_000 : 3,
      maxCrashesInCompany: mode === "chaos" ? 1_000 : mode === "waiting" ? 4 : 10,
      maxDeathsInWaits: mode === "chaos" ? 1_000 : 100,
    },
    storeLimits: {
      rotateBytes: random.pick([700, 3_000, 1_000_000]),
      maxJournalFiles: random.pick([3, 12]),
      keepJournalFiles: 2,
    },
    probeEveryMs: random.pick([0, 0, 700]),
    restartMs: random.pick([10, 30, 500]),
    calmMs,
    calls,
    faults: [...faults, ...network].toSorted((one, other) => one.atMs - other.atMs),
  };
}
