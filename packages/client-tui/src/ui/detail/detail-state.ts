import type { KeyPress } from "../keys/key-press.js";
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
  "↑↓ scroll",
  "Enter fold, unfold",
  "1-4 timeline, log, steps, result",
  "End follow",
  "f forget",
  "Esc back",
];

/** The parts of a task's screen. */
export const panes = ["timeline", "log", "steps", "result"] as const;

/** One of the parts. */
export type Pane = (typeof panes)[number];

/** The least level that the log shows. */
export const logLevels = ["debug", "info", "warning", "error"] as const;

/** One of the levels. */
export type LogLevel = (typeof logLevels)[number];

/** What of a task is seen. */
export interface DetailState {
  /** `undefined` until the user chooses: what there is to see decides. */
  readonly pane: Pane | undefined;
  readonly level: LogLevel;
  /** Lines scrolled up from the end; 0 follows. */
  readonly up: number;
  /** The line of the result at which the cursor stands. */
  readonly cursor: number;
  /** Parts of the result that were opened or closed. */
  readonly toggled: ReadonlySet<string>;
}

/** What the user wants with the task. */
export type DetailOutcome = "back" | "pause" | "resume" | "cancel" | "forget" | "answer" | "copy" | "keys";

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
  up: 0,
  cursor: 0,
  toggled: new Set(),
};

const verbs: ReadonlyMap<string, DetailOutcome> = new Map([
  ["p", "pause"],
  ["r", "resume"],
  ["c", "cancel"],
  ["f", "forget"],
  ["a", "answer"],
  ["y", "copy"],
  ["?", "keys"],
  ["q", "back"],
]);

/** Goes through the parts, scrolls, folds, and says what is wanted with the task. */
export function reduceDetail(state: DetailState, key: KeyPress, view: DetailView): KeyStep<DetailState, DetailOutcome> {
  if (key.name === "escape") return { state, outcome: "back" };
  const pane = chosenPane(key, view.pane);
  if (pane !== undefined) return { state: { ...state, pane, up: 0 } };
  if (key.text === "l") return { state: { ...state, level: nextLevel(state.level), up: 0 } };
  if (key.name === "enter" && view.asks) return { state, outcome: "answer" };
  const outcome = verbs.get(key.text);
  if (outcome !== undefined) return { state, outcome };
  return { state: view.pane === "result" ? moveInTree(state, key, view.tree) : scroll(state, key, view.count) };
}

function chosenPane(key: KeyPress, now: Pane): Pane | undefined {
  const by = key.name === "tab" ? 1 : key.name === "backtab" ? -1 : 0;
  if (by !== 0) return panes[(panes.indexOf(now) + by + panes.length) % panes.length];
  return /^[1-9]$/.test(key.text) ? panes[Number(key.text) - 1] : undefined;
}

function nextLevel(level: LogLevel): LogLevel {
  return logLevels[(logLevels.indexOf(level) + 1) % logLevels.length] ?? "debug";
}

const scrolls: Readonly<Record<string, number>> = { up: 1, down: -1, pageUp: 10, pageDown: -10 };

function scroll(state: DetailState, key: KeyPress, count: number): DetailState {
  if (key.name === "end") return { ...state, up: 0 };
  if (key.name === "home") return { ...state, up: Math.max(0, count - 1) };
  const by = scrolls[key.name ?? ""] ?? 0;
  return { ...state, up: Math.min(Math.max(0, count - 1), Math.max(0, state.up + by)) };
}

function moveInTree(state: DetailState, key: KeyPress, tree: readonly TreeLine[]): DetailState {
  const cursor = Math.min(state.cursor, Math.max(0, tree.length - 1));
  const line = tree[cursor];
  const folds =
    key.name === "enter" ||
    key.text === " " ||
    (key.name === "right" && line?.open === false) ||
    (key.name === "left" && line?.open === true);
  if (folds && line?.open !== undefined) return { ...state, cursor, toggled: toggle(state.toggled, line.path) };
  const by = -(scrolls[key.name ?? ""] ?? 0);
  return { ...state, cursor: Math.min(Math.max(0, tree.length - 1), Math.max(0, cursor + by)) };
}

function toggle(paths: ReadonlySet<string>, path: string): ReadonlySet<string> {
  const next = new Set(paths);
  if (!next.delete(path)) next.add(path);
  return next;
}
