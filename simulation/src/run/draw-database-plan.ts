import { databaseFaults, drawDatabaseAmount } from "../database/strike-database.js";
import { Random } from "../world/random.js";
import { drawCall, drawOwners } from "./draw-call.js";
import { drawFault, drawFaults, drawNetworkFaults, type Fault, type FaultFrame } from "./draw-fault.js";
import { drawLimits, type Mode } from "./draw-limits.js";
import { drawCalm, drawProbes, type Plan } from "./draw-plan.js";
import { namedPoints } from "./named-points.js";

const deaths = ["kill", "kill_all", "die_at_call", "die_at_call", "die_at_turn", "die_at_point"] as const;
const others = ["freeze", "clock", "drift", "full", "slow", "drain", "drain_frozen", "replace"] as const;

/** Kinds that bring out more without all others. */
const themes: readonly (readonly Fault["kind"][])[] = [
  ["cuts", "kill", "freeze"],
  ["cuts", "die_at_call", "partition"],
  ["restart", "failover", "cuts"],
  ["partition", "freeze", "replace", "drain"],
  ["slow", "full", "cuts"],
  ["clock", "drift", "kill"],
];

/** Points that are passed whatever the store is. */
const points = namedPoints.filter((point) => !point.startsWith("store."));

/** The modes, as often as they are drawn. */
const modes = [
  ...["chaos", "chaos", "chaos", "chaos", "chaos", "chaos", "crashes", "crashes"],
  ...["waiting", "poison", "flood", "quiet"],
] as const satisfies readonly Mode[];

/** Draws a plan of workers on machines of their own, whose store is a database. @param only its mode, where that is not drawn. */
export function drawDatabasePlan(seed: number, only?: string): Plan {
  const random = new Random(seed);
  const drawn = random.pick(modes);
  const mode = only === undefined ? drawn : modes.find((name) => name === only);
  if (mode === undefined) {
    throw new RangeError(`No mode is named "${only}" with a database. Known: ${[...new Set(modes)].join(", ")}.`);
  }
  // What a fail-over loses takes from the rules: only a part of the plans may lose something.
  const standby = mode === "chaos" && random.percent(25) ? "asynchronous" : "synchronous";
  const workers = random.pick([1, 2, 2, 3]);
  const calmMs = drawCalm(random, mode);
  const { storeLimits, ...setUp } = drawLimits(random, mode, undefined);
  const callFrame = {
    owners: drawOwners(random),
    calmMs,
    mode,
    theme: undefined,
    expires: setUp.limits.ttlMs !== undefined,
  };
  const callCount = mode === "flood" ? 30 : 1 + random.below(10);
  const calls = Array.from({ length: callCount }, (_, index) => drawCall(random, index, callFrame));
  const frame = { calmMs, workers, durability: "process", mode } as const;
  const faults = drawDatabaseFaults(random, frame);
  // At any moment, a standby has mostly got what matters.
  const failovers = standby === "asynchronous" ? draw(random, frame, ["at_moment"], random.pick([1, 2, 4])) : [];
  const network = mode === "poison" || mode === "quiet" ? [] : drawNetworkFaults(random, calmMs);
  return {
    ...{ seed, mode, theme: undefined, standby, durability: "process", workers, isIsolated: false },
    ...setUp,
    storeLimits: { ...drawStoreLimits(random), ...quotasOf(storeLimits) },
    probeEveryMs: drawProbes(random, mode),
    visitEveryMs: random.pick([0, 1_000]),
    restartMs: mode === "crashes" ? 10 : random.pick([10, 30, 500]),
    calmMs,
    // Sessions and streams are documents: of those that a fail-over loses, nothing says to which call they belong.
    calls: standby === "asynchronous" ? calls.map((call) => ({ ...call, via: "engine" as const })) : calls,
    faults: [...faults, ...failovers, ...network].toSorted((one, other) => one.atMs - other.atMs),
  };
}

function quotasOf({ maxJournalEvents, maxStoreTasks }: Plan["storeLimits"]): Plan["storeLimits"] {
  return {
    ...(maxJournalEvents !== undefined && { maxJournalEvents }),
    ...(maxStoreTasks !== undefined && { maxStoreTasks }),
  };
}

/** Snapshots, compaction and small caches within the length of a run, and limits of waiting that are over in it. */
function drawStoreLimits(random: Random): Plan["storeLimits"] {
  return {
    snapshotBytes: random.pick([500, 3_000, 64 * 1024]),
    maxEventBytes: random.pick([3_000, 12 * 1024 * 1024]),
    compactRows: random.pick([3, 1_000]),
    maxCachedTasks: random.pick([1, 1_024]),
    maxBatchTasks: random.pick([1, 128]),
    statementTimeoutMs: random.pick([1_500, 5_000]),
    deathNoticeMs: random.pick([2_000, 2_000, Number.POSITIVE_INFINITY]),
  };
}

function drawDatabaseFaults(random: Random, frame: FaultFrame): readonly Fault[] {
  const { mode, calmMs } = frame;
  if (mode === "crashes") {
    return Array.from({ length: random.pick([10, 30]) }, () => random.between(0, calmMs)).flatMap((fromMs) =>
      draw(random, frame, [...deaths, ...databaseFaults], 30).map((fault) => ({
        ...fault,
        atMs: fromMs + random.between(0, 500),
      })),
    );
  }
  if (mode !== "chaos") {
    const drawn = drawFaults(random, frame);
    return mode === "waiting" ? drawn.map((fault, index) => ({ ...fault, atMs: 2_500 * (index + 1) })) : drawn;
  }
  const theme = random.percent(40) ? undefined : random.pick(themes);
  const isFit = (kind: Fault["kind"]) => theme === undefined || theme.includes(kind);
  const kinds = [...deaths, ...others, ...databaseFaults, ...databaseFaults].filter(isFit);
  return [
    ...draw(random, frame, kinds, random.pick([0, 2, 5, 10, 20, 40])),
    ...draw(random, frame, deaths.filter(isFit), random.pick([0, 0, 50, 200])),
  ];
}

function draw(random: Random, frame: FaultFrame, kinds: readonly Fault["kind"][], length: number): readonly Fault[] {
  return Array.from({ length: kinds.length === 0 ? 0 : length }, () => drawOne(random, frame, random.pick(kinds)));
}

function drawOne(random: Random, frame: FaultFrame, kind: Fault["kind"]): Fault {
  const fault = drawFault(random, frame, kind);
  if (kind === "die_at_point") return { ...fault, point: random.pick(points) };
  return isOfDatabase(kind) ? { ...fault, amount: drawDatabaseAmount(random, kind) } : fault;
}

function isOfDatabase(kind: Fault["kind"]): kind is (typeof databaseFaults)[number] {
  return (databaseFaults as readonly string[]).includes(kind);
}
