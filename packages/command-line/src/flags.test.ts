import { expect, test } from "vitest";
import { CommandError } from "./command-error.js";
import { readDuration, readRecovery, recoverySentence } from "./flags.js";

const hourMs = 3_600_000;

test("a time becomes milliseconds, and a flag that is not given stays so", () => {
  const texts = ["500ms", "7.5s", "2m", "1h", undefined];
  expect(texts.map((text) => readDuration("retry", text, { maxMs: hourMs }))).toEqual([
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
    const read = () => readDuration("retry", text, { maxMs: hourMs });
    expect(read).toThrow(CommandError);
    expect(read).toThrow(
      /^retry \(RESUMABLE_MCP_RETRY\) must be a time such as 500ms, 7\.5s, 10m, 12h or 30d, of at most 3600 s, not "/,
    );
  },
);

test.each([
  ["now", 0],
  ["never", Number.POSITIVE_INFINITY],
  ["0s", 0],
  ["500ms", 500],
  ["30s", 30_000],
  ["5m", 300_000],
  ["1h", 3_600_000],
])("--recover-after %s is %d milliseconds", (text, recoverAfterMs) => {
  expect(readRecovery({ "recover-after": text })).toEqual({ recoverAfterMs });
});

test("without the flag the engine's default holds", () => {
  expect(readRecovery({})).toEqual({});
});

test.each(["", "30", "s", "-1s", "1,5s", "all", "9999999999999999h"])("--recover-after %j is refused", (text) => {
  const read = () => readRecovery({ "recover-after": text });
  expect(read).toThrow(CommandError);
  expect(read).toThrow(/^--recover-after must be now, never, or a time such as .* not "/);
});

test.each([
  ["0s", 0],
  ["90s", 90_000],
  ["24h", 86_400_000],
])("versionWait %s is %d milliseconds", (text, versionWaitMs) => {
  expect(readRecovery({ "version-wait": text })).toEqual({ versionWaitMs });
});

test.each(["", "30", "now", "never", "25h"])("versionWait %j is refused", (text) => {
  const sentence =
    /^versionWait \(RESUMABLE_MCP_VERSION_WAIT\) must be a time such as 500ms, .* of at most 86400 s, not "/;
  expect(() => readRecovery({ "version-wait": text })).toThrow(sentence);
});

test("a starting server says what becomes of each unfinished task", () => {
  const say = (now: number, later: number, onRequest: number, more = false) =>
    recoverySentence({ now, later, onRequest, more }, 30_000);
  expect(say(0, 0, 0)).toBe("unfinished tasks: none waits for a process");
  expect(say(2, 1, 3)).toBe(
    "unfinished tasks: 2 resume now, 1 resume when their caller returns, or after 30 s, 3 stay as they are until they are resumed or answered",
  );
  expect(say(0, 1_000, 0, true)).toBe(
    "unfinished tasks: 1000 resume when their caller returns, or after 30 s, more were not counted",
  );
});
