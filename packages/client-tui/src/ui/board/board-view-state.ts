import { isFinal } from "@resumable-mcp/client";
import { compareTexts, inOrder, type ListRange, listRanges, taskOrders } from "@resumable-mcp/protocol/display";
import { plainText } from "../../display/plain-text.js";
import { progressNumbers } from "../../display/progress-line.js";
import { statusWord, taskName } from "../../display/task-status.js";
import { type BoardTask, taskMessage, taskServer } from "../../model/board-task.js";
import { type Find, hasWords, typeFilter } from "../keys/find.js";
import type { KeyPress } from "../keys/key-press.js";
import { type Cursor, isLeaving, keptCursor, meaning, moveCursor, nextValue, toggled } from "../keys/key-rules.js";
import { verbKeys } from "../keys/task-keys.js";
import type { KeyStep } from "../keys/use-key-state.js";

/** The keys of the list of tasks, the most needed first. */
export const boardKeys = [
  "Enter open",
  "p pause",
  "r resume",
  "c cancel",
  "a answer",
  "Space mark",
  "/ find",
  "s sort",
  "d delete",
  "* mark all",
  "u unfinished only",
  "t time",
  "R resume interrupted",
  ": commands",
  "1-5 places",
  "g refresh",
  "j k PgUp PgDn Home End move",
  "Esc back",
];

/** In which order tasks are shown; what is not over always comes first. */
export const sortOrders = ["newest", "name", "progress", "time left", "server"] as const;

/** One of the orders. */
export type SortOrder = (typeof sortOrders)[number];

/** How the list of tasks is looked at. */
export interface BoardViewState extends Cursor, Find {
  readonly finished: boolean;
  readonly sort: SortOrder;
  /** Of which time tasks are shown; of one, with a chart of what happened in it. */
  readonly range: ListRange;
  /** The tasks that the next key means, in place of the one at the cursor. */
  readonly marked: ReadonlySet<string>;
}

/** What the user wants with tasks of the list. */
export type BoardOutcome =
  | { readonly type: "back" | "refresh" | "keys" | "resume_all" }
  | { readonly type: "open" | "answer"; readonly taskId: string }
  | { readonly type: "pause" | "resume" | "cancel" | "delete"; readonly taskIds: readonly string[] };

/** The list as it is first seen. */
export const initialBoardView: BoardViewState = {
  cursor: 0,
  finished: true,
  filter: "",
  typing: false,
  sort: "newest",
  range: "all",
  marked: new Set(),
};

const general = { "?": "keys", g: "refresh", R: "resume_all" } as const;
const single = { a: "answer" } as const;

/** The tasks that are shown, in order. */
export function shownTasks(
  tasks: Iterable<BoardTask>,
  view: Pick<BoardViewState, "finished" | "filter" | "sort">,
): readonly BoardTask[] {
  const shown = [...tasks].filter(
    (task) => (view.finished || !isFinal(task.info.status)) && matches(task, view.filter),
  );
  return inOrder(shown, comparisons[view.sort]);
}

/** A word is looked for in what the row of a task shows, and not in its id, which it does not. */
function matches(task: BoardTask, filter: string): boolean {
  const { info } = task;
  const state = [statusWord(info.status, info.interrupted), progressNumbers(info)];
  return hasWords(plainText([taskName(info), ...state, taskMessage(task), taskServer(task)].join(" ")), filter);
}

const comparisons: Readonly<Record<SortOrder, (left: BoardTask, right: BoardTask) => number>> = {
  ...taskOrders,
  "time left": taskOrders.left,
  server: (left, right) => compareTexts(taskServer(left), taskServer(right)),
};

/** Moves through the list, filters, sorts and marks, and says what is wanted with tasks. */
export function reduceBoardView(
  state: BoardViewState,
  key: KeyPress,
  tasks: Iterable<BoardTask>,
): KeyStep<BoardViewState, BoardOutcome> {
  if (state.typing) return { state: { ...state, cursor: 0, at: undefined, ...typeFilter(state, key) } };
  const shown = shownTasks(tasks, state);
  const ids = shown.map(({ info }) => info.id);
  const next = placed(state, moveCursor(keptCursor(state, ids), key, ids.length), ids);
  if (isLeaving(key)) return leave(next);
  const view = changeView(next, key, ids);
  if (view !== undefined) return { state: view };
  const anywhere = meaning(general, key.text);
  if (anywhere !== undefined) return { state: next, outcome: { type: anywhere } };
  const taskId = ids[next.cursor];
  if (taskId === undefined) return { state: next };
  if (key.name === "enter") return { state: next, outcome: { type: "open", taskId } };
  const one = meaning(single, key.text);
  if (one !== undefined) return { state: next, outcome: { type: one, taskId } };
  const type = meaning(verbKeys, key.text);
  if (type === undefined) return { state: next };
  const marked = markedIds(next, shown);
  const taskIds = marked.length === 0 ? [taskId] : marked;
  return { state: { ...next, marked: new Set() }, outcome: { type, taskIds } };
}

/** Keeps the cursor to the task at which it was drawn; while a filter is typed it stays at the first that matches. */
export function atDrawn(state: BoardViewState, drawn: string | undefined): BoardViewState {
  return state.at !== undefined || state.typing || drawn === undefined ? state : { ...state, at: drawn };
}

function placed(state: BoardViewState, cursor: number, ids: readonly string[]): BoardViewState {
  return { ...state, cursor, at: ids[cursor] ?? state.at };
}

/** Marks that a filter hides do not count: a key acts only on visible tasks. */
export function markedIds({ marked }: Pick<BoardViewState, "marked">, shown: readonly BoardTask[]): readonly string[] {
  return shown.map(({ info }) => info.id).filter((id) => marked.has(id));
}

/** Escape first takes back what narrows the list. */
function leave(state: BoardViewState): KeyStep<BoardViewState, BoardOutcome> {
  if (state.marked.size > 0) return { state: { ...state, marked: new Set() } };
  const isNarrow = state.filter !== "" || state.range !== "all";
  return isNarrow ? { state: { ...state, filter: "", range: "all" } } : { state, outcome: { type: "back" } };
}

function changeView(state: BoardViewState, key: KeyPress, ids: readonly string[]): BoardViewState | undefined {
  const { marked, sort, range } = state;
  switch (key.text) {
    case "/":
      return { ...state, typing: true };
    case "u":
      return { ...state, finished: !state.finished };
    case "s":
      return { ...state, sort: nextValue(sortOrders, sort) };
    case "t":
      return { ...state, range: nextValue(listRanges, range) };
    case " ":
      return toggleMark(state, ids);
    case "*":
      return { ...state, marked: new Set(ids.every((id) => marked.has(id)) ? [] : ids) };
    default:
      return undefined;
  }
}

function toggleMark(state: BoardViewState, ids: readonly string[]): BoardViewState {
  const id = ids[state.cursor];
  if (id === undefined) return state;
  return placed({ ...state, marked: toggled(state.marked, id) }, Math.min(ids.length - 1, state.cursor + 1), ids);
}
