import { fork } from "node:child_process";
import { ask } from "./ask.js";
import type { Options } from "./options.js";
import { runSeed, type SeedResult } from "./run-seed.js";

/** Runs the seeds, here or in several processes, and gives what came of them in their order. */
export async function* resultsOf(options: Options): AsyncGenerator<SeedResult> {
  const { seeds, jobs } = options;
  if (jobs > 1) yield* resultsOfJobs(options);
  else for (const seed of seeds) yield await runSeed(seed, options);
}

async function* resultsOfJobs({ seeds, jobs, ...how }: Options): AsyncGenerator<SeedResult> {
  const lanes = Array.from({ length: jobs }, () => ({
    child: fork(new URL("program/job.js", import.meta.url)),
    last: Promise.resolve<unknown>(undefined),
  }));
  try {
    const answers = seeds.map((seed, place) => {
      const lane = lanes[place % jobs];
      if (lane === undefined) throw new RangeError("A seed has no process to run in.");
      const answer = lane.last.then(() => ask(lane.child, { seed, ...how }));
      lane.last = answer.catch(() => undefined);
      return answer;
    });
    for (const answer of answers) yield await answer;
  } finally {
    for (const { child } of lanes) child.kill();
  }
}
