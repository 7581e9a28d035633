import { type ChildProcess, fork, spawnSync } from "node:child_process";
import { join } from "node:path";
import { buildWith } from "../bugs/build-with.js";
import { ask, type JobResult } from "../program/ask.js";
import { comparedSources } from "./compared.js";
import { folderOf } from "./folders.js";
import { keyOf, type Mutant, switchedSources } from "./mutant.js";

/** A seed that takes more processor time than this hangs, in seconds: without a mutant it takes less than one. */
const hangProcessorSeconds = 60;
/** A seed that has not ended after this time hangs, in milliseconds, though it takes no processor time. */
const hangMs = 900_000;
const checkEveryMs = 5_000;

const entry = "program/job.ts";

/** A simulator that has all of the mutants in it. */
export interface SwitchedSimulator {
  readonly program: string;
  /** By which a process switches a mutant on, by the mutant's key. */
  readonly ids: ReadonlyMap<string, string>;
  /** By id: the seeds that run the mutant's code, and in which its value is another, where that is known. */
  readonly seeds: ReadonlyMap<string, readonly number[]>;
}

const isDatabase = ({ file }: Mutant): boolean => folderOf(file).isDatabase === true;

/** Builds it, and runs all seeds without a mutant. @param simulation The folder of the package, in a checkout. */
export async function buildSwitched(
  simulation: string,
  mutants: readonly Mutant[],
  count: number,
): Promise<SwitchedSimulator> {
  const checkout = join(simulation, "..");
  const { sources, ids } = await switchedSources(checkout, mutants);
  const compared = comparedSources(checkout, mutants, ids);
  const program = await buildWith(simulation, { name: "mutants", sources, entry });
  const comparing = await buildWith(simulation, { name: "mutants compared", sources: compared.sources, entry });
  const seeds = new Map<string, readonly number[]>();
  for (const inDatabase of new Set(mutants.map(isDatabase))) {
    const reached = await runAll(program, inDatabase, count);
    const differing = await runAll(comparing, inDatabase, count);
    for (const mutant of mutants.filter((one) => isDatabase(one) === inDatabase)) {
      const id = ids.get(keyOf(mutant)) ?? "";
      const those = reached.get(id);
      if (those !== undefined) seeds.set(id, compared.ids.has(id) ? (differing.get(id) ?? []) : those);
    }
  }
  return { program, ids, seeds };
}

/** Runs all seeds without a mutant. @returns the seeds that have to do with each mutant, by its id. */
async function runAll(
  program: string,
  inDatabase: boolean,
  count: number,
): Promise<ReadonlyMap<string, readonly number[]>> {
  const seeds = new Map<string, number[]>();
  const child = fork(program);
  try {
    for (let seed = 1; seed <= count; seed += 1) {
      const { violation, reached } = await runIn(child, seed, inDatabase);
      if (violation !== undefined) throw new Error(`Seed ${seed} breaks a guarantee without a mutant.`);
      for (const id of reached) seeds.set(id, [...(seeds.get(id) ?? []), seed]);
    }
  } finally {
    child.kill();
  }
  return seeds;
}

const runIn = (child: ChildProcess, seed: number, inDatabase: boolean): Promise<JobResult> =>
  ask(child, { seed, isDatabase: inDatabase, only: undefined, isVerbose: false, isSummarised: false, shrinks: false });

/**
 * Lets the seeds in which a mutant may show judge it, in their order, until one finds it.
 *
 * @returns what was found: `seed 12: G1`, `seed 12: hangs`, `seed 12: ends the process`, `not found`, or `not reached`.
 */
export async function judgeBySimulator({ program, ids, seeds }: SwitchedSimulator, mutant: Mutant): Promise<string> {
  const id = ids.get(keyOf(mutant)) ?? "";
  const those = seeds.get(id);
  if (those === undefined) return "not reached";
  const env = { ...process.env, __STRYKER_ACTIVE_MUTANT__: id };
  const child = fork(program, { env, stdio: ["ignore", "ignore", "ignore", "ipc"] });
  let running = 0;
  let timer: NodeJS.Timeout | undefined;
  try {
    for (running of those) {
      timer = killWhenHanging(child);
      const { violation } = await runIn(child, running, isDatabase(mutant));
      clearInterval(timer);
      if (violation !== undefined) return `seed ${running}: ${violation.rule}`;
    }
    return "not found";
  } catch {
    return `seed ${running}: ${child.killed ? "hangs" : "ends the process"}`;
  } finally {
    clearInterval(timer);
    child.kill("SIGKILL");
  }
}

/** Kills the process when the seed that it runs from now on hangs: on a busy machine a slow seed does not hang. */
function killWhenHanging(child: ChildProcess): NodeJS.Timeout {
  const [startMs, startSeconds] = [Date.now(), processorSeconds(child)];
  return setInterval(() => {
    const isHanging = processorSeconds(child) - startSeconds > hangProcessorSeconds || Date.now() - startMs > hangMs;
    if (isHanging) child.kill("SIGKILL");
  }, checkEveryMs);
}

/** Processor time that a process has taken, in seconds: `ps` writes it as `[days-]hours:minutes:seconds`. */
function processorSeconds({ pid }: ChildProcess): number {
  const { stdout } = spawnSync("ps", ["-o", "cputime=", "-p", `${pid}`], { encoding: "utf8" });
  const [, days, ...times] = /(?:(\d+)-)?(\d+):(\d+):(\d+)/.exec(stdout) ?? [];
  return times.reduce((sum, time) => sum * 60 + Number(time), Number(days ?? 0) * 24);
}
