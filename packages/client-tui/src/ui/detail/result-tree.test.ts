import { describe, expect, it } from "vitest";
import { fakeResult, hostile } from "../../../test/odd-texts.js";
import { harmlessText } from "../../display/plain-text.js";
import { resultValue, treeLines } from "./result-tree.js";

const texts = (value: Parameters<typeof treeLines>[0], ...toggled: readonly string[]) =>
  treeLines(value, new Set(toggled)).map(
    ({ text, depth, open }) => `${"  ".repeat(depth)}${text}${open === false ? " +" : ""}`,
  );

describe("what a result holds", () => {
  const { structuredContent: _none, ...plain } = fakeResult({});

  it.each([
    ['{"a":1}', { a: 1 }],
    ["one line", "one line"],
    ["two\nlines", ["two", "lines"]],
    ["", ""],
  ])("of the text %j is %j", (text, value) => {
    expect(resultValue({ ...plain, text })).toEqual(value);
  });

  it("is its structured content, where it has that", () => {
    expect(resultValue({ ...plain, structuredContent: { words: 12 }, text: "12 words" })).toEqual({ words: 12 });
  });
});

describe("a tree of JSON", () => {
  it("names what it holds and how many there are, and is folded from the third level on", () => {
    expect(texts({ one: { two: { three: 3 } }, list: [true], empty: [], nothing: null })).toEqual([
      "result: {4 fields}",
      "  one: {1 field}",
      "    two: {1 field} +",
      "  list: [1 entry]",
      "    0: true",
      "  empty: []",
      "  nothing: null",
    ]);
  });

  it("opens and folds what the user wants", () => {
    expect(texts({ one: { two: { three: 3 } } }, "$/one/two")).toContain("      three: 3");
    expect(texts({ one: { two: { three: 3 } } }, "$")).toEqual(["result: {1 field} +"]);
  });

  it("shows 200 entries of one array, and counts the others", () => {
    const lines = texts(Array.from({ length: 205 }, (_, index) => index));
    expect([lines.length, lines[0], lines.at(-2), lines.at(-1)]).toEqual([
      202,
      "result: [205 entries]",
      "  199: 199",
      "  … 5 more",
    ]);
  });

  it("draws nothing that could repaint the terminal", () => {
    const [, line = ""] = texts({ [hostile]: hostile });
    expect(line).toBe(harmlessText(line));
  });
});
