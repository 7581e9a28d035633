import type { KeyPress } from "../keys/key-press.js";
import { keptCursor, moveCursor } from "../keys/list-cursor.js";
import type { KeyStep } from "../keys/use-key-state.js";

/** What the user wants with the tasks that are not finished. */
export type OpeningOutcome =
  | { readonly type: "resume_all" | "menu" | "keys" }
  | { readonly type: "resume" | "watch" | "cancel" | "forget"; readonly taskId: string };

/** Where the cursor stands. */
export interface OpeningState {
  readonly cursor: number;
  /** The task at the cursor, which it keeps to while the list changes. */
  readonly at?: string;
}

const verbs = { r: "resume", w: "watch", c: "cancel", f: "forget" } as const;

/**
 * Moves through the unfinished tasks and says what is wanted with them.
 *
 * Until every server is `ready`, Enter is for the tasks that are not listed yet, too.
 */
export function reduceOpening(
  state: OpeningState,
  key: KeyPress,
  ids: readonly string[],
  ready: boolean,
): KeyStep<OpeningState, OpeningOutcome> {
  const cursor = moveCursor(keptCursor(state, ids), key, ids.length);
  const taskId = ids[cursor];
  const next = { cursor, ...(taskId === undefined ? {} : { at: taskId }) };
  if (key.name === "enter" && (ids.length > 0 || !ready)) return { state: next, outcome: { type: "resume_all" } };
  if (key.name === "escape" || key.text === "m") return { state: next, outcome: { type: "menu" } };
  if (key.text === "?") return { state: next, outcome: { type: "keys" } };
  if (taskId === undefined || !isVerb(key.text)) return { state: next };
  return { state: next, outcome: { type: verbs[key.text], taskId } };
}

function isVerb(text: string): text is keyof typeof verbs {
  return Object.hasOwn(verbs, text);
}
