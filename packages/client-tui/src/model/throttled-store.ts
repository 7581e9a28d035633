/** A value that is replaced, and its listeners. Fits React's `useSyncExternalStore`. */
export interface ThrottledStore<State, Action> {
  readonly current: State;
  /** The value of the last notification. */
  getSnapshot(): State;
  subscribe(listener: () => void): () => void;
  dispatch(action: Action): void;
  close(): void;
}

/** Runs a function later; returns how to prevent that. */
export type Schedule = (run: () => void, delayMs: number) => () => void;

/** Actions that wait to be applied, at most: a batch that grows longer is applied at once. */
const maxPendingActions = 1_000;

/**
 * Creates a store that notifies its listeners at most once in `intervalMs`, however often the value changes.
 *
 * Actions wait, and are applied together when the value is read or listeners are notified: an arriving action costs next
 * to nothing, and a key is handled before them.
 */
export function createThrottledStore<State, Action>(
  reduce: (state: State, actions: readonly Action[]) => State,
  initial: State,
  options: { readonly intervalMs: number; readonly schedule?: Schedule },
): ThrottledStore<State, Action> {
  const { intervalMs, schedule = scheduleByTimer } = options;
  const listeners = new Set<() => void>();
  let current = initial;
  let shown = initial;
  let pending: Action[] = [];
  let cancel: (() => void) | undefined;

  const applied = () => {
    const actions = pending;
    pending = [];
    if (actions.length > 0) current = reduce(current, actions);
    return current;
  };
  const notify = () => {
    cancel = undefined;
    if (applied() === shown) return;
    shown = current;
    for (const listener of listeners) listener();
  };

  return {
    get current() {
      return applied();
    },
    getSnapshot: () => shown,
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    dispatch(action) {
      pending.push(action);
      if (pending.length >= maxPendingActions) applied();
      cancel ??= schedule(notify, intervalMs);
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
