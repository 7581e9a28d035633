import { describe, expect, it } from "vitest";
import { pollDelayMs } from "./poll-delay.js";

const seen = { activity: "moving", hidden: false, failures: 0, tookMs: 10 } as const;

describe("the time until the next poll", () => {
  it("is short while something moves, and long once all is over", () => {
    const delays = (["moving", "waiting", "still"] as const).map((activity) => pollDelayMs({ ...seen, activity }, 0.5));
    expect(delays).toEqual([1_000, 2_500, 8_000]);
  });

  it("is longer where the page cannot be seen, or where answers take long", () => {
    expect([pollDelayMs({ ...seen, hidden: true }, 0.5), pollDelayMs({ ...seen, tookMs: 2_000 }, 0.5)]).toEqual([
      5_000, 6_000,
    ]);
  });

  it("grows while the server is away, up to 15 seconds, and differs between views", () => {
    const delays = [1, 2, 3, 6, 1_000].map((failures) => pollDelayMs({ ...seen, failures }, 1));
    expect(delays).toEqual([1_000, 2_000, 4_000, 15_000, 15_000]);
    expect(pollDelayMs({ ...seen, failures: 2 }, 0)).toBe(1_500);
  });
});
