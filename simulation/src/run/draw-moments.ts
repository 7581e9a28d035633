import type { Operation } from "../callers/script-operations.js";
import type { Random } from "../world/random.js";
import { drawFault, type Fault, type FaultFrame } from "./draw-fault.js";
import { acceptanceMoments, fullDiskMoments, lostSyncMoments } from "./moments.js";
import { namePlaces, signalPlaces } from "./place-deaths.js";

/**
 * What breaks in a plan of the mode `moments`: all that waits for a moment; or what takes a request or an answer with it; or
 * only the disk, when a host is asked; or the process of a task that another one takes over, while the first still
 * writes; or calls of the disk, in processes that live; or syncs, after which the power is lost; or the power, while
 * tasks are made and finished; or the folder of the store is away.
 */
export type Theme = (typeof themesOfMoments)[number] | (typeof themesOnRequest)[number];

export const themesOfMoments = [
  "all",
  "all",
  "requests",
  "requests",
  "requests",
  "questions",
  "questions",
  "takeovers",
  "takeovers",
  "errors",
  "errors",
  "syncs",
  "syncs",
  "names",
  "names",
  "folder",
] as const;

/**
 * They are not drawn: tools that fail while they ask, until their task fails, and are answered just then; a folder that
 * follows from the tasks is removed, in processes that live; callers leave, or give up, while their result is on its way to
 * them; servers are asked to end while they show many checkpoints; callers cancel when the disk can be read no more; processes
 * die while they make a task, which others continue before the power is lost; tools that kill their process are cancelled after
 * one death, next to a task that comes to no checkpoint.
 */
export const themesOnRequest = ["failures", "removals", "leaving", "drains", "cancels", "making", "forgotten"] as const;

/** When nothing breaks any more. */
export const calmOfTheme: { readonly [theme in Theme]: number } = {
  all: 10_000,
  requests: 15_000,
  questions: 30_000,
  takeovers: 30_000,
  errors: 15_000,
  syncs: 20_000,
  names: 15_000,
  folder: 15_000,
  failures: 40_000,
  removals: 15_000,
  leaving: 20_000,
  drains: 20_000,
  cancels: 20_000,
  making: 15_000,
  forgotten: 40_000,
};

/** How many calls there are; others have one to ten. */
export const callsOfTheme: { readonly [theme in Theme]?: number } = {
  syncs: 8,
  names: 15,
  folder: 15,
  leaving: 12,
  making: 15,
  forgotten: 10,
};

/** What these are about: two processes, or losses of power. */
export const themesOfTwo: readonly (Theme | undefined)[] = ["requests", "takeovers", "failures", "making"];
export const themesOfPower: readonly (Theme | undefined)[] = [...themesOfTwo, "syncs", "names"];

/** Draws the faults of a theme. */
export function drawMoments(random: Random, frame: FaultFrame, theme: Theme): readonly Fault[] {
  const draw: DrawFaults = (kinds, length) =>
    Array.from({ length }, () => drawFault(random, frame, random.pick(kinds)));
  switch (theme) {
    case "all":
      return draw(["die_at_place", "die_at_place", "die_at_point", "at_moment"], random.pick([10, 30, 60]));
    case "requests":
      return [
        ...draw(["die_at_place"], random.pick([0, 10, 30])).map((fault) => ({
          ...fault,
          amount: random.below(signalPlaces),
        })),
        ...draw(["at_moment"], random.pick([0, 5, 20])).map((fault) => ({
          ...fault,
          amount: fullDiskMoments + random.below(acceptanceMoments),
        })),
        // While a sync lasts for seconds, much is accepted and not yet carried out.
        ...draw(["slow"], random.pick([0, 2, 5])),
      ];
    case "questions":
      return draw(["at_moment"], random.pick([2, 4, 8])).map((fault) => ({
        ...fault,
        amount: random.below(fullDiskMoments),
      }));
    case "takeovers":
      return Array.from({ length: random.pick([2, 5]) }, () => drawTakeover(random, frame)).flat();
    case "errors":
      // Under errors that last no call succeeds that needs many calls of the disk.
      return draw(["errors", "errors", "errors", "full"], random.pick([10, 30, 60])).map((fault) => ({
        ...fault,
        amount: random.pick([50, 200, 1_000]),
      }));
    case "syncs":
      return Array.from({ length: random.pick([1, 2, 4]) }, () => drawFailedSyncs(random, frame)).flat();
    case "names":
      return [
        ...draw(["die_at_place"], random.pick([10, 30])).map((fault) => ({
          ...fault,
          amount: namePlaces.from + random.below(namePlaces.count),
        })),
        // What a process left half made another one continues, before the power is lost.
        ...draw(["power", "slow"], random.pick([2, 5, 10])),
      ];
    case "folder":
      return draw(["unmount"], random.pick([3, 6])).map((fault) => ({ ...fault, amount: 3_000 }));
    default:
      return drawOnRequest(random, theme, draw);
  }
}

