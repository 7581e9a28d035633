import { describe, expect, it } from "vitest";
import { draw, large, least, usual } from "../../test/draw.js";
import { keys } from "../../test/open-screens.js";
import { FirstFrame } from "./first-frame.js";

describe("the first frame", () => {
  it.each([[usual], [least], [large]])("says at %j what the program does while the rest of it is loaded", (size) => {
    const { lines } = draw(<FirstFrame size={size} onInterrupt={() => {}} />, size).frame();
    expect([lines.length, ...lines.slice(0, 3)]).toEqual([
      size.rows - 1,
      " resumable-mcp",
      "Looking for your tasks…",
      "",
    ]);
  });

  it("fits into a terminal that is too small for the screens", () => {
    const size = { columns: 12, rows: 3 };
    expect(draw(<FirstFrame size={size} onInterrupt={() => {}} />, size).frame().lines).toEqual([
      " resumable-…",
      "Looking for…",
    ]);
  });

  it("can be left by Ctrl-C, and by nothing else", () => {
    let left = 0;
    const screen = draw(<FirstFrame size={usual} onInterrupt={() => (left += 1)} />, usual);
    for (const key of ["q", keys.enter]) screen.press(key);
    expect(left).toBe(0);
    screen.press(keys.interrupt);
    expect(left).toBe(1);
  });
});
