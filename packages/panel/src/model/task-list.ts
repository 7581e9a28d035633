import { isFinal } from "@resumable-mcp/protocol";
import { plainText, progressNumbers, remainingMsOf, statusWord, taskName } from "@resumable-mcp/protocol/display";
import { lineText } from "./bounded.js";
import type { PanelTask } from "./panel-task.js";
import type { ListFilter } from "./route.js";

/** In which order tasks are shown; what is not over always comes first. */
export const listOrders = ["newest", "name", "progress", "left"] as const;

/** One of the orders. */
export type ListOrder = (typeof listOrders)[number];

/** How the list is looked at. */
export interface ListView {
  readonly show: ListFilter;
  /** Words that a row has to contain, each of them. */
  readonly words: string;
  readonly order: ListOrder;
}

const filters: Readonly<Record<ListFilter, (task: PanelTask) => boolean>> = {
  all: () => true,
  active: ({ info }) => !isFinal(info.status),
  waiting: ({ info }) => info.status === "input_required",
  failed: ({ info }) => info.status === "failed" || info.interrupted,
  finished: ({ info }) => isFinal(info.status),
};

/** The tasks that are shown, in order. `wordOf` says a status in the user's language, which is found as well as the English one. */
export function shownTasks(
  tasks: readonly PanelTask[],
  { show, words, order }: ListView,
  wordOf: (task: PanelTask) => string,
): readonly PanelTask[] {
  const wanted = plainText(words)
    .toLowerCase()
    .split(" ")
    .filter((word) => word !== "");
  const matches = (task: PanelTask) => {
    if (wanted.length === 0) return true;
    const text = rowText(task, wordOf(task));
    return wanted.every((word) => text.includes(word));
  };
  const compare = comparisons[order];
  return tasks
    .filter((task) => filters[show](task) && matches(task))
    .sort((left, right) => rank(left) - rank(right) || compare(left, right) || newest(left, right));
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

const rank = ({ info }: PanelTask) => (isFinal(info.status) ? 1 : 0);

type Comparison = (left: PanelTask, right: PanelTask) => number;

const newest: Comparison = (left, right) => compareTexts(right.info.createdAt ?? "", left.info.createdAt ?? "");

const comparisons: Readonly<Record<ListOrder, Comparison>> = {
  newest,
  name: (left, right) => compareTexts(taskName(left.info), taskName(right.info)),
  progress: (left, right) => (right.info.percent ?? -1) - (left.info.percent ?? -1),
  left: (left, right) => leftMs(left) - leftMs(right),
};

/** What it is worth at the task's own last sign of life, so that the order does not depend on the moment. */
function leftMs({ pace, info }: PanelTask): number {
  return remainingMsOf(pace, info.total, pace.at(-1)?.atMs ?? 0) ?? Number.MAX_SAFE_INTEGER;
}

/** Ids, names and ISO times need no locale, and without one a long list is sorted many times faster. */
function compareTexts(left: string, right: string): number {
  return left < right ? -1 : left > right ? 1 : 0;
}
