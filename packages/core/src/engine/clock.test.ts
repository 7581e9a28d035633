import { describe, expect, it } from "vitest";
import { createManualClock } from "../testing.js";
import { DueTimes } from "./clock.js";

const startMs = Date.UTC(2026, 0, 1);
const hourMs = 3_600_000;

describe("DueTimes", () => {
  it.each([hourMs, -hourMs])("keep a time that was met before the wall clock jumped by %i ms", async (jumpMs) => {
    const clock = createManualClock(startMs);
    const times = new DueTimes(clock);
    expect(times.leftMs(startMs + 6_000)).toBe(6_000);
    clock.jump(jumpMs);
    expect(times.leftMs(startMs + 6_000)).toBe(6_000);
    await clock.advance(7_000);
    expect(times.leftMs(startMs + 6_000)).toBe(-1_000);
  });

  it("take a time that is met for the first time from the wall clock", () => {
    const clock = createManualClock(startMs);
    const times = new DueTimes(clock);
    clock.jump(hourMs);
    expect(times.leftMs(startMs + hourMs + 1)).toBe(1);
    expect(times.leftMs(0)).toBeLessThan(0);
    expect(times.leftMs(Number.POSITIVE_INFINITY)).toBe(Number.POSITIVE_INFINITY);
  });

  it("forget the oldest of very many", () => {
    const clock = createManualClock(startMs);
    const times = new DueTimes(clock);
    for (let count = 1; count <= 100_001; count++) times.leftMs(startMs + count);
    clock.jump(-hourMs);
    expect(times.leftMs(startMs + 2)).toBe(2);
    expect(times.leftMs(startMs + 1)).toBe(hourMs + 1);
  });
});
