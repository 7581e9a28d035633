import { describe, expect, it } from "vitest";
import { createManualClock } from "../testing.js";
import { DueTimes, parseDuration } from "./clock.js";

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

it("gives a duration in milliseconds, and nothing for what is none", () => {
  const texts = [
    "500ms",
    "30s",
    "10m",
    "12h",
    "7d",
    "0s",
    "",
    "7",
    "7 d",
    "-1d",
    "1,5h",
    "1.5h",
    "d",
    "7D",
    "1234567890d",
  ];
  const day = 86_400_000;
  const none = undefined;
  const expected = [
    500,
    30_000,
    600_000,
    day / 2,
    7 * day,
    0,
    none,
    none,
    none,
    none,
    none,
    5_400_000,
    none,
    none,
    none,
  ];
  expect(texts.map(parseDuration)).toEqual(expected);
});
