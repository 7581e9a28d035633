import { describe, expect, test } from "vitest";

/*
 * A bounded model of the journals' fencing: one writer, two takers, one reader, each of which may stop at any
 * step. Every interleaving is visited. It is the argument for the order of calls in take-over.ts, commit.ts and
 * newest-view.ts; change those and this together.
 */

interface EpochFile {
  readonly events: readonly string[];
  /** How many events of each earlier epoch count; absent while the epoch is only announced. */
  readonly seal: Readonly<Record<number, number>> | null;
}

interface Process {
  readonly kind: "writer" | "taker" | "reader";
  readonly epoch: number;
  readonly step: number;
  readonly done: boolean;
  /** Commits that are still to be made. */
  readonly left: number;
  /** The event that was appended and not yet looked after. */
  readonly pending?: string;
  /** What a taker read before it seals. */
  readonly lengths?: Readonly<Record<number, number>>;
  /** What a taker read when it took over. */
  readonly base: readonly string[];
  /** What this writer found when it last listed the folder; absent before that. */
  readonly listed?: readonly number[];
  /** This writer left its marker and has not listed the folder since. */
  readonly marked?: true;
  /** Markers that a taker found when it listed the folder after its announcement. */
  readonly markers?: readonly string[];
  /** What a process relies on: a reader once it has looked, a writer once it was acknowledged. */
  readonly history: readonly string[];
  /** What a reader read, and in which epoch it ended, before it looked. */
  readonly read?: { readonly events: readonly string[]; readonly epoch: number };
}

interface World {
  readonly files: Readonly<Record<number, EpochFile>>;
  readonly acknowledged: readonly string[];
  /** Writers whose marker says that nothing changed since they listed the folder. */
  readonly quiet: readonly string[];
  readonly processes: Readonly<Record<string, Process>>;
}

type Rule = "newest seal" | "first seal";
interface Variant {
  readonly rule: Rule;
  /** A taker looks for later epochs before it seals. */
  readonly lookBeforeSeal: boolean;
  /** Writers list the folder only when their marker was removed: takers remove it before or after they announce. */
  readonly markers?: "removed after announcing" | "removed before announcing";
  /** What a reader does after reading, if there is one. */
  readonly reader?: "looks" | "believes";
}

const firstEpoch = 1;
const maxEpoch = 4;

function epochsOf(world: World): readonly number[] {
  return Object.keys(world.files)
    .map(Number)
    .sort((left, right) => left - right);
}

function fileOf(world: World, epoch: number): EpochFile {
  return world.files[epoch] ?? { events: [], seal: null };
}

/** How much of each epoch below a limit counts. */
function lengthsBelow(world: World, rule: Rule, limit: number): Record<number, number> {
  const epochs = epochsOf(world).filter((epoch) => epoch < limit);
  const isSealed = (epoch: number) => epoch === firstEpoch || fileOf(world, epoch).seal !== null;
  const lengths: Record<number, number> = {};
  for (const epoch of epochs) {
    const later = epochs.filter((other) => other > epoch && fileOf(world, other).seal !== null);
    const judge = rule === "newest seal" ? later.at(-1) : later[0];
    const whole = fileOf(world, epoch).events.length;
    const sealed = judge === undefined ? whole : (fileOf(world, judge).seal?.[epoch] ?? 0);
    lengths[epoch] = isSealed(epoch) ? Math.min(sealed, whole) : 0;
  }
  return lengths;
}

function historyUnder(world: World, lengths: Readonly<Record<number, number>>): readonly string[] {
  return Object.entries(lengths).flatMap(([epoch, length]) => fileOf(world, Number(epoch)).events.slice(0, length));
}

function visible(world: World, rule: Rule): readonly string[] {
  return historyUnder(world, lengthsBelow(world, rule, Number.POSITIVE_INFINITY));
}

function withProcess(world: World, name: string, process: Process): World {
  return { ...world, processes: { ...world.processes, [name]: process } };
}

