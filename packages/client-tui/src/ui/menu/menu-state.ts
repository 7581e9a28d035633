import type { KeyPress } from "../keys/key-press.js";
import { moveCursor } from "../keys/list-cursor.js";
import type { KeyStep } from "../keys/use-key-state.js";

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

/** What a key means in a menu: the key of an entry, or a text that no entry has. */
export type MenuOutcome =
  | { readonly type: "chosen"; readonly key: string }
  | { readonly type: "unknown"; readonly text: string };

/** Moves through a menu and says what was typed. */
export function reduceMenu(
  state: MenuState,
  key: KeyPress,
  items: readonly MenuItem[],
): KeyStep<MenuState, MenuOutcome> {
  const cursor = moveCursor(state.cursor, key, items.length);
  const chosen =
    key.name === "enter"
      ? items[cursor]
      : items.find((item) => key.text !== "" && [item.key, item.letter].includes(key.text));
  if (chosen !== undefined)
    return { state: { cursor: items.indexOf(chosen) }, outcome: { type: "chosen", key: chosen.key } };
  const { text } = key;
  return { state: { cursor }, ...(text === "" ? {} : { outcome: { type: "unknown", text } }) };
}
