import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import type { RunOptions } from "./options.js";
import type { SeedResult } from "./run-seed.js";

/** What another process is asked for. */
export interface Job extends RunOptions {
  readonly seed: number;
}

/** What another process answers. */
export interface JobResult extends SeedResult {
  /** The mutants whose code ran, in a build that has some. */
  readonly reached: readonly string[];
}

/** Lets another process run a seed. */
export async function ask(child: ChildProcess, job: Job): Promise<JobResult> {
  const ended = new AbortController();
  const death = once(child, "exit", ended).then(() => {
    throw new Error(`The process that ran seed ${job.seed} ended.`);
  });
  try {
    const answer = once(child, "message", ended);
    child.send(job);
    const [result]: readonly JobResult[] = await Promise.race([answer, death]);
    if (result === undefined) throw new Error(`Nothing came of seed ${job.seed}.`);
    return result;
  } finally {
    ended.abort();
    death.catch(() => undefined);
  }
}
