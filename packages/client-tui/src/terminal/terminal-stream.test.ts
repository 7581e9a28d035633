import { describe, expect, it } from "vitest";
import { screenOf } from "../../test/screen-of.js";
import { createTerminalStream } from "./terminal-stream.js";

const size = { columns: 40, rows: 6 };
/** What the drawing library writes before a frame in place of one with so many lines. */
const erased = (lines: number) => `${Array(lines).fill("\u001b[2K").join("\u001b[1A")}\u001b[G`;

/** A stream, what it has written to its terminal, and what the terminal shows then. */
function open() {
  const written: string[] = [];
  const terminal = { ...size, write: (text: string) => written.push(text) > 0 };
  // The stream uses no more of a terminal than this.
  const { stream, clearWithNextFrame } = createTerminalStream(terminal as unknown as NodeJS.WriteStream);
  let lines = 0;
  return {
    written,
    stream,
    clearWithNextFrame,
    /** Draws as the library does. */
    draw(...frame: readonly string[]) {
      stream.write((lines === 0 ? "" : erased(lines)) + [...frame, ""].join("\n"));
      lines = frame.length + 1;
    },
    // A terminal in the mode of programs returns at the end of a line by itself.
    shows: () => screenOf(written.join("").replaceAll("\n", "\r\n"), size.columns, size.rows),
  };
}

describe("frames on a terminal", () => {
  it("stand at the top of the screen, and of the next one only the lines that changed are written", async () => {
    const screen = open();
    screen.draw("title", "a  10 %", "b  20 %", "keys");
    screen.draw("title", "a  10 %", "b  30 %", "keys");
    expect(screen.written.at(-1)).toBe("\u001b[3;1H\u001b[Kb  30 %\u001b[5;1H");
    expect(await screen.shows()).toEqual(["title", "a  10 %", "b  30 %", "keys"]);
  });

  it("take away what was longer: lines, and the ends of lines", async () => {
    const screen = open();
    screen.draw("x".repeat(size.columns), "a long line", "b", "c");
    screen.draw("x".repeat(size.columns), "short");
    expect(await screen.shows()).toEqual(["x".repeat(size.columns), "short"]);
    screen.draw("y".repeat(size.columns), "short", "new");
    expect(await screen.shows()).toEqual(["y".repeat(size.columns), "short", "new"]);
  });

  it("are written whole on an erased screen after the terminal has another size", async () => {
    const screen = open();
    screen.draw("title", "a");
    screen.clearWithNextFrame();
    screen.stream.write("\u001b[?2026h");
    screen.draw("title", "a");
    expect(screen.written.slice(-2)).toEqual(["\u001b[?2026h", "\u001b[2J\u001b[Htitle\na\n"]);
    expect(await screen.shows()).toEqual(["title", "a"]);
  });

  it("let pass what steers the terminal, but never erase what scrolled out of it", async () => {
    const screen = open();
    screen.stream.write("\u001b[?25l");
    screen.stream.write("\u001b[2J\u001b[3J\u001b[Htitle\na");
    expect(screen.written).toEqual(["\u001b[?25l", "\u001b[2J\u001b[Htitle\na"]);
    expect(await screen.shows()).toEqual(["title", "a"]);
  });
});
