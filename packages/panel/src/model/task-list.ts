import { isFinal } from "@resumable-mcp/protocol";
import {
  inOrder,
  inRange,
  type ListRange,
  plainText,
  progressNumbers,
  statusWord,
  taskName,
  taskOrders,
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

/** The tasks that are shown, in order. `wordOf` says a status in the user's language, which is found as well as the English one. */
export function shownTasks(
  tasks: readonly PanelTask[],
  { show, words, order, range, tool }: ListView,
  wordOf: (task: PanelTask) => string,
  nowMs: number,
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
  return inOrder(
    inRange(tasks, range, nowMs).filter(
      (task) => filters[show](task) && (tool === "" || task.info.tool === tool) && matches(task),
    ),
    taskOrders[order],
  );
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
