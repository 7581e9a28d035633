import { Writable } from "node:stream";
import { exitCodes } from "../command-line/exit-codes.js";

/** Erases the screen and goes to its beginning; what scrolled out before the program began is kept. */
const clearScreen = "\u001b[2J\u001b[H";
/** Erases what scrolled out of a terminal: that is the user's, not ours. */
const eraseScrolled = "\u001b[3J";

/**
 * The stream between the drawing library and a terminal.
 *
 * The library draws a frame of the old size in the moment of a resize, and erases as many lines as it believes to have
 * drawn, while the terminal has wrapped them. So it learns of no resize: the owner of the stream clears and draws again.
 */
export function createTerminalStream(terminal: NodeJS.WriteStream) {
  let clears = false;
  const stream = new Writable({
    decodeStrings: false,
    write(chunk, _encoding, done) {
      const text = String(chunk).replaceAll(eraseScrolled, "");
      terminal.write(clears ? clearScreen + text : text);
      clears = false;
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
      clears = true;
    },
  };
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
