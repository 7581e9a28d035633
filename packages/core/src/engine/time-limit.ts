import { systemClock } from "./clock.js";

/** A pause of the whole process takes up one part of a time limit at most. */
const parts = 4;

/**
 * Calls back when a time is over in which the process ran; the returned function prevents it.
 *
 * A process that stood still (a long computation, a machine that slept, too many others on it) finds its timers over and what
 * came in meanwhile unread: by the clock alone all that it waited for would be late. So the time passes in parts, of which a
 * pause takes one, and what comes in the turn of the last one is in time.
 *
 * @param ms milliseconds.
 */
export function startTimeLimit(ms: number, onOver: () => void): () => void {
  let left = parts;
  let stop = (): void => undefined;
  const pass = (): void => {
    left -= 1;
    // The next timer comes after what can be read by now.
    stop = left > 0 ? systemClock.after(ms / parts, pass) : systemClock.after(0, onOver);
  };
  stop = systemClock.after(ms / parts, pass);
  return () => stop();
}

/**
 * What a promise comes to, or `late()` where it takes longer than a time in which the process ran.
 *
 * @param ms milliseconds.
 */
export async function inTime<Value, Late>(
  value: Promise<Value>,
  ms: number,
  late: () => Late | Promise<Late>,
): Promise<Value | Late> {
  let stop = (): void => undefined;
  const over = new Promise<void>((resolve) => {
    stop = startTimeLimit(ms, resolve);
  });
  try {
    return await Promise.race([value, over.then(late)]);
  } finally {
    stop();
  }
}
