import type { TaskFacts, TaskJournal, TaskQuestion } from "@resumable-mcp/protocol";
import {
  formatDuration,
  plainText,
  progressNumbers,
  slotWaitText,
  statusMark,
  statusWord,
  toolTitle,
} from "@resumable-mcp/protocol/display";
import { tellHistory } from "./task-history.js";

/** A task of a server, or of a store, where tasks have several owners. */
export interface TextTask extends TaskFacts {
  readonly server?: string;
  readonly owner?: string;
  /** Its server does not answer: what its client last saw, which says nothing of its status. */
  readonly remembered?: true;
}

/** The same for scripts and for people. */
interface Formatted {
  readonly json: object;
  readonly lines: readonly string[];
}

/** What a table of tasks is made for; by itself nothing is cut, and a character takes a column. */
interface TaskTablePlace {
  /** Finished tasks were asked for too. */
  readonly all: boolean;
  /** Milliseconds since 1970, from which ages count. */
  readonly nowMs: number;
  /** The last column is cut where a line would be wider. */
  readonly columns?: number;
  readonly cut?: (text: string, columns: number) => string;
  readonly widthOf?: (text: string) => number;
  /** How the server at an address is called. */
  readonly serverLabel?: (address: string) => string;
}

/** Columns of a table that a tool's title, and a label, take at most. */
const mostLabel = 32;

/** What `tasks` prints. */
export function formatTasks(tasks: readonly TextTask[], place: TaskTablePlace): Formatted {
  const none = place.all ? "No tasks." : "No unfinished tasks. --all lists the finished ones.";
  const lines = tasks.length === 0 ? [none] : taskTable(tasks, place);
  return { json: { tasks: tasks.map(taskJson), total: tasks.length }, lines };
}

/** Tasks as aligned columns under their titles; label, server and owner only where they tell tasks apart. */
function taskTable(tasks: readonly TextTask[], place: TaskTablePlace): readonly string[] {
  const { nowMs, columns = Number.POSITIVE_INFINITY, cut = (text) => text, serverLabel = (text) => text } = place;
  const { widthOf = ({ length }) => length } = place;
  const several = new Set(tasks.map(({ server }) => server)).size > 1;
  const columnsOf = (task?: TextTask): readonly (readonly [string, string])[] => [
    ["TASK", task?.id ?? ""],
    ["TOOL", task === undefined ? "" : cut(plainText(toolTitle(task)), mostLabel)],
    ...when(
      tasks.some(({ label }) => label !== undefined),
      "LABEL",
      cut(plainText(task?.label ?? ""), mostLabel),
    ),
    ["STATUS", task === undefined ? "" : markedStatus(task)],
    ...when(several, "SERVER", serverLabel(task?.server ?? "")),
    ...when(
      tasks.some(({ owner }) => owner !== undefined),
      "OWNER",
      task?.owner ?? "",
    ),
    ["PROGRESS", task === undefined ? "" : progressNumbers(task)],
    ["AGE", task?.createdAt === undefined ? "" : formatDuration(nowMs - Date.parse(task.createdAt))],
    ["MESSAGE", task?.error?.message ?? task?.message ?? ""],
  ];
  const titles = columnsOf().map(([title]) => title);
  const rows = [titles, ...tasks.map((task) => columnsOf(task).map(([, text]) => plainText(text)))];
  const widths = titles.map((_, at) => Math.max(...rows.map((row) => widthOf(row[at] ?? ""))));
  return rows.map((row) => {
    const cells = row.map((text, at) => text + " ".repeat(Math.max(0, (widths[at] ?? 0) - widthOf(text))));
    return cut(cells.join("  ").trimEnd(), columns);
  });
}

const when = (isShown: boolean, title: string, text: string) => (isShown ? [[title, text] as const] : []);

function markedStatus({ status, interrupted, remembered }: TextTask): string {
  if (remembered === true) return "~ out of reach";
  return `${statusMark(status, interrupted)} ${statusWord(status, interrupted)}`;
}

/** What a task's program adds to its facts. */
interface TaskAdvice {
  readonly journal?: TaskJournal | undefined;
  /** Of a task that is over, for scripts and for people. */
  readonly result?: { readonly json: object; readonly text: string } | undefined;
  /** A server's message with the commands of this program. */
  readonly advise?: (message: string) => string;
  /** What continues the task. */
  readonly next?: string | undefined;
  /** What saves its files. */
  readonly save?: string;
  /** What an answer needs, and the command for it. */
  readonly answerRows?: (question: TaskQuestion) => readonly TextRow[];
}

