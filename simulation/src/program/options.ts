import { randomInt } from "node:crypto";
import { parseArgs } from "node:util";

/** What `--help` prints. */
export const usage = `simulate: runs the engine and the store in virtual time, and breaks everything around them.

  --seeds 1..1000   the seeds to run (default 1..100)
  --random N        N fresh seeds as well, which are printed
  --seed N          one seed
  --only NAME       all plans have this mode or theme: other ones than the seeds have without it
  --database        the store is that of PostgreSQL, over a simulated server whose connections break; it restarts and fails over
  --jobs N          runs the seeds in N processes; what comes of a seed is the same (default 1)
  --summary         prints at the end how often each thing was tried, and what came of it
  --verbose         prints every event of each run
  --until-found     ends with the first violation, and says where it was
  --no-shrink       leaves a failing story as long as it is
  --help

Exit code: 0 when every guarantee held, 1 when one did not, 2 for a wrong option.
`;

/** What the command line asks for. */
export interface Options extends RunOptions {
  readonly seeds: readonly number[];
  /** Those of them that were drawn for this run. */
  readonly fresh: readonly number[];
  readonly jobs: number;
  readonly untilFound: boolean;
}

/** How each seed is run. */
export interface RunOptions {
  /** The store is in a database, not in a folder. */
  readonly isDatabase: boolean;
  /** The mode or theme of all plans, where it is not drawn. */
  readonly only: string | undefined;
  readonly isVerbose: boolean;
  readonly isSummarised: boolean;
  readonly shrinks: boolean;
}

/** @throws {@link RangeError} or {@link TypeError} for options that make no sense. */
export function readOptions(): Options {
  const { values } = parseArgs({
    options: {
      seeds: { type: "string" },
      random: { type: "string" },
      seed: { type: "string" },
      jobs: { type: "string" },
      only: { type: "string" },
      database: { type: "boolean" },
      verbose: { type: "boolean" },
      summary: { type: "boolean" },
      "no-shrink": { type: "boolean" },
      "until-found": { type: "boolean" },
      help: { type: "boolean" },
    },
  });
  if (values.help === true) {
    process.stdout.write(usage);
    process.exit(0);
  }
  const fresh = Array.from({ length: wholeNumber("random", values.random ?? "0") }, () => randomInt(2 ** 31));
  const isDatabase = values.database === true;
  const isVerbose = values.verbose === true;
  const shrinks = values["no-shrink"] !== true;
  const untilFound = values["until-found"] === true;
  const isSummarised = values.summary === true;
  const jobs = Math.max(1, wholeNumber("jobs", values.jobs ?? "1"));
  // What only has to be found is not made shorter.
  const how = {
    isDatabase,
    isVerbose,
    isSummarised,
    shrinks: shrinks && !untilFound,
    untilFound,
    jobs,
    fresh,
    only: values.only,
  };
  if (values.seed !== undefined) return { seeds: [wholeNumber("seed", values.seed)], ...how };
  const range = values.seeds ?? (fresh.length > 0 ? undefined : "1..100");
  return { seeds: [...(range === undefined ? [] : seedsOf(range)), ...fresh], ...how };
}

function seedsOf(range: string): readonly number[] {
  const [from, to, ...rest] = range.split("..");
  const first = wholeNumber("seeds", from ?? "");
  const last = wholeNumber("seeds", to ?? from ?? "");
  if (rest.length > 0 || last < first) throw new RangeError(`--seeds takes a range such as 1..1000, not "${range}".`);
  return Array.from({ length: last - first + 1 }, (_, index) => first + index);
}

function wholeNumber(option: string, text: string): number {
  const value = Number(text);
  if (!/^\d+$/.test(text) || !Number.isSafeInteger(value)) {
    throw new RangeError(`--${option} takes a whole number, not "${text}".`);
  }
  return value;
}
