import type { LiveTask } from "../../model/board-state.js";
import type { KeyPress } from "../key-press.js";
import type { KeyStep } from "../use-key-state.js";

/** How far the log is scrolled up from its end. */
export interface DetailState {
  readonly up: number;
}

/** What the user wants with the task. */
export type DetailOutcome = "back" | "pause" | "resume" | "cancel" | "answer";

const verbs: ReadonlyMap<string, DetailOutcome> = new Map([
  ["p", "pause"],
  ["r", "resume"],
  ["c", "cancel"],
  ["a", "answer"],
  ["q", "back"],
]);

/** Scrolls the log and says what is wanted with the task. */
export function reduceDetail(
  state: DetailState,
  key: KeyPress,
  task: LiveTask | undefined,
): KeyStep<DetailState, DetailOutcome> {
  const last = Math.max(0, (task?.log.length ?? 0) - 1);
  const move = { up: 1, down: -1, pageUp: 10, pageDown: -10 } as const;
  if (key.name !== undefined && Object.hasOwn(move, key.name)) {
    const by = move[key.name as keyof typeof move];
    return { state: { up: Math.min(last, Math.max(0, state.up + by)) } };
  }
  if (key.name === "escape") return { state, outcome: "back" };
  const outcome = key.name === "enter" && (task?.info.questions.length ?? 0) > 0 ? "answer" : verbs.get(key.text);
  return outcome === undefined ? { state } : { state, outcome };
}
