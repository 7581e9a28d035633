import type { KeyPress } from "../key-press.js";
import { moveCursor } from "../list-cursor.js";
import type { KeyStep } from "../use-key-state.js";

/** One entry of a menu, reached by its key or by the cursor. */
export interface MenuItem {
  readonly key: string;
  /** A second key that does the same. */
  readonly letter?: string;
  readonly label: string;
}

/** Where the cursor of a menu stands. */
export interface MenuState {
  readonly cursor: number;
}

/** Moves through a menu; the outcome is the key of the chosen entry. */
export function reduceMenu(state: MenuState, key: KeyPress, items: readonly MenuItem[]): KeyStep<MenuState, string> {
  const cursor = moveCursor(state.cursor, key, items.length);
  const chosen =
    key.name === "enter"
      ? items[cursor]
      : items.find((item) => key.text !== "" && [item.key, item.letter].includes(key.text));
  if (chosen === undefined) return { state: { cursor } };
  return { state: { cursor: items.indexOf(chosen) }, outcome: chosen.key };
}
