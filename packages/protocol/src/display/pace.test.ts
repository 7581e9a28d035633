import { describe, expect, it } from "vitest";
import { addSample, type Pace, ratePerSecond, remainingMs } from "./pace.js";

const seen = (...samples: readonly (readonly [atMs: number, progress: number])[]) =>
  samples.reduce((pace: Pace, [atMs, progress]) => addSample(pace, { atMs, progress }), []);

describe("a pace", () => {
  it("tells rate and remaining time from what was seen", () => {
    const pace = seen([0, 10], [1_000, 12], [2_000, 14]);
    expect([ratePerSecond(pace), remainingMs(pace, 20, 2_000), remainingMs(pace, 20, 3_000)]).toEqual([
      2, 3_000, 2_000,
    ]);
  });

  it("says nothing where too little was seen, nothing moved, or no total is known", () => {
    expect([ratePerSecond(seen([0, 1])), ratePerSecond(seen([0, 1], [2_000, 1]))]).toEqual([undefined, undefined]);
    expect(remainingMs(seen([0, 1], [1_000, 2]), undefined, 0)).toBeUndefined();
  });

  it("starts over when a task goes back, and never promises less than nothing", () => {
    expect(seen([0, 10], [1_000, 3])).toEqual([{ atMs: 1_000, progress: 3 }]);
    expect(remainingMs(seen([0, 10], [1_000, 20]), 20, 60_000)).toBe(0);
  });

  it("forgets what was more than a minute ago, and stays small under a storm of events", () => {
    expect(seen([0, 0], [50_000, 1], [100_000, 2])).toEqual([
      { atMs: 50_000, progress: 1 },
      { atMs: 100_000, progress: 2 },
    ]);
    const storm = seen(...Array.from({ length: 10_000 }, (_, index) => [index * 10, index] as const));
    expect(storm).toHaveLength(20);
  });

  it("knows no remaining time once that time has passed without the end", () => {
    const pace = [0, 5].map((progress, at) => ({ progress, atMs: at * 5_000 }));
    expect([9_000, 10_000, 10_001].map((nowMs) => remainingMs(pace, 10, nowMs))).toEqual([1_000, 0, undefined]);
  });
});
