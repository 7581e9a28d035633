import { describe, expect, it } from "vitest";
import { formatDuration, formatRate, progressNumbers } from "./numbers.js";
import { harmlessText, plainText } from "./plain-text.js";

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
  });
});

describe("a text that a server sent", () => {
  it.each([
    ["colours", "\u001b[31mred\u001b[0m", "red"],
    ["a title of the window", "\u001b]0;title\u0007text", "text"],
    ["a link of the terminal", "\u001b]8;;http://x\u001b\\text\u001b]8;;\u001b\\", "text"],
    ["a sequence of two characters", "\u001bcreset", "reset"],
    ["a sequence that does not end", "a\u001b[12", "a [12"],
    ["turned directions and invisible characters", "a\u202eb\u2066c\u200bd\u061ce", "a b c d e"],
    ["line breaks of all kinds", "a\r\nb\u2028c\u0085d", "a b c d"],
  ])("loses %s", (_what, text, expected) => {
    expect(harmlessText(text)).toBe(expected);
  });

  it("becomes one line without spaces around it", () => {
    expect(plainText("  a \n\n b ")).toBe("a b");
  });
});
