import type { Operation } from "../callers/script-operations.js";
import type { Random } from "../world/random.js";
import { drawFault, type Fault, type FaultFrame } from "./draw-fault.js";
import { acceptanceMoments, fullDiskMoments } from "./moments.js";
import { signalPlaces } from "./place-deaths.js";

/**
 * What breaks in a plan of the mode `moments`: all that waits for a moment; or what takes a request or an answer with it; or
 * only the disk, when a host is asked; or the process of a task that another one takes over, while the first still
 * writes; or calls of the disk, in processes that live.
 */
export type Theme = "all" | "requests" | "questions" | "takeovers" | "errors";

export const themesOfMoments: readonly Theme[] = [
  "all",
  "all",
  "requests",
  "requests",
  "requests",
  "questions",
  "takeovers",
  "takeovers",
  "errors",
];

/** When nothing breaks any more. */
export const calmOfTheme: { readonly [theme in Theme]: number } = {
  all: 10_000,
  requests: 15_000,
  questions: 30_000,
  takeovers: 30_000,
  errors: 15_000,
};

/** Draws the faults of a theme. */
export function drawMoments(random: Random, frame: FaultFrame, theme: Theme): readonly Fault[] {
  const draw = (kinds: readonly Fault["kind"][], length: number) =>
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
  }
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
  return Array.from({ length: random.pick([50, 200]) }, () => ({ op: "work", ms: random.pick([0, 1, 20]) }));
}
