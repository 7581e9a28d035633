import { describe, expect, test } from "vitest";
import { pathOfNewerNode } from "../../scripts/newer-node.js";
import { hangMs, simulate, simulateOn } from "./run-simulator.js";

describe("the simulator", () => {
  test("finds no guarantee broken (G1 to G12) with fixed and with fresh seeds", {
    timeout: hangMs,
  }, async () => {
    const { text, errors, code } = await simulate("--seeds", "31..60", "--random", "30");
    expect([code, text.includes("60 seeds, 0 with violations"), errors]).toEqual([0, true, ""]);
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
});