/** A fact and its name; without a value it has no line. */
type TextRow = readonly [name: string, value: string | undefined];

/** What `show` prints: one task in detail, one fact a line, and what happened to it. */
export function formatTask(task: TextTask, advice: TaskAdvice = {}): Formatted {
  const { journal, result } = advice;
  const { timeline, steps } = tellHistory(journal);
  return {
    json: { ...taskJson(task), arguments: journal?.arguments, journal: journal?.events, result: result?.json },
    lines: [
      ...factLines(task, advice),
      ...section("timeline", timeline),
      ...section("steps", steps),
      ...(result === undefined ? [] : ["result", `  ${plainText(result.text)}`]),
    ],
  };
}

function factLines(task: TextTask, advice: TaskAdvice): readonly string[] {
  const { journal, advise = (message) => message, next, save, answerRows = () => [] } = advice;
  const { error } = task;
  const rows: readonly TextRow[] = [
    ["task", task.id],
    ["tool", toolTitle(task) === task.tool ? task.tool : `${toolTitle(task)} (${task.tool})`],
    ["label", task.label],
    ["arguments", journal?.arguments && JSON.stringify(journal.arguments)],
    ["server", task.server],
    ["owner", task.owner],
    ["status", statusWord(task.status, task.interrupted)],
    ["waits", task.waitsFor && slotWaitText(task.waitsFor).replace(/^Waits:? /, "")],
    ["progress", progressNumbers(task)],
    ["message", task.message],
    ["attempt", task.attempt === 0 ? undefined : `${task.attempt}, generation ${task.generation}`],
    ["items", String(task.itemCount)],
    ["parent", task.parent && `${task.parent.taskId}, as ${task.parent.key}`],
    ...(task.children ?? []).map(
      ({ key, taskId, tool, status }): TextRow => ["child", `${taskId} ${tool}, as ${key}: ${status}`],
    ),
    ...(task.artifacts ?? []).map(
      ({ name, mimeType, bytes }): TextRow => ["file", `${name}, ${mimeType}, ${bytes} bytes`],
    ),
    ["  save", task.artifacts && save],
    ["created", task.createdAt],
    ["updated", task.updatedAt],
    ["finished", task.finishedAt],
    ["error", error && `${error.code}: ${advise(error.message)}`],
    ["continue", error?.continuation && advise(error.continuation)],
    ["", next],
    ...task.questions.flatMap((asked): readonly TextRow[] => [
      ["asks", `${asked.key}: ${asked.message}`],
      ...answerRows(asked),
    ]),
  ];
  return rows.flatMap(([name, value]) => (value === undefined ? [] : [`${name.padEnd(9)} ${plainText(value)}`]));
}

function section(title: string, lines: ReturnType<typeof tellHistory>["steps"]): readonly string[] {
  const texts = lines.map(({ at = "", text }) => `  ${at.slice(0, 19).padEnd(19)}  ${text}`);
  return lines.length === 0 ? [] : [title, ...texts];
}

/** A task as `--json` prints it: the names of the wire, with the server or the owner. */
function taskJson(task: TextTask): object {
  const { id, tool, label, server, owner, status, interrupted, progress, total, percent } = task;
  const times = { created_at: task.createdAt, updated_at: task.updatedAt, finished_at: task.finishedAt };
  const far = { progress, total, progress_percent: percent, message: task.message };
  if (task.remembered === true) return { task_id: id, task_name: tool, server, remembered: true, ...far, ...times };
  const questions = task.questions.map(({ key, message, schema }) => ({ key, message, schema }));
  return {
    ...{ task_id: id, task_name: tool, label, server, owner, status, interrupted },
    ...far,
    ...{ attempt: task.attempt, generation: task.generation, item_count: task.itemCount, last_seq: task.lastSeq },
    ...times,
    questions: questions.length === 0 ? undefined : questions,
    waits_for: task.waitsFor,
    artifacts: task.artifacts?.map(({ mimeType: mime_type, ...file }) => ({ ...file, mime_type })),
    parent: task.parent && { task_id: task.parent.taskId, key: task.parent.key },
    children: task.children?.map(({ taskId, tool: called, ...child }) => ({
      task_id: taskId,
      task_name: called,
      ...child,
    })),
    error: task.error,
  };
}
