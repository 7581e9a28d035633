import { Writable } from "node:stream";
import { exitCodes } from "../command-line/exit-codes.js";

/** Erases the screen and goes to its beginning; what scrolled out before the program began is kept. */
const clearScreen = "\u001b[2J\u001b[H";
/** Erases what scrolled out of a terminal: that is the user's, not ours. */
const eraseScrolled = "\u001b[3J";
/** How the drawing library goes back to the first line of the frame before, and erases it on the way. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: terminals are spoken to in control characters.
const eraseFrame = /^(?:\u001b\[2K(?:\u001b\[1A)?)+\u001b\[G/;
const eraseLine = "\u001b[K";
const eraseBelow = "\u001b[J";
const toLine = (index: number) => `\u001b[${index + 1};1H`;

/**
 * The stream between the drawing library and a terminal. It stands at the top of the screen, and writes of each frame only the
 * lines that are not on the screen yet: the library erases and writes all of them. Its own mode for that, of version 6, counts a
 * line too few where a frame ends with a line break, as ours do.
 *
 * The library draws a frame of the old size in the moment of a resize, and erases as many lines as it believes to have
 * drawn, while the terminal has wrapped them. So it learns of no resize: the owner of the stream clears and draws again.
 */
export function createTerminalStream(terminal: NodeJS.WriteStream) {
  let shown: readonly string[] | undefined;
  const stream = new Writable({
    decodeStrings: false,
    write(chunk, _encoding, done) {
      const text = String(chunk).replaceAll(eraseScrolled, "");
      const frame = frameIn(text);
      terminal.write(frame === undefined ? text : changesOf(frame, shown));
      shown = frame ?? shown;
      done();
    },
  });
  Object.defineProperties(stream, {
    isTTY: { value: true },
    columns: { get: () => terminal.columns },
    rows: { get: () => terminal.rows },
  });
  return {
    // The library uses no more of a terminal than these three and what every stream has.
    stream: stream as unknown as NodeJS.WriteStream,
    /** Erases the whole screen with the next frame: what a resized terminal shows is not what was drawn. */
    clearWithNextFrame() {
      shown = undefined;
    },
  };
}

/** The lines of a frame, the last one empty; `undefined` for what steers the terminal and draws nothing. */
function frameIn(text: string): readonly string[] | undefined {
  return text.includes("\n") ? text.replace(clearScreen, "").replace(eraseFrame, "").split("\n") : undefined;
}

/** What turns a screen with the lines of before into one with these; the cursor then stands on the last one. */
function changesOf(lines: readonly string[], before: readonly string[] | undefined): string {
  if (before === undefined) return clearScreen + lines.join("\n");
  const changed = lines.flatMap((line, index) => (line === before[index] ? [] : [toLine(index) + eraseLine + line]));
  const rest = before.length > lines.length ? toLine(lines.length) + eraseBelow : "";
  return changed.join("") + rest + toLine(lines.length - 1);
}

/**
 * Calls `onEnd` with the exit code when the terminal is closed or the program is terminated; returns a function that stops that.
 *
 * A terminal that is closed does not always send a signal: then its input ends, or fails.
 */
export function onTerminalEnd(input: NodeJS.ReadStream, onEnd: (code: number) => void): () => void {
  const onTerminate = () => onEnd(exitCodes.terminated);
  const onHangup = () => onEnd(exitCodes.hungUp);
  // Not `once`: with no other listener left the drawing library would end the process at once.
  process.on("SIGTERM", onTerminate).on("SIGHUP", onHangup);
  input.on("end", onHangup).on("error", onHangup);
  return () => {
    process.off("SIGTERM", onTerminate).off("SIGHUP", onHangup);
    input.off("end", onHangup).off("error", onHangup);
  };
}
