import { describe, expect, it } from "vitest";
import { spreadOf, verdict } from "./measure.js";

describe("spreadOf", () => {
  it("finds the middle, and for 15 figures the fourth from either end", () => {
    const figures = [15, 1, 14, 2, 13, 3, 12, 4, 11, 5, 10, 6, 9, 7, 8];
    expect(spreadOf(figures)).toEqual({ median: 8, low: 4, high: 12 });
  });

  it("gives the mean of the two in the middle of an even number", () => {
    expect(spreadOf([1, 2, 3, 10]).median).toBe(2.5);
  });

  it("gives a single figure back", () => {
    expect(spreadOf([7])).toEqual({ median: 7, low: 7, high: 7 });
  });
});

describe("verdict", () => {
  it("calls a target met, unclear or missed by the interval, not by the median", () => {
    const target = { atMost: 1.3 };
    expect(verdict({ median: 1.2, low: 1.1, high: 1.25 }, target)).toBe("met");
    expect(verdict({ median: 1.35, low: 1.2, high: 1.5 }, target)).toBe("unclear");
    expect(verdict({ median: 1.5, low: 1.4, high: 1.6 }, target)).toBe("missed");
    expect(verdict({ median: 0.6, low: 0.5, high: 0.65 }, { atLeast: 0.7 })).toBe("missed");
    expect(verdict({ median: 0.9, low: 0.8, high: 1 }, { atLeast: 0.7 })).toBe("met");
  });
});
