import { isFinal } from "@resumable-mcp/protocol";
import {
  compareTexts,
  inOrder,
  inRange,
  type ListRange,
  plainText,
  progressNumbers,
  statusWord,
  taskName,
  taskOrders,
  taskPace,
} from "@resumable-mcp/protocol/display";
import { lineText } from "./bounded.js";
import type { PanelTask } from "./panel-task.js";
import type { ListFilter, ListOrder } from "./route.js";

/** How the list is looked at. */
export interface ListView {
  readonly show: ListFilter;
  /** Words that a row has to contain, each of them. */
  readonly words: string;
  readonly order: ListOrder;
  readonly reversed: boolean;
  readonly range: ListRange;
  readonly tool: string;
}

const filters: Readonly<Record<ListFilter, (task: PanelTask) => boolean>> = {
  all: () => true,
  active: ({ info }) => !isFinal(info.status),
  waiting: ({ info }) => info.status === "input_required",
  failed: ({ info }) => info.status === "failed" || info.interrupted,
  finished: ({ info }) => isFinal(info.status),
};

/** Columns that begin with the largest; the others begin with the smallest. */
const largestFirst: readonly ListOrder[] = ["progress", "rate", "time"];

/** Which way a list is sorted by its column. */
export function isDescending({ order, reversed }: Pick<ListView, "order" | "reversed">): boolean {
  return largestFirst.includes(order) !== reversed;
}

type Cell = string | number | undefined;

/** What a row has in each column, to be compared; nothing where it shows nothing. */
function cellsOf(task: PanelTask, status: string, nowMs: number): Readonly<Record<ListOrder, Cell>> {
  const { elapsedMs: time, leftMs: left, perSecond: rate } = taskPace(task, nowMs);
  return { newest: undefined, task: taskName(task.info), status, progress: task.info.percent, rate, left, time };
}

/** The tasks that are shown, in order. `wordOf` says a status in the user's language, which is found as well as the English one. */
export function shownTasks(
  tasks: readonly PanelTask[],
  view: ListView,
  wordOf: (task: PanelTask) => string,
  nowMs: number,
): readonly PanelTask[] {
  const { show, words, order, range, tool } = view;
  const wanted = plainText(words)
    .toLowerCase()
    .split(" ")
    .filter((word) => word !== "");
  const matches = (task: PanelTask) => {
    if (wanted.length === 0) return true;
    const text = rowText(task, wordOf(task));
    return wanted.every((word) => text.includes(word));
  };
  const shown = inOrder(
    inRange(tasks, range, nowMs).filter(
      (task) => filters[show](task) && (tool === "" || task.info.tool === tool) && matches(task),
    ),
    taskOrders.newest,
  );
  const found = shown.map((task) => ({ task, cell: cellsOf(task, wordOf(task), nowMs)[order] }));
  const sign = isDescending(view) ? -1 : 1;
  return found.toSorted((left, right) => compareCells(left.cell, right.cell, sign)).map(({ task }) => task);
}

/** What is unknown is last in both directions. */
function compareCells(left: Cell, right: Cell, sign: number): number {
  if (left === undefined || right === undefined) return Number(left === undefined) - Number(right === undefined);
  return sign * (typeof left === "number" ? left - Number(right) : compareTexts(left, String(right)));
}

/** A word is looked for in what the row of a task shows. */
function rowText({ info }: PanelTask, word: string): string {
  const { status, interrupted, message = "", error } = info;
  const parts = [
    taskName(info),
    word,
    statusWord(status, interrupted),
    progressNumbers(info),
    error?.message ?? message,
  ];
  return parts
    .map((part) => lineText(part))
    .join(" ")
    .toLowerCase();
}
