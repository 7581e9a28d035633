import { Text } from "ink";
import type { ReactNode } from "react";
import { cutText, plainText, wrapText } from "../../display/plain-text.js";
import type { KeyPress } from "../keys/key-press.js";
import { always, type KeyStep, useKeyState } from "../keys/use-key-state.js";
import { Line } from "./line.js";

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
  /** What it is about, as far as there is room. */
  readonly lines?: readonly string[];
  readonly columns: number;
  readonly rows: number;
  readonly onDecide: (yes: boolean) => void;
}): ReactNode {
  useKeyState(reduceConfirm, undefined, props.onDecide, always);
  const { text, lines = [], columns, rows } = props;
  const question = wrapText(plainText(`${text} (y/n)`), columns);
  const room = Math.max(0, rows - question.length);
  const more = lines.length - room;
  const shown = more <= 0 ? lines : [...lines.slice(0, Math.max(0, room - 1)), `… ${more + 1} more`].slice(0, room);
  return (
    <>
      <Text bold>{question.join("\n")}</Text>
      {shown.map((line, index) => (
        <Line key={index} text={cutText(line, columns)} />
      ))}
    </>
  );
}
