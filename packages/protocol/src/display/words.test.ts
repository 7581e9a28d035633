import { describe, expect, it } from "vitest";
import { formatDuration, formatRate, progressNumbers } from "./numbers.js";
import { harmlessJson, harmlessLines, harmlessText, hasControls, plainText } from "./plain-text.js";
import { momentUtc, slotWaitText } from "./status-words.js";

describe("numbers for people", () => {
  it("say durations", () => {
    expect([0, 59_999, 65_000, 3_660_000].map(formatDuration)).toEqual(["0s", "59s", "1m05s", "1h01m"]);
  });

  it("say a rate by the second, or by the minute where it is slow", () => {
    expect([123.4, 9.94, 0.1, 0.01].map(formatRate)).toEqual(["123/s", "9.9/s", "0.1/s", "0.6/m"]);
  });

  it("say how far something is with what is known of its end", () => {
    const facts = [{ progress: 15, total: 50, percent: 30 }, { progress: 15, total: 50 }, { progress: 15 }];
    expect(facts.map(progressNumbers)).toEqual(["30% (15/50)", "(15/50)", "(15)"]);
    const ended = [1, 2].map((progress) => progressNumbers({ progress, total: 2, percent: 100 }));
    expect(ended).toEqual(["100%", "100% (2/2)"]);
    const counted = [0, 7].map((progress) => progressNumbers({ progress, percent: 100 }));
    expect(counted).toEqual(["100%", "100% (7)"]);
  });
});

it("says of each limit why a task waits", () => {
  const until = "2026-01-01T00:01:00.500Z";
  const waits = [{ limit: "tool" }, { limit: "store" }, { limit: "rate", until }, { limit: "process" }] as const;
  expect(waits.map(slotWaitText)).toEqual([
    "Waits: as many tasks of this tool run as may at once.",
    "Waits: as many tasks of this tool run on all servers as may at once.",
    "Waits at least until 2026-01-01 00:01:00 UTC: as many tasks of this tool began as may in its time.",
    "Waits: the server runs as many tasks as it can.",
  ]);
  expect(["\u001b[31m", undefined].map(momentUtc)).toEqual(["later", "later"]);
});

describe("a text that a server sent", () => {
  it.each([
    ["colours", "\u001b[31mred\u001b[0m", "red"],
    ["a title of the window", "\u001b]0;title\u0007text", "text"],
    ["a link of the terminal", "\u001b]8;;http://x\u001b\\text\u001b]8;;\u001b\\", "text"],
    ["a sequence of two characters", "\u001bcreset", "reset"],
    ["a sequence that does not end", "a\u001b[12", "a [12"],
    ["turned directions and invisible characters", "a\u202eb\u2066c\u200dd\u061ce\u2060f\ufeffg", "a b c d e f g"],
    ["line breaks of all kinds", "a\r\nb\u2028c\u0085d", "a b c d"],
  ])("loses %s", (_what, text, expected) => {
    expect(harmlessText(text)).toBe(expected);
  });

  it("keeps its lines, its tabs and the joiners of its words where several lines are printed", () => {
    const words = "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645 \u{1f469}\u200d\u{1f467}";
    expect(harmlessLines(words)).toBe(words);
    expect(harmlessLines("a\r\n\tb\u001b[2J\u0007c\u009b31m\u202ed\u2028e\n")).toBe("a\n\tbc31mde\n");
  });

  it("is the same value in JSON without a character that a terminal reads", () => {
    const value = {
      "\u202ekey": ["\u001b[2J", "\u009b\u0085\u2028\u2029\u2066\ufeff", "plain\n\ttext \u{1f469}\u200d\u{1f467}"],
    };
    const json = harmlessJson(JSON.stringify(value, null, 2));
    expect(JSON.parse(json)).toEqual(value);
    expect([hasControls(json.replaceAll(/[\n\u200d]/g, "")), json.split("\n").length]).toEqual([false, 7]);
  });

  it("becomes one line without spaces around it", () => {
    expect(plainText("  a \n\n b ")).toBe("a b");
  });
});
