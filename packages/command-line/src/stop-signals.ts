/** By which the user, the terminal or a service manager asks a process to stop. */
export type StopSignal = "SIGINT" | "SIGTERM" | "SIGHUP";

/** A terminal signals all processes of a group, and a program in front passes the same signal on: together they are one. */
const oneRequestMs = 500;

/**
 * Calls back once, with the first of these signals. The same signal again, half a second or more after it came first, ends the
 * process at once, as it would without this. Another signal changes nothing: a process in front of this one may send its own.
 */
export function onStopSignal(signals: readonly StopSignal[], stop: (signal: StopSignal) => void): void {
  const firstMs = new Map<StopSignal, number>();
  for (const signal of signals) {
    const hear = () => {
      const nowMs = performance.now();
      const first = firstMs.get(signal);
      if (first === undefined) {
        firstMs.set(signal, nowMs);
        if (firstMs.size === 1) stop(signal);
      } else if (nowMs - first >= oneRequestMs) {
        process.off(signal, hear);
        process.kill(process.pid, signal);
      }
    };
    process.on(signal, hear);
  }
}
