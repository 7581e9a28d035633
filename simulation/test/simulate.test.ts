import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { pathOfNewerNode } from "../../scripts/newer-node.js";

const run = promisify(execFile);
const program = fileURLToPath(new URL("../dist/index.js", import.meta.url));

interface Ended {
  readonly text: string;
  readonly errors: string;
  readonly code: number;
}

/** Runs the program as a user does, and gives what it printed; also where it found something. */
async function simulate(...flags: readonly string[]): Promise<Ended> {
  return simulateOn(process.execPath, ...flags);
}

async function simulateOn(node: string, ...flags: readonly string[]): Promise<Ended> {
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

const hangMs = 900_000;

describe("the simulator", () => {
  test("finds no guarantee broken (G1 to G12) with fixed and with fresh seeds, and Node warns of nothing", {
    timeout: hangMs,
  }, async () => {
    const { text, errors, code } = await simulate("--seeds", "1..60", "--random", "30");
    expect([code, text.includes("90 seeds, 0 with violations"), errors]).toEqual([0, true, ""]);
  });

  test("finds none broken where the store is a database that is cut off, restarts and fails over", {
    timeout: hangMs,
  }, async () => {
    const { text, errors, code } = await simulate("--database", "--seeds", "1..25", "--random", "10");
    expect([code, text.includes("35 seeds, 0 with violations"), errors]).toEqual([0, true, ""]);
  });

  test.each([
    ["failures", 15],
    ["leaving", 15],
    ["drains", 6],
    ["cancels", 6],
    ["making", 6],
    ["forgotten", 6],
  ])("finds none broken in plans of a theme that is not drawn: %s", { timeout: hangMs }, async (theme, seeds) => {
    const { text, errors, code } = await simulate("--only", theme, "--seeds", `1..${seeds}`);
    expect([code, text.includes(`${seeds} seeds, 0 with violations`), errors]).toEqual([0, true, ""]);
  });

  test("has the same history for the same seed, in any process, whatever ran before, and on a newer Node", {
    timeout: hangMs,
  }, async () => {
    const range = ["--seeds", "29..36"];
    const digestOf = ({ text }: { readonly text: string }) => /digest of all histories: (\w{16})/.exec(text)?.[1];
    const first = digestOf(await simulate(...range));
    expect(first).toBeDefined();
    expect(digestOf(await simulate(...range, "--jobs", "2"))).toBe(first);
    expect(digestOf(await simulateOn(await pathOfNewerNode(), ...range))).toBe(first);
  });

  test.each([
    [["--seeds", "5..1"], '--seeds takes a range such as 1..1000, not "5..1".'],
    [["--seed", "one"], '--seed takes a whole number, not "one".'],
    [["--speed", "1"], "Unknown option '--speed'"],
    [["--only", "waves"], 'There is no mode or theme "waves".'],
  ])("refuses %j", async (flags, problem) => {
    const { text, code } = await simulate(...flags);
    expect([code, text.includes(problem)]).toEqual([2, true]);
  });
});
