import { type ShownLevel, shownLevels } from "@resumable-mcp/protocol/display";
import { type Find, typeFilter } from "../keys/find.js";
import type { KeyPress } from "../keys/key-press.js";
import { meaning, moveCursor, nextValue, toggled } from "../keys/key-rules.js";
import { verbKeys } from "../keys/task-keys.js";
import type { KeyStep } from "../keys/use-key-state.js";
import type { TreeLine } from "./result-tree.js";

/** The keys of the detail screen, the most needed first. */
export const detailKeys = [
  "p pause",
  "r resume",
  "c cancel",
  "a answer",
  "Tab part",
  "y copy",
  "l log level",
  "/ find",
  "s stack",
  "↑↓ scroll",
  "Enter fold, unfold",
  "End follow",
  "n restart",
  "d delete",
  "Y copy arguments",
  "i copy id",
  ": commands",
  "1-5 places",
  "g refresh",
  "Esc back",
];

/** The parts of a task's screen. */
export const panes = ["timeline", "log", "steps", "result"] as const;

/** One of the parts. */
export type Pane = (typeof panes)[number];

/** What of a task is seen. */
export interface DetailState extends Find {
  /** `undefined` until the user chooses: what there is to see decides. */
  readonly pane: Pane | undefined;
  /** The least level that the log shows. */
  readonly level: ShownLevel;
  /** The timeline has the places at which the tool threw. */
  readonly stack: boolean;
  /** Lines scrolled up from the end; 0 follows. */
  readonly up: number;
  /** The line of the result at which the cursor stands. */
  readonly cursor: number;
  /** Parts of the result that were opened or closed. */
  readonly toggled: ReadonlySet<string>;
}

/** What the user wants with the task. */
export type DetailOutcome =
  | ("back" | "pause" | "resume" | "cancel" | "delete")
  | ("answer" | "restart" | "keys" | "refresh")
  | ("copy" | "copy_arguments" | "copy_id");

/** What is on the screen, which decides how far keys lead. */
export interface DetailView {
  readonly pane: Pane;
  /** Lines of the part that scrolls. */
  readonly count: number;
  readonly tree: readonly TreeLine[];
  readonly asks: boolean;
}

/** A task as it is first seen. */
export const initialDetailState: DetailState = {
  pane: undefined,
  level: "debug",
  stack: false,
  filter: "",
  typing: false,
  up: 0,
  cursor: 0,
  toggled: new Set(),
};

const verbs = {
  ...verbKeys,
  ...({ g: "refresh", a: "answer", n: "restart", "?": "keys", q: "back" } as const),
  ...({ y: "copy", Y: "copy_arguments", i: "copy_id" } as const),
};

/** Goes through the parts, scrolls, folds, and says what is wanted with the task. */
export function reduceDetail(state: DetailState, key: KeyPress, view: DetailView): KeyStep<DetailState, DetailOutcome> {
  if (state.typing) return { state: { ...state, up: 0, ...typeFilter(state, key) } };
  const isLog = view.pane === "log";
  if (isLog && key.text === "/") return { state: { ...state, typing: true } };
  if (key.name === "escape")
    return isLog && state.filter !== "" ? { state: { ...state, filter: "" } } : { state, outcome: "back" };
  const pane = chosenPane(key, view.pane);
  if (pane !== undefined) return { state: { ...state, pane, up: 0 } };
  if (key.text === "l") return { state: { ...state, level: nextValue(shownLevels, state.level), up: 0 } };
  if (key.text === "s") return { state: { ...state, stack: !state.stack, up: 0 } };
  if (key.name === "enter" && view.asks) return { state, outcome: "answer" };
  const outcome = meaning(verbs, key.text);
  if (outcome !== undefined) return { state, outcome };
  return { state: view.pane === "result" ? moveInTree(state, key, view.tree) : scroll(state, key, view.count) };
}

function chosenPane(key: KeyPress, now: Pane): Pane | undefined {
  if (key.name === "tab") return nextValue(panes, now);
  return key.name === "backtab" ? nextValue(panes, now, -1) : undefined;
}

function scroll(state: DetailState, key: KeyPress, count: number): DetailState {
  const last = Math.max(0, count - 1);
  return { ...state, up: last - moveCursor(last - state.up, key, count) };
}

function moveInTree(state: DetailState, key: KeyPress, tree: readonly TreeLine[]): DetailState {
  const cursor = Math.min(state.cursor, Math.max(0, tree.length - 1));
  const { open, path = "" } = tree[cursor] ?? {};
  const turns = (key.name === "right" && open === false) || (key.name === "left" && open === true);
  const folds = turns || key.name === "enter" || key.text === " ";
  if (folds && open !== undefined) return { ...state, cursor, toggled: toggled(state.toggled, path) };
  return { ...state, cursor: moveCursor(cursor, key, tree.length) };
}
