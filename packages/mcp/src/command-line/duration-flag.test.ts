import { expect, test } from "vitest";
import { CommandError } from "./command-error.js";
import { durationOf } from "./duration-flag.js";

const hourMs = 3_600_000;

test("a time becomes milliseconds, and a flag that is not given stays so", () => {
  const texts = ["500ms", "7.5s", "2m", "1h", undefined];
  expect(texts.map((text) => durationOf("retry", text, { maxMs: hourMs }))).toEqual([
    500,
    7_500,
    120_000,
    hourMs,
    undefined,
  ]);
});

test.each(["", "7500", "0s", "-1s", "2h", "1d", "7,5s", "1e3s", "9".repeat(400)])(
  "%j is refused with a sentence",
  (text) => {
    const read = () => durationOf("retry", text, { maxMs: hourMs });
    expect(read).toThrow(CommandError);
    expect(read).toThrow(/^--retry must be a time such as 500ms, 7\.5s, 10m, 12h or 30d, of at most 3600 s, not "/);
  },
);
