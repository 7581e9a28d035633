import { createContext } from "react";

/**
 * What stands on the present screen, for as long as that screen is on the way back: a list keeps its cursor, and a form
 * that a question interrupted keeps what was filled in.
 */
export interface ScreenMemory {
  recall(): unknown;
  keep(state: unknown): void;
}

/** Remembers nothing, where there are no screens. */
export const ScreenMemoryContext = createContext<ScreenMemory>({ recall: () => undefined, keep: () => {} });

/** Creates the memories of screens; they end with the screen. */
export function createScreenMemories(): (screen: object) => ScreenMemory {
  const states = new WeakMap<object, unknown>();
  const memories = new WeakMap<object, ScreenMemory>();
  return (screen) => {
    const known = memories.get(screen);
    if (known !== undefined) return known;
    const memory: ScreenMemory = {
      recall: () => states.get(screen),
      keep: (state) => void states.set(screen, state),
    };
    memories.set(screen, memory);
    return memory;
  };
}
