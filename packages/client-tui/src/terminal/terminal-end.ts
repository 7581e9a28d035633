import { exitCodes } from "../command-line/exit-codes.js";

/**
 * Tells with which exit code to leave when the terminal is gone or somebody ends the program; returns how to stop that.
 *
 * A terminal that is closed does not always send a signal: then its input ends, or fails.
 */
export function onTerminalEnd(input: NodeJS.ReadStream, tell: (code: number) => void): () => void {
  const onEnd = () => tell(exitCodes.terminated);
  const onHangup = () => tell(exitCodes.hungUp);
  // Not `once`: with no other listener left the drawing library would end the process at once.
  process.on("SIGTERM", onEnd).on("SIGHUP", onHangup);
  input.on("end", onHangup).on("error", onHangup);
  return () => {
    process.off("SIGTERM", onEnd).off("SIGHUP", onHangup);
    input.off("end", onHangup).off("error", onHangup);
  };
}
