import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";

const run = promisify(execFile);
const program = fileURLToPath(new URL("../dist/index.js", import.meta.url));

/** Runs the program as a user does, and gives what it printed; also where it found something. */
async function simulate(...flags: readonly string[]): Promise<{ readonly text: string; readonly code: number }> {
  try {
    const { stdout } = await run(process.execPath, [program, ...flags], { maxBuffer: 2 ** 28 });
    return { text: stdout, code: 0 };
  } catch (error) {
    const { code, stdout, stderr } = error as {
      readonly code: number;
      readonly stdout: string;
      readonly stderr: string;
    };
    return { text: `${stdout}${stderr}`, code };
  }
}

const hangMs = 900_000;

describe("the simulator", () => {
  test("finds no guarantee broken (G1 to G12)", { timeout: hangMs }, async () => {
    const { text, code } = await simulate("--seeds", "1..100");
    console.log(text);
    expect([code, text.includes("100 seeds, 0 with violations")]).toEqual([0, true]);
  });

  test("has the same history for the same seed, whatever ran before", { timeout: hangMs }, async () => {
    const historyOf = ({ text }: { readonly text: string }) => /seed 31: history (\w+)/.exec(text)?.[1];
    const [alone, after] = await Promise.all([
      simulate("--seed", "31", "--verbose"),
      simulate("--seeds", "29..31", "--verbose"),
    ]);
    expect(historyOf(alone)).toMatch(/^[0-9a-f]{16}$/);
    expect(historyOf(after)).toBe(historyOf(alone));
  });

  test.each([
    [["--seeds", "5..1"], '--seeds takes a range such as 1..1000, not "5..1".'],
    [["--seed", "one"], '--seed takes a whole number, not "one".'],
    [["--speed", "1"], "Unknown option '--speed'"],
  ])("refuses %j", async (flags, problem) => {
    const { text, code } = await simulate(...flags);
    expect([code, text.includes(problem)]).toEqual([2, true]);
  });
});
