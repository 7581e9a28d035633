/** Runs a function later; returns how to prevent that. */
export type Schedule = (run: () => void, delayMs: number) => () => void;

/** Actions that wait to be applied, at most: a batch that grows longer is applied at once. */
const maxPendingActions = 1_000;

/**
 * Creates a value that is replaced, as React's `useSyncExternalStore` reads it: listeners are notified at most once in `intervalMs`, however often the value changes.
 *
 * Actions wait, and are applied together when the value is read or listeners are notified: an arriving action costs next
 * to nothing, and a key is handled before them.
 */
export function createThrottledStore<State, Action>(
  reduce: (state: State, actions: readonly Action[]) => State,
  initial: State,
  options: { readonly intervalMs: number; readonly schedule?: Schedule },
) {
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
    get current(): State {
      return applied();
    },
    /** The value of the last notification. */
    getSnapshot: () => shown,
    subscribe(listener: () => void) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    dispatch(action: Action) {
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
