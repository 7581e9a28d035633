/**
 * Tells when the terminal is gone or somebody ends the program; returns how to stop that.
 *
 * A terminal that is closed does not always send a signal: then its input ends, or fails.
 */
export function onTerminalEnd(input: NodeJS.ReadStream, tell: () => void): () => void {
  // Not `once`: with no other listener left the drawing library would end the process at once.
  process.on("SIGTERM", tell).on("SIGHUP", tell);
  input.on("end", tell).on("error", tell);
  return () => {
    process.off("SIGTERM", tell).off("SIGHUP", tell);
    input.off("end", tell).off("error", tell);
  };
}
