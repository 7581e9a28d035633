import { Text } from "ink";
import type { ReactNode } from "react";
import { plainText, wrapText } from "../../display/plain-text.js";
import type { KeyPress } from "../keys/key-press.js";
import { type KeyStep, useKeyState } from "../keys/use-key-state.js";

/** The keys of a confirmation. */
export const confirmKeys = ["y yes", "n no"];

/** Only `y` says yes; a key that means nothing waits for another. */
export function reduceConfirm(state: undefined, key: KeyPress): KeyStep<undefined, boolean> {
  if (key.text === "y") return { state, outcome: true };
  return key.text === "n" || key.name === "escape" || key.name === "enter" ? { state, outcome: false } : { state };
}

/** Asks before something that cannot be undone; only `y` says yes. */
export function Confirm(props: {
  readonly text: string;
  readonly columns: number;
  readonly onDecide: (yes: boolean) => void;
}): ReactNode {
  useKeyState(reduceConfirm, undefined, props.onDecide);
  return <Text bold>{wrapText(plainText(`${props.text} (y/n)`), props.columns).join("\n")}</Text>;
}
