import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const run = promisify(execFile);
const program = fileURLToPath(new URL("../dist/index.js", import.meta.url));

/** A run of many seeds that takes longer hangs, in milliseconds. */
export const hangMs = 900_000;

interface Ended {
  readonly text: string;
  readonly errors: string;
  readonly code: number;
}

/** Runs the program as a user does, and gives what it printed; also where it found something. */
export async function simulate(...flags: readonly string[]): Promise<Ended> {
  return simulateOn(process.execPath, ...flags);
}

export async function simulateOn(node: string, ...flags: readonly string[]): Promise<Ended> {
  const running = run(node, [program, ...flags], { maxBuffer: 2 ** 28 });
  // The fresh seeds are printed before they run.
  running.child.stdout?.pipe(process.stdout);
  try {
    const { stdout, stderr } = await running;
    return { text: stdout, errors: stderr, code: 0 };
  } catch (error) {
    const { code, stdout, stderr } = error as {
      readonly code: number;
      readonly stdout: string;
      readonly stderr: string;
    };
    return { text: `${stdout}${stderr}`, errors: stderr, code };
  }
}
