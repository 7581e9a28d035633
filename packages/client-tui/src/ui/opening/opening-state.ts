import type { KeyPress } from "../key-press.js";
import { moveCursor } from "../list-cursor.js";
import type { KeyStep } from "../use-key-state.js";

/** What the user wants with the tasks that are not finished. */
export type OpeningOutcome =
  | { readonly type: "resume_all" | "menu" }
  | { readonly type: "resume" | "watch" | "cancel"; readonly taskId: string };

/** Where the cursor stands. */
export interface OpeningState {
  readonly cursor: number;
}

/** Moves through the unfinished tasks and says what is wanted with them. */
export function reduceOpening(
  state: OpeningState,
  key: KeyPress,
  ids: readonly string[],
): KeyStep<OpeningState, OpeningOutcome> {
  const next = { cursor: moveCursor(state.cursor, key, ids.length) };
  if (key.name === "enter") return { state: next, outcome: { type: "resume_all" } };
  if (key.name === "escape" || key.text === "m") return { state: next, outcome: { type: "menu" } };
  const taskId = ids[next.cursor];
  const type = { r: "resume", w: "watch", c: "cancel" } as const;
  if (taskId === undefined || !isVerb(key.text, type)) return { state: next };
  return { state: next, outcome: { type: type[key.text], taskId } };
}

function isVerb<Verbs extends object>(text: string, verbs: Verbs): text is Extract<keyof Verbs, string> {
  return Object.hasOwn(verbs, text);
}
