import { expect, test } from "vitest";
import { percentOf, progressText } from "./tool-result.js";

test("percents have one decimal, rounded down, and are 100 only at the end", () => {
  const shares = [
    [0, 50],
    [15, 50],
    [1, 3],
    [2, 3],
    [57, 100],
    [9_999, 10_000],
    [50, 50],
    [60, 50],
    [1, 0],
  ] as const;
  expect(shares.map(([progress, total]) => percentOf(progress, total))).toEqual([
    0, 30, 33.3, 66.6, 57, 99.9, 100, 100, 0,
  ]);
});

test("sentences say whole percents", () => {
  expect(progressText({ progress: 1, total: 3 })).toBe("1/3 (33 %)");
});
