import { expect, it } from "vitest";
import { parseDuration } from "./parse-duration.js";

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
