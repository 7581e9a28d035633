import { isFinal } from "@resumable-mcp/client";
import type { LiveTask } from "../../model/board-state.js";
import type { KeyPress } from "../key-press.js";
import { moveCursor } from "../list-cursor.js";
import type { KeyStep } from "../use-key-state.js";

/** How the list of tasks is looked at. */
export interface BoardViewState {
  readonly cursor: number;
  readonly finished: boolean;
  /** Text that name, message, status or id have to contain. */
  readonly filter: string;
  /** The filter is being typed. */
  readonly typing: boolean;
}

/** What the user wants with a task of the list. */
export type BoardOutcome =
  | { readonly type: "back" }
  | { readonly type: "refresh" }
  | { readonly type: "open" | "pause" | "resume" | "cancel" | "forget"; readonly taskId: string };

/** The list as it is first seen. */
export const initialBoardView: BoardViewState = { cursor: 0, finished: true, filter: "", typing: false };

const verbs: ReadonlyMap<string, "pause" | "resume" | "cancel" | "forget"> = new Map([
  ["p", "pause"],
  ["r", "resume"],
  ["c", "cancel"],
  ["f", "forget"],
]);

/** The tasks that are shown: unfinished ones first, then newest first. */
export function shownTasks(
  tasks: Iterable<LiveTask>,
  view: Pick<BoardViewState, "finished" | "filter">,
): readonly LiveTask[] {
  const wanted = view.filter.toLowerCase();
  const matches = ({ info }: LiveTask) =>
    [info.tool, info.id, info.status, info.message ?? ""].some((text) => text.toLowerCase().includes(wanted));
  const rank = ({ info }: LiveTask) => (isFinal(info.status) ? 1 : 0);
  return [...tasks]
    .filter((task) => (view.finished || !isFinal(task.info.status)) && matches(task))
    .sort(
      (left, right) =>
        rank(left) - rank(right) || (right.info.createdAt ?? "").localeCompare(left.info.createdAt ?? ""),
    );
}

/** Moves through the list, filters it, and says what is wanted with a task. */
export function reduceBoardView(
  state: BoardViewState,
  key: KeyPress,
  tasks: Iterable<LiveTask>,
): KeyStep<BoardViewState, BoardOutcome> {
  if (state.typing) return { state: typeFilter(state, key) };
  const shown = shownTasks(tasks, state);
  const next = { ...state, cursor: moveCursor(state.cursor, key, shown.length) };
  if (key.name === "escape" || key.text === "q") {
    return state.filter === "" ? { state: next, outcome: { type: "back" } } : { state: { ...next, filter: "" } };
  }
  if (key.text === "/") return { state: { ...next, typing: true } };
  if (key.text === "u") return { state: { ...next, finished: !state.finished } };
  if (key.text === "g") return { state: next, outcome: { type: "refresh" } };
  const taskId = shown[next.cursor]?.info.id;
  const verb = key.name === "enter" ? "open" : verbs.get(key.text);
  return taskId === undefined || verb === undefined
    ? { state: next }
    : { state: next, outcome: { type: verb, taskId } };
}

function typeFilter(state: BoardViewState, key: KeyPress): BoardViewState {
  if (key.name === "enter") return { ...state, typing: false, cursor: 0 };
  if (key.name === "escape") return { ...state, typing: false, filter: "", cursor: 0 };
  if (key.name === "backspace") return { ...state, filter: state.filter.slice(0, -1), cursor: 0 };
  return { ...state, filter: state.filter + key.text, cursor: 0 };
}