type DrawFaults = (kinds: readonly Fault["kind"][], length: number) => readonly Fault[];

function drawOnRequest(random: Random, theme: (typeof themesOnRequest)[number], draw: DrawFaults): readonly Fault[] {
  switch (theme) {
    case "failures":
      return [
        ...draw(["kill", "drain", "freeze", "die_at_call"], random.pick([0, 0, 2])),
        // While a failure is being written, an answer is accepted.
        ...draw(["slow"], random.pick([0, 6, 12])).map((fault) => ({ ...fault, amount: 2_000 })),
      ];
    case "removals":
      return draw(["remove_folder"], random.pick([1, 3]));
    case "leaving":
      return draw(["at_moment"], random.pick([4, 8, 12])).map((fault) => ({
        ...fault,
        atMs: 0.7 * fault.atMs,
        // A lease is lost after three seconds.
        moment: { after: "returns", kind: "stand_still", amount: random.pick([300, 1_500]) },
      }));
    case "drains":
      return draw(["shut_down"], random.pick([10, 20]));
    case "cancels":
      return draw(["at_moment"], random.pick([10, 20])).map((fault) => ({
        ...fault,
        moment: { after: "drops", kind: "unreadable", amount: random.pick([8, 40]) },
      }));
    case "forgotten":
      // Its tools kill their processes.
      return [];
    case "making":
      return [
        ...draw(["die_at_point"], random.pick([5, 10])).map((fault) => ({
          ...fault,
          point: "store.create.claimed",
          amount: random.pick([1, 2]),
          takesPower: false,
        })),
        ...draw(["power"], random.pick([4, 8])),
      ];
  }
}

/** Syncs fail for a second: the power is lost, or the process dies, at one of them, and the power is lost some seconds later. */
function drawFailedSyncs(random: Random, frame: FaultFrame): readonly Fault[] {
  const isLost = random.percent(75);
  const failing = drawFault(random, frame, isLost ? "lost_syncs" : "failing_syncs");
  const atMs = 0.7 * failing.atMs;
  const moment = drawFault(random, frame, "at_moment");
  const power = drawFault(random, frame, "power");
  return [
    { ...failing, atMs, amount: 2_000 },
    {
      ...moment,
      atMs,
      amount: fullDiskMoments + acceptanceMoments + (isLost ? random.below(lostSyncMoments) : lostSyncMoments),
    },
    { ...power, atMs: atMs + random.between(1_500, 8_000) },
  ];
}

/**
 * A process does not say that it lives, since it cannot open its file, and writes on; or it is frozen. The power is lost when
 * another process takes one of its tasks over.
 */
function drawTakeover(random: Random, frame: FaultFrame): readonly Fault[] {
  const silent = drawFault(random, frame, random.pick(["no_files", "no_files", "freeze"] as const));
  const death = drawFault(random, frame, "die_at_point");
  // A lease is lost after three seconds.
  const atMs = silent.atMs + random.between(2_500, 4_500);
  return [
    { ...silent, amount: 8_000 },
    { ...death, atMs, point: "store.takeover.sealed", amount: random.pick([1, 1, 2]), takesPower: true },
  ];
}

/** Waits, each of which ends an attempt. */
export function drawManyWaits(random: Random): readonly Operation[] {
  return Array.from({ length: random.pick([10, 20]) }, () =>
    random.percent(70) ? { op: "sleep", ms: random.pick([50, 300]) } : { op: "fail", times: random.pick([1, 2]) },
  );
}

/** Many checkpoints, one right after the other: at almost any moment one of them is being written. */
export function drawManyCheckpoints(random: Random): readonly Operation[] {
  return Array.from({ length: random.pick([50, 200]) }, (_, at) => {
    const ms = random.pick([0, 1, 20]);
    return at % 10 === 9 ? { op: "artifact", bytes: 100 } : { op: "work", ms };
  });
}
