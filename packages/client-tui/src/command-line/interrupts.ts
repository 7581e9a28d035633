/** A request from outside to end. */
export type Interrupt = "SIGINT" | "SIGTERM" | "SIGHUP";

/** Lets one piece of work decide what a first Ctrl-C means; without one it ends the program, as a second always does. */
export interface Interrupts {
  /** Resolves at the next interrupt, which then does not end the program. */
  next(): Promise<Interrupt>;
}

/** Where signals come from; `process` in life. */
export interface SignalSource {
  on(signal: Interrupt, listener: () => void): unknown;
}

/** Listens for signals from now on. */
export function listenForInterrupts(source: SignalSource, exit: (interrupt: Interrupt) => void): Interrupts {
  let waiting: ((interrupt: Interrupt) => void) | undefined;
  const onSignal = (interrupt: Interrupt) => {
    const resolve = waiting;
    waiting = undefined;
    if (resolve === undefined) exit(interrupt);
    else resolve(interrupt);
  };
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) source.on(signal, () => onSignal(signal));
  return {
    next: () =>
      new Promise((resolve) => {
        waiting = resolve;
      }),
  };
}
