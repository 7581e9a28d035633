import type { KeyPress } from "../src/ui/keys/key-press.js";

/** A press of a key that types something. */
export const typed = (text: string): KeyPress => ({ text });

/** A press of a key that has a name. */
export const named = (name: NonNullable<KeyPress["name"]>): KeyPress => ({ text: "", name });

/** Text that is pasted in one piece. */
export const pasted = (paste: string): KeyPress => ({ text: "", paste });