function withFile(world: World, epoch: number, file: EpochFile): World {
  return { ...world, files: { ...world.files, [epoch]: file } };
}

function advance(world: World, name: string, process: Process, variant: Variant): World {
  if (process.kind === "writer") return advanceWriter(world, name, process, variant);
  if (process.kind === "reader") return advanceReader(world, name, process, variant);
  return advanceTaker(world, name, process, variant);
}

/** Append, then look. */
function advanceWriter(world: World, name: string, process: Process, { markers }: Variant): World {
  const { epoch } = process;
  if (process.pending === undefined) {
    const pending = `${name}${process.left}`;
    const file = fileOf(world, epoch);
    const appended = withFile(world, epoch, { ...file, events: [...file.events, pending] });
    return withProcess(appended, name, { ...process, pending });
  }
  const isQuiet = markers !== undefined && world.quiet.includes(name);
  if (markers !== undefined && !isQuiet && !process.marked) {
    return withProcess({ ...world, quiet: [...world.quiet, name] }, name, { ...process, marked: true });
  }
  const { pending, marked, ...rest } = process;
  const listed = isQuiet && !marked && process.listed ? process.listed : epochsOf(world);
  if (listed.some((other) => other > epoch)) return withProcess(world, name, { ...rest, done: true });
  const left = process.left - 1;
  const own = process.history.slice(process.base.length);
  const history = [...process.base, ...own, pending];
  const next = { ...rest, left, done: left === 0, history, ...(markers && { listed }) };
  return { ...withProcess(world, name, next), acknowledged: [...world.acknowledged, pending] };
}

/** Lists the folder, then removes the markers that it found. */
function disturb(world: World, name: string, process: Process, then: number): World {
  if (process.markers === undefined) return withProcess(world, name, { ...process, markers: world.quiet });
  const { markers, ...rest } = process;
  const quiet = world.quiet.filter((writer) => !markers.includes(writer));
  return withProcess({ ...world, quiet }, name, { ...rest, step: then });
}

/** Announce, (disturb,) read, (look,) seal; then it is a writer. */
function advanceTaker(world: World, name: string, process: Process, variant: Variant): World {
  const { rule, lookBeforeSeal, markers } = variant;
  const { epoch, step } = process;
  if (step === -1) return disturb(world, name, process, 0);
  if (step === 0 && world.files[epoch] !== undefined) {
    return withProcess(world, name, { ...process, epoch: epoch + 1, done: epoch + 1 > maxEpoch });
  }
  if (step === 0) {
    return withProcess(withFile(world, epoch, { events: [], seal: null }), name, {
      ...process,
      step: markers === "removed after announcing" ? 1 : 2,
    });
  }
  if (step === 1) return disturb(world, name, process, 2);
  if (step === 2) {
    const lengths = lengthsBelow(world, rule, epoch);
    const next = { ...process, lengths, base: historyUnder(world, lengths), step: lookBeforeSeal ? 3 : 4 };
    return withProcess(world, name, next);
  }
  if (step === 3) {
    const isLate = epochsOf(world).some((other) => other > epoch);
    return withProcess(world, name, isLate ? { ...process, done: true } : { ...process, step: 4 });
  }
  const sealed = withFile(world, epoch, { events: [], seal: process.lengths ?? {} });
  return withProcess(sealed, name, { ...process, kind: "writer", step: 0, left: 1 });
}

/** Read, then look: once. What it believes must never vanish again. */
function advanceReader(world: World, name: string, process: Process, { rule, reader }: Variant): World {
  const sealed = epochsOf(world).filter((epoch) => epoch === firstEpoch || fileOf(world, epoch).seal !== null);
  if (process.read === undefined) {
    const read = { events: visible(world, rule), epoch: sealed.at(-1) ?? firstEpoch };
    return withProcess(world, name, { ...process, read });
  }
  const { read, ...rest } = process;
  const believes = reader === "believes" || epochsOf(world).at(-1) === read.epoch;
  return withProcess(world, name, { ...rest, done: true, history: believes ? read.events : [] });
}

