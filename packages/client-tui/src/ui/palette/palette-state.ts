import type { KeyPress } from "../keys/key-press.js";
import { type Cursor, moveCursor, withTyped } from "../keys/key-rules.js";
import type { KeyStep } from "../keys/use-key-state.js";

/** One thing that can be done from anywhere, found by its words. */
export interface PaletteCommand {
  readonly label: string;
  /** The key that does the same where there is one. */
  readonly key?: string;
  readonly run: () => void;
}

/** Where the user is in the commands, and what they search for. */
export interface PaletteState extends Cursor {
  readonly search: string;
}

/** The commands that contain every word that is searched for. */
export function matchingCommands(commands: readonly PaletteCommand[], search: string): readonly PaletteCommand[] {
  const words = search.toLowerCase().split(/\s+/);
  return commands.filter(({ label }) => words.every((word) => label.toLowerCase().includes(word)));
}

/** Moves through the commands; typing searches, Enter runs the one at the cursor. */
export function reducePalette(
  state: PaletteState,
  key: KeyPress,
  commands: readonly PaletteCommand[],
): KeyStep<PaletteState, PaletteCommand | "back"> {
  if (key.name === "escape") return { state, outcome: "back" };
  const search = withTyped(state.search, key);
  if (search !== state.search) return { state: { cursor: 0, search } };
  const shown = matchingCommands(commands, search);
  const cursor = moveCursor(state.cursor, key, shown.length);
  return { state: { ...state, cursor }, outcome: key.name === "enter" ? shown[cursor] : undefined };
}
