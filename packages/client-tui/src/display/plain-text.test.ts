import { describe, expect, it } from "vitest";
import { hostile } from "../../test/odd-texts.js";
import { cutStart, cutText, fitText, harmlessText, plainText, textWidth, wrapText } from "./plain-text.js";

const flag = "🇩🇪";
const accent = "e\u0301";

describe("a text that a server sent", () => {
  it("is harmless with its spaces, or as one plain line", () => {
    expect([harmlessText(`  a   b\n${hostile}`), plainText(`  a   b\n${hostile}`)]).toEqual([
      "  a   b evil  next  line",
      "a b evil next line",
    ]);
  });
});

describe("the columns that a text takes", () => {
  it.each([
    ["", 0],
    ["abc…█░", 6],
    ["日本語", 6],
    ["🎉", 2],
    [flag, 2],
    [accent, 1],
    ["©", 1],
    ["▸ ‹ ›", 5],
    [`a ${accent} 日本 ${flag} b`, 13],
    ["1\ufe0f\u20e3 one", 6],
  ])("are for %j %i", (text, columns) => {
    expect(textWidth(text)).toBe(columns);
  });
});

describe("a text that is too long", () => {
  it("is cut at its end between what a reader takes for characters", () => {
    expect([cutText(`a${flag}b`, 3), cutText(`ab${accent}d`, 3), cutText("日本語", 4), fitText("日本語", 4)]).toEqual([
      "a…",
      "ab…",
      "日…",
      "日… ",
    ]);
    expect([cutText("abc", 3), cutText("abc", 1), cutText("abc", 0), fitText("ab", 4)]).toEqual([
      "abc",
      "…",
      "",
      "ab  ",
    ]);
  });

  it("is cut at its beginning where one types", () => {
    expect([cutStart("abcdef", 4), cutStart(`x${flag}${flag}`, 4), cutStart("abc", 3), cutStart("日本語", 4)]).toEqual([
      "…def",
      `…${flag}`,
      "abc",
      "…語",
    ]);
  });

  it("is broken between words, within those that are longer than a line, and as far in as it began", () => {
    expect(wrapText("one two three", 8)).toEqual(["one two", "three"]);
    expect(wrapText("http://127.0.0.1", 10)).toEqual(["http://127", ".0.0.1"]);
    expect(wrapText("  one two", 6)).toEqual(["  one", "  two"]);
    expect([wrapText("", 5), wrapText("日本語 です", 6)]).toEqual([[""], ["日本語", "です"]]);
  });

  it("is cut from the last of so many lines", () => {
    expect([wrapText("one two three four", 5, 2), wrapText("one two", 5, 2), wrapText("one two", 5, 1)]).toEqual([
      ["one", "two …"],
      ["one", "two"],
      ["one …"],
    ]);
  });
});
