import { createContext, useCallback, useContext, useRef, useState } from "react";
import type { KeyPress } from "./key-press.js";
import { useKeys } from "./key-provider.js";

/**
 * What stands on the present screen, for as long as that screen is on the way back: a list keeps its cursor, and a form
 * that a question interrupted keeps what was filled in.
 */
export interface ScreenMemory {
  state?: unknown;
}

/** Absent where there are no screens: then nothing is remembered. */
export const ScreenMemoryContext = createContext<ScreenMemory | undefined>(undefined);

/** Creates the memories of screens; they end with the screen. */
export function createScreenMemories(): (screen: object) => ScreenMemory {
  const memories = new WeakMap<object, ScreenMemory>();
  return (screen) => {
    const memory = memories.get(screen) ?? {};
    memories.set(screen, memory);
    return memory;
  };
}

/** A new state, and what the key meant beyond it. */
export interface KeyStep<State, Outcome> {
  readonly state: State;
  readonly outcome?: Outcome;
}

/** Hears keys before the screen does where nothing is typed, such as the numbers of places; returns whether one was its own. */
export const GlobalKeysContext = createContext<(press: KeyPress) => boolean>(() => false);

/**
 * Holds a screen's one state and changes it by keys; what a key means beyond the state is an outcome.
 *
 * While `isTyping`, every key is the screen's own.
 */
export function useKeyState<State, Outcome>(
  reduce: (state: State, key: KeyPress) => KeyStep<State, Outcome>,
  initial: State | (() => State),
  onOutcome: (outcome: Outcome) => void,
  isTyping: (state: State) => boolean = never,
): State {
  const onGlobal = useContext(GlobalKeysContext);
  const memory = useContext(ScreenMemoryContext);
  // Only this hook keeps anything for a screen, and a screen has one state: what comes back is what was kept.
  const [state, setState] = useState((memory?.state as State | undefined) ?? initial);
  // Several keys can come before the next draw: each sees what the one before it did.
  const latest = useRef(state);
  const onPress = useCallback(
    (press: KeyPress) => {
      if (!isTyping(latest.current) && onGlobal(press)) return true;
      const step = reduce(latest.current, press);
      latest.current = step.state;
      if (memory !== undefined) memory.state = step.state;
      setState(step.state);
      if (step.outcome === undefined) return false;
      onOutcome(step.outcome);
      return true;
    },
    [reduce, onOutcome, memory, onGlobal, isTyping],
  );
  useKeys(onPress);
  return state;
}

function never(): boolean {
  return false;
}

/** Of a screen on which one types. */
export function always(): boolean {
  return true;
}
