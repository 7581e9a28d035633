import { expect, it } from "vitest";
import { parseDuration } from "./duration.js";
import { durationMs } from "./engine/clock.js";

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
    "2592000000ms",
    "1234567890123d",
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
    30 * day,
    none,
  ];
  expect(texts.map(parseDuration)).toEqual(expected);
});

it("takes an author's milliseconds and texts, and says what is wrong with any other value", () => {
  const messageOf = (value: unknown): string | number => {
    try {
      return durationMs("The timeout", value as number);
    } catch (error) {
      return (error as Error).message;
    }
  };
  const endless = Number.POSITIVE_INFINITY;
  expect([10_000, "10s", 0, endless].map(messageOf)).toEqual([10_000, 10_000, 0, endless]);
  const must = 'The timeout is not valid: must be milliseconds (10_000) or a text with ms, s, m, h or d ("10s"), not';
  expect(["10 seconds", Number.NaN, -1, null].map(messageOf)).toEqual([
    `${must} "10 seconds".`,
    `${must} NaN.`,
    `${must} -1.`,
    `${must} null.`,
  ]);
});
