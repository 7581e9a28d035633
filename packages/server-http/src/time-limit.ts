/** A pause of the whole process takes up one part of a time limit at most. */
const parts = 4;

/**
 * Calls back when a time is over in which the process ran; the returned function prevents it.
 *
 * A process that stood still (a long computation, a machine that slept, too many others on it) finds its timers over and what
 * came in meanwhile unread: by the clock alone all that it waited for would be late. So the time passes in parts, of which a
 * pause takes one, and what comes in the turn of the last one is in time.
 */
export function startTimeLimit(ms: number, onOver: () => void): () => void {
  let left = parts;
  let stopped = false;
  let timer: NodeJS.Timeout;
  const pass = (): void => {
    left -= 1;
    if (left > 0) arm();
    else
      setImmediate(() => {
        if (!stopped) onOver();
      });
  };
  const arm = (): void => {
    timer = setTimeout(pass, ms / parts).unref();
  };
  arm();
  return () => {
    stopped = true;
    clearTimeout(timer);
  };
}