function violationsIn(world: World, rule: Rule): readonly string[] {
  const seen = visible(world, rule);
  const lost = world.acknowledged.filter((event) => !seen.includes(event)).map((event) => `lost ${event}`);
  const repeated = new Set(seen).size === seen.length ? [] : ["repeated"];
  const rewritten = Object.entries(world.processes)
    .filter(([, { history }]) => history.join() !== seen.slice(0, history.length).join())
    .map(([name]) => `rewritten for ${name}`);
  return [...lost, ...repeated, ...rewritten];
}

function explore(variant: Variant): { readonly states: number; readonly violations: readonly string[] } {
  const fresh = { step: 0, done: false, left: 2, base: [], history: [] };
  const taker = { ...fresh, kind: "taker", epoch: firstEpoch + 1 } as const;
  const step = variant.markers === "removed before announcing" ? -1 : 0;
  const begin: World = {
    files: { [firstEpoch]: { events: [], seal: null } },
    acknowledged: [],
    quiet: [],
    processes: {
      W: { ...fresh, kind: "writer", epoch: firstEpoch },
      A: { ...taker, step },
      B: { ...taker, step },
      ...(variant.reader && { R: { ...fresh, kind: "reader", epoch: 0 } }),
    },
  };
  const seen = new Set<string>();
  const violations = new Set<string>();
  const stack = [begin];
  for (let world = stack.pop(); world !== undefined; world = stack.pop()) {
    const key = JSON.stringify(world);
    if (seen.has(key)) continue;
    seen.add(key);
    for (const violation of violationsIn(world, variant.rule)) violations.add(violation);
    for (const [name, process] of Object.entries(world.processes)) {
      if (process.done) continue;
      stack.push(advance(world, name, process, variant));
      stack.push(withProcess(world, name, { ...process, done: true }));
    }
  }
  return { states: seen.size, violations: [...violations] };
}

describe("fencing by epoch files", () => {
  const limitMs = 120_000;

  test.each([true, false])(
    "loses no acknowledged event under the newest seal (look before seal: %s)",
    (lookBeforeSeal) => {
      const { states, violations } = explore({ rule: "newest seal", lookBeforeSeal });
      expect(violations).toEqual([]);
      expect(states).toBeGreaterThan(2_000);
    },
    limitMs,
  );

  test(
    "loses nothing when writers list the folder only after a taker has announced itself and removed their markers",
    () => {
      const variant = { rule: "newest seal", lookBeforeSeal: false, markers: "removed after announcing" } as const;
      const { states, violations } = explore(variant);
      expect(violations).toEqual([]);
      expect(states).toBeGreaterThan(10_000);
    },
    limitMs,
  );

  test(
    "loses events when takers remove the markers before they announce themselves",
    () => {
      const variant = { rule: "newest seal", lookBeforeSeal: false, markers: "removed before announcing" } as const;
      expect(explore(variant).violations).toContain("lost W1");
    },
    limitMs,
  );

  test.each([true, false])(
    "breaks history under the first seal (look before seal: %s)",
    (lookBeforeSeal) => {
      expect(explore({ rule: "first seal", lookBeforeSeal }).violations).not.toEqual([]);
    },
    limitMs,
  );

  test(
    "shows a reader that looks after reading nothing that vanishes",
    () => {
      const variant = { rule: "newest seal", lookBeforeSeal: false, reader: "looks" } as const;
      expect(explore(variant).violations).toEqual([]);
    },
    limitMs,
  );

  test(
    "shows a reader that does not look events that vanish",
    () => {
      const variant = { rule: "newest seal", lookBeforeSeal: false, reader: "believes" } as const;
      expect(explore(variant).violations).toContain("rewritten for R");
    },
    limitMs,
  );
});
