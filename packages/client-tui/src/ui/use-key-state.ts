import { useCallback, useRef, useState } from "react";
import type { KeyPress } from "./key-press.js";
import { useKeys } from "./key-provider.js";

/** A new state, and what the key meant beyond it. */
export interface KeyStep<State, Outcome> {
  readonly state: State;
  readonly outcome?: Outcome;
}

/** Holds a screen's state and changes it by keys; what a key means beyond the state is an outcome. */
export function useKeyState<State, Outcome>(
  reduce: (state: State, key: KeyPress) => KeyStep<State, Outcome>,
  initial: State | (() => State),
  onOutcome: (outcome: Outcome) => void,
): State {
  const [state, setState] = useState(initial);
  // Several keys can come before the next draw: each sees what the one before it did.
  const latest = useRef(state);
  const onPress = useCallback(
    (press: KeyPress) => {
      const step = reduce(latest.current, press);
      latest.current = step.state;
      setState(step.state);
      if (step.outcome === undefined) return false;
      onOutcome(step.outcome);
      return true;
    },
    [reduce, onOutcome],
  );
  useKeys(onPress);
  return state;
}
