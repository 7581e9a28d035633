import type { Clock } from "./engine.js";

/** The clock of this machine. */
export const systemClock: Clock = {
  wallMs: () => Date.now(),
  monotonicMs: () => performance.now(),
  after(delayMs, run, keepAlive = false) {
    // Timers hold 31 bits; a longer delay would fire at once.
    const timer: unknown = setTimeout(run, Math.min(delayMs, 2 ** 31 - 1));
    if (
      !keepAlive &&
      typeof timer === "object" &&
      timer !== null &&
      "unref" in timer &&
      typeof timer.unref === "function"
    ) {
      timer.unref();
    }
    return () => clearTimeout(timer as number);
  },
};
