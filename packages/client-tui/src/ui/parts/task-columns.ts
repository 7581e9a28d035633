import type { TaskInfo } from "@resumable-mcp/client";
import { taskTimes } from "@resumable-mcp/protocol/display";
import { cutText, fitText, plainText, textWidth } from "../../display/plain-text.js";
import { progressBar, progressNumbers } from "../../display/progress-line.js";
import { statusMark, toolTitle } from "../../display/task-status.js";
import { type BoardTask, isAway, isMoving, taskMessage, taskServer } from "../../model/board-task.js";

const order = ["name", "label", "server", "bar", "numbers", "time", "left", "rate", "message"] as const;

/** How wide the columns of a list of tasks are; 0 leaves a column out. */
export type TaskColumns = Readonly<Record<(typeof order)[number], number>>;

const leadColumns = 4;
/** Screens with fewer columns than this show the least of everything. */
const narrowScreen = 60;
/** Columns of facts come only where this is left for the message. */
const roomyMessage = 16;
/** A column with less room than this says nothing. */
const leastWidth = 4;
/** A message with less room than this says nothing: the name gets it. */
const leastMessage = 8;
const mostName = 32;
const mostLabel = 32;
/** Screens with fewer columns have none for labels. */
const leastForLabels = 70;

/** Shares the columns of a screen among the facts of the tasks that it shows. */
export function shareColumns(tasks: readonly BoardTask[], columns: number): TaskColumns {
  const names = tasks.map(({ info }) => nameOf(info, columns >= leastForLabels));
  const name = widest(names, Math.max(8, Math.floor(columns / (columns < 100 ? 4.5 : 4))));
  const numbers = numbersColumns(tasks, columns);
  const servers = new Map(tasks.map((task) => [task.info.server, taskServer(task)]));
  const wanted = { name, numbers, time: 6, bar: columns < narrowScreen ? 5 : Math.min(20, Math.floor(columns / 8)) };
  const used = leadColumns + Object.values(wanted).reduce((sum, width) => sum + width + 1, 0);
  let room = columns - used;
  const take = (width: number) => {
    if (width < leastWidth || room < width + 1 + roomyMessage) return 0;
    room -= width + 1;
    return width;
  };
  const labels = tasks.flatMap(({ info }) => (info.label === undefined ? [] : [plainText(info.label)]));
  const label = take(
    labels.length === 0 || columns < leastForLabels ? 0 : Math.min(widest(labels, mostLabel), room - 1 - roomyMessage),
  );
  const left = take(7);
  const server = servers.size > 1 ? take(widest(["server", ...servers.values()], 18)) : 0;
  const rate = take(7);
  if (room >= leastMessage) return { ...wanted, label, left, server, rate, message: room };
  // The space before the message is no longer needed either.
  const wider = Math.min(widest(names, mostName), name + Math.max(0, room + 1));
  return { ...wanted, name: wider, label, left, server, rate, message: 0 };
}

function widest(texts: readonly string[], most: number): number {
  return Math.min(most, Math.max(1, ...texts.map(textWidth)));
}

/** Where there is room, as many as the tasks will need at their end: the columns behind stay where they are. */
function numbersColumns(tasks: readonly BoardTask[], columns: number): number {
  const narrow = columns < narrowScreen;
  const most = Math.floor(columns / (narrow ? 3 : 4));
  const texts = tasks.map((task) => fittingNumbers(narrow ? task.info : ended(task), most));
  return widest(texts, most);
}

/** The names of the columns, over the list. */
export function columnTitles(columns: TaskColumns): string {
  const titles = {
    name: "task",
    label: "label",
    server: "server",
    bar: "progress",
    time: "time",
    left: "left",
    rate: "rate",
  };
  // The bar and its numbers stand under one title.
  const together = { ...columns, bar: columns.bar + 1 + columns.numbers, numbers: 0 };
  return " ".repeat(leadColumns) + joined(titles, together);
}

/** A task on one line, which says everything without colour. */
export function taskLineText(
  task: BoardTask,
  columns: TaskColumns,
  look: { readonly nowMs: number; readonly atCursor: boolean; readonly marked: boolean },
): string {
  const { info } = task;
  const { elapsed = "", left, rate = "" } = taskTimes(task, look.nowMs);
  const cells = {
    name: nameOf(info, columns.label > 0),
    label: plainText(info.label ?? ""),
    server: taskServer(task),
    bar: progressBar(info.percent, columns.bar, isMoving(task) ? phaseOf(info, look.nowMs) : undefined),
    numbers: fittingNumbers(info, columns.numbers),
    time: elapsed,
    left: left === undefined ? "" : `~${left}`,
    rate,
    message: plainText(taskMessage(task)),
  };
  const lead = `${look.atCursor ? "▸" : " "}${look.marked ? "*" : " "}${markOf(task)} `;
  return lead + joined(cells, columns);
}

/** Where labels have no column, they stand in place of the tool's name: it is what tasks of one tool have in common. */
function nameOf(info: TaskInfo, hasLabelColumn: boolean): string {
  const tool = toolTitle(info);
  return plainText(hasLabelColumn ? tool : (info.label ?? tool));
}

/** The mark of a task; one that is out of reach has its own. */
function markOf(task: BoardTask): string {
  return isAway(task) ? "~" : statusMark(task.info.status, task.info.interrupted);
}

/** A bar without an end moves with every second, and with every step. */
function phaseOf({ progress }: TaskInfo, nowMs: number): number {
  return Math.floor(nowMs / 1000) + Math.floor(progress);
}

function joined(cells: Readonly<Partial<Record<keyof TaskColumns, string>>>, columns: TaskColumns): string {
  return order
    .filter((name) => columns[name] > 0)
    .map((name) => (name === "message" ? cutText : fitText)(cells[name] ?? "", columns[name]))
    .join(" ")
    .trimEnd();
}

/** A task as far as it will be at its end. */
function ended({ info }: BoardTask): TaskInfo {
  const { total, percent, progress } = info;
  if (percent === undefined) return info;
  return { ...info, progress: Math.max(progress, total ?? 0), percent: 100 };
}

/** A number that is cut is another number: where both do not fit, the percentage stands alone. */
function fittingNumbers(info: TaskInfo, columns: number): string {
  const numbers = progressNumbers(info);
  return textWidth(numbers) <= columns || info.percent === undefined ? numbers : `${info.percent}%`;
}
