import { describe, expect, test } from "vitest";
import { hangMs, simulate } from "./run-simulator.js";

describe("the simulator", () => {
  test("finds no guarantee broken (G1 to G12) in 30 seeds, and Node warns of nothing", {
    timeout: hangMs,
  }, async () => {
    const { text, errors, code } = await simulate("--seeds", "1..30");
    expect([code, text.includes("30 seeds, 0 with violations"), errors]).toEqual([0, true, ""]);
  });

  test.each([
    [["--seeds", "5..1"], '--seeds takes a range such as 1..1000, not "5..1".'],
    [["--seed", "one"], '--seed takes a whole number, not "one".'],
    [["--speed", "1"], "Unknown option '--speed'"],
    [["--only", "waves"], 'No mode or theme is named "waves".'],
  ])("refuses %j", async (flags, problem) => {
    const { text, code } = await simulate(...flags);
    expect([code, text.includes(problem)]).toEqual([2, true]);
  });
});
