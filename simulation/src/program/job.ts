import type { Job, JobResult } from "./ask.js";
import { runSeed } from "./run-seed.js";

/** Of Stryker, in a build with mutants: what ran when it was loaded, and in each seed. */
interface Counted {
  currentTestId?: string;
  readonly mutantCoverage?: {
    readonly static: Readonly<Record<string, number>>;
    readonly perTest: Readonly<Record<string, Readonly<Record<string, number>>>>;
  };
}

const shared = globalThis as { __stryker__?: Counted };
shared.__stryker__ ??= {};
const counted = shared.__stryker__;

// Runs seeds for the process that started this one.
process.on("message", (job: Job) => {
  counted.currentTestId = String(job.seed);
  runSeed(job.seed, job).then(
    (result) => {
      const { static: always, perTest } = counted.mutantCoverage ?? { static: {}, perTest: {} };
      const answer: JobResult = { ...result, reached: Object.keys({ ...always, ...perTest[job.seed] }) };
      process.send?.(answer);
    },
    (error: unknown) => {
      process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
      process.exit(1);
    },
  );
});
