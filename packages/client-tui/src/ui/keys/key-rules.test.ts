import { describe, expect, it } from "vitest";
import { named, typed } from "../../../test/key-presses.js";
import { keptCursor, leadMark, moveCursor, visibleRange } from "./key-rules.js";

describe("a list", () => {
  it("keeps its cursor inside, also when it shrinks", () => {
    const at = [moveCursor(0, named("up"), 3), moveCursor(2, named("down"), 3), moveCursor(9, typed("x"), 3)];
    expect(at).toEqual([0, 2, 2]);
    expect(moveCursor(0, named("down"), 0)).toBe(0);
  });

  it.each([
    ["home", 0],
    ["end", 99],
    ["pageUp", 40],
    ["pageDown", 60],
    ["up", 49],
    ["down", 51],
    ["left", 50],
  ] as const)("goes by %s from 50 of 100 to %i", (name, to) => {
    expect(moveCursor(50, named(name), 100)).toBe(to);
  });

  it("goes by j and k as by the arrows", () => {
    expect(["j", "k", "x"].map((text) => moveCursor(5, typed(text), 9))).toEqual([6, 4, 5]);
  });

  it("stops at its ends when one goes by pages", () => {
    expect([moveCursor(3, named("pageUp"), 20), moveCursor(15, named("pageDown"), 20)]).toEqual([0, 19]);
  });

  it("keeps its cursor at the entry while others come and go, and at its place when that was removed", () => {
    expect(keptCursor({ cursor: 1, at: "b" }, ["new", "a", "b"])).toBe(2);
    expect(keptCursor({ cursor: 1, at: "b" }, ["a", "c"])).toBe(1);
    expect([keptCursor({ cursor: 5, at: "b" }, ["a"]), keptCursor({ cursor: 5 }, [])]).toEqual([0, 0]);
  });

  it("shows the part around its cursor", () => {
    expect([0, 50, 99].map((cursor) => visibleRange(cursor, 100, 10))).toEqual([
      { from: 0, to: 10 },
      { from: 45, to: 55 },
      { from: 90, to: 100 },
    ]);
    expect([visibleRange(0, 0, 10), visibleRange(2, 3, -4)]).toEqual([
      { from: 0, to: 0 },
      { from: 2, to: 3 },
    ]);
  });

  it("says before its first and last line whether it continues there", () => {
    const marks = (from: number, to: number, cursor: number) =>
      Array.from({ length: to - from }, (_, offset) => leadMark(from + offset, cursor, { from, to }, 9)).join("");
    expect([marks(0, 4, 0), marks(3, 7, 5), marks(5, 9, 8), marks(0, 9, 2)]).toEqual([
      "▸  ↓",
      "↑ ▸↓",
      "↑  ▸",
      "  ▸      ",
    ]);
  });
});
