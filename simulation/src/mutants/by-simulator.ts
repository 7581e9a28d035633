import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { buildWith } from "../bugs/build-with.js";
import { folderOf } from "./folders.js";
import { keyOf, type Mutant, withMutant } from "./mutant.js";

const run = promisify(execFile);

/** A simulator that runs longer than this hangs, in milliseconds: the mutant shows. */
const hangMs = 1_800_000;

/**
 * Lets the simulator judge a mutant.
 *
 * @param simulation The folder of the simulator's package, in a checkout.
 * @returns what was found: `seed 12: durability`, `hangs`, `does not start`, or `not found`.
 */
export async function judgeBySimulator(simulation: string, mutant: Mutant, seeds: number): Promise<string> {
  const program = await buildWith(simulation, {
    name: `mutant ${keyOf(mutant).replaceAll(/\W+/g, "-").slice(0, 120)}`,
    file: mutant.file,
    change: (source) => withMutant(mutant, source),
  });
  const plans = folderOf(mutant.file).isDatabase === true ? ["--database"] : [];
  const args = [program, "--seeds", `1..${seeds}`, "--until-found", "--no-shrink", ...plans];
  const { stdout, killed } = await run(process.execPath, args, {
    maxBuffer: 2 ** 28,
    timeout: hangMs,
    killSignal: "SIGKILL",
  }).then(
    (output) => ({ ...output, killed: false }),
    // It ends with 1 when it found something.
    (error: { readonly stdout: string; readonly killed: boolean }) => error,
  );
  if (killed) return "hangs";
  const [, seed, rule] = /found by seed (\d+) at .*virtual hours: ([^:]*)/.exec(stdout) ?? [];
  if (seed !== undefined) return `seed ${seed}: ${rule}`;
  return stdout.includes(" virtual hours") ? "not found" : "does not start";
}
