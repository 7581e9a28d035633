/** A value that is replaced, and those who want to know. Fits React's `useSyncExternalStore`. */
export interface ThrottledStore<State, Action> {
  readonly current: State;
  /** The value that listeners were last told of. */
  getSnapshot(): State;
  subscribe(listener: () => void): () => void;
  dispatch(action: Action): void;
  close(): void;
}

/** Runs a function later; returns how to prevent that. */
export type Schedule = (run: () => void, delayMs: number) => () => void;

/** Creates a store that tells its listeners at most once in `intervalMs`, however often the value changes. */
export function createThrottledStore<State, Action>(
  reduce: (state: State, action: Action) => State,
  initial: State,
  options: { readonly intervalMs: number; readonly schedule?: Schedule },
): ThrottledStore<State, Action> {
  const schedule = options.schedule ?? scheduleByTimer;
  const listeners = new Set<() => void>();
  let current = initial;
  let shown = initial;
  let cancel: (() => void) | undefined;

  const tell = () => {
    cancel = undefined;
    shown = current;
    for (const listener of listeners) listener();
  };

  return {
    get current() {
      return current;
    },
    getSnapshot: () => shown,
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    dispatch(action) {
      const next = reduce(current, action);
      if (next === current) return;
      current = next;
      cancel ??= schedule(tell, options.intervalMs);
    },
    close() {
      cancel?.();
      listeners.clear();
    },
  };
}

function scheduleByTimer(run: () => void, delayMs: number): () => void {
  const timer = setTimeout(run, delayMs);
  return () => clearTimeout(timer);
}
