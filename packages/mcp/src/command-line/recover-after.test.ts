import { expect, test } from "vitest";
import { CommandError } from "./command-error.js";
import { readRecoverAfter, recoverySentence } from "./duration-flag.js";

test.each([
  ["now", 0],
  ["never", Number.POSITIVE_INFINITY],
  ["0s", 0],
  ["500ms", 500],
  ["30s", 30_000],
  ["5m", 300_000],
  ["1h", 3_600_000],
])("--recover-after %s is %d milliseconds", (text, recoverAfterMs) => {
  expect(readRecoverAfter(text)).toEqual({ recoverAfterMs });
});

test("without the flag the engine's default holds", () => {
  expect(readRecoverAfter(undefined)).toEqual({});
});

test.each(["", "30", "s", "-1s", "1,5s", "all", "9999999999999999h"])("--recover-after %j is refused", (text) => {
  expect(() => readRecoverAfter(text)).toThrow(CommandError);
  expect(() => readRecoverAfter(text)).toThrow(/^--recover-after must be now, never, or a time such as .* not "/);
});

test("a starting server says what becomes of each unfinished task", () => {
  const say = (now: number, later: number, onRequest: number, more = false) =>
    recoverySentence({ now, later, onRequest, more }, 30_000);
  expect(say(0, 0, 0)).toBe("unfinished tasks: none");
  expect(say(2, 1, 3)).toBe(
    "unfinished tasks: 2 resume now, 1 when a caller returns, or after 30 s, 3 only on request",
  );
  expect(say(0, 1_000, 0, true)).toBe(
    "unfinished tasks: 1000 when a caller returns, or after 30 s, more were not counted",
  );
});
