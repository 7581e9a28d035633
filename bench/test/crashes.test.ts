import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";

const crashes = fileURLToPath(new URL("../dist/crashes.js", import.meta.url));
const run = promisify(execFile);
const patienceMs = 900_000;

/** Runs the storm on the bare engine with a seed of its own, which is printed: `--seed` draws the same plan again. */
async function crashesOutput(...flags: readonly string[]): Promise<string> {
  const seed = String(Math.floor(Math.random() * 1_000_000));
  try {
    const { stdout } = await run(process.execPath, [crashes, "--seed", seed, ...flags], { timeout: patienceMs });
    process.stdout.write(stdout);
    return stdout;
  } catch (error) {
    const output = error instanceof Error && "stdout" in error ? String(error.stdout) : "";
    throw new Error(`The crashes with seed ${seed} found problems:\n${output}`, { cause: error });
  }
}

describe("crashes", () => {
  it("lose and repeat nothing of 100 tasks in one process (G1, G2, G3)", { timeout: patienceMs }, async () => {
    const output = await crashesOutput("--kills", "10", "--tasks", "100", "--records", "80");
    expect(output).toMatch(/\d+ runs complete, 0 problems/);
  });

  it("leave each task one writer at a time in three processes (G4)", { timeout: patienceMs }, async () => {
    const output = await crashesOutput("--kills", "10", "--tasks", "30", "--records", "80", "--processes", "3");
    expect(output).toMatch(/\d+ runs complete, 0 problems/);
  });

  it("lose and repeat nothing while old files are compacted away (G1, G2)", { timeout: patienceMs }, async () => {
    const flags = ["--compact", "--durability", "process"];
    const output = await crashesOutput(
      "--kills",
      "6",
      "--tasks",
      "20",
      "--records",
      "240",
      "--processes",
      "2",
      ...flags,
    );
    expect(output).toMatch(/\d+ runs complete, 0 problems/);
  });
});
