import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import type { Options, RunOptions } from "./options.js";
import { runSeed, type SeedResult } from "./run-seed.js";

/** What another process is asked for. */
export interface Job extends RunOptions {
  readonly seed: number;
}

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

async function ask(child: ChildProcess, job: Job): Promise<SeedResult> {
  const ended = new AbortController();
  const death = once(child, "exit", ended).then(() => {
    throw new Error(`The process that ran seed ${job.seed} ended.`);
  });
  try {
    const answer = once(child, "message", ended);
    child.send(job);
    const [result]: readonly SeedResult[] = await Promise.race([answer, death]);
    if (result === undefined) throw new Error(`Nothing came of seed ${job.seed}.`);
    return result;
  } finally {
    ended.abort();
    death.catch(() => undefined);
  }
}
