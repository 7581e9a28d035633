import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { built } from "../src/workers/run-isolated.js";

const run = promisify(execFile);

/** Runs a storm with a seed of its own, which is printed: `--seed` draws the same plan again. */
export async function stormOutput(program: string, flags: readonly string[], timeoutMs: number): Promise<string> {
  const seed = String(Math.floor(Math.random() * 1_000_000));
  const script = fileURLToPath(built(`${program}.js`));
  try {
    const { stdout } = await run(process.execPath, [script, "--seed", seed, ...flags], { timeout: timeoutMs });
    process.stdout.write(stdout);
    return stdout;
  } catch (error) {
    const output = error instanceof Error && "stdout" in error ? String(error.stdout) : "";
    throw new Error(`The ${program} with seed ${seed} found problems:\n${output}`, { cause: error });
  }
}
