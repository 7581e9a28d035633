import type { Question, TaskInfo, TaskJournal } from "@resumable-mcp/client";
import { withCommands } from "../advice.js";
import { cutText, fitText, plainText, textWidth } from "../display/plain-text.js";
import { formatDuration, progressNumbers } from "../display/progress-line.js";
import { serverLabelAt } from "../display/server-label.js";
import { continueCommand, statusMark, statusWord, taskName } from "../display/task-status.js";
import { asObject } from "../json.js";
import { exampleWords, kindText, requiredKeys } from "./tool-arguments.js";

/** One task as a line without a title: `+ ID count_to completed 100% (10/10)`. */
export function taskLine(task: TaskInfo): string {
  const { id, status, interrupted, message = "" } = task;
  const state = [statusWord(status, interrupted), progressNumbers(task), plainText(message)];
  return [statusMark(status, interrupted), id, plainText(taskName(task)), ...state]
    .filter((word) => word !== "")
    .join("  ");
}

/** Columns of a table that a label takes at most. */
const mostLabel = 32;

/** What a table of tasks is made for. */
export interface TaskTablePlace {
  /** Milliseconds since 1970, from which ages count. */
  readonly nowMs: number;
  /** The last column is cut where a line would be wider. */
  readonly columns: number;
  readonly servers: Parameters<typeof serverLabelAt>[1];
}

/** Tasks as aligned columns under their titles; the server only where there are several. */
export function taskTable(tasks: readonly TaskInfo[], { nowMs, columns, servers }: TaskTablePlace): readonly string[] {
  const several = new Set(tasks.map(({ server }) => server)).size > 1;
  const labelled = tasks.some(({ label }) => label !== undefined);
  const place = (text: string) => (several ? [text] : []);
  const name = (text: string) => (labelled ? [cutText(plainText(text), mostLabel)] : []);
  const titles = ["TASK", "TOOL", ...name("LABEL"), "STATUS", ...place("SERVER"), "PROGRESS", "AGE", "MESSAGE"];
  const rows = tasks.map((task) => {
    const { id, tool, label = "", server, status, interrupted, createdAt, error } = task;
    const message = error?.message ?? task.message ?? "";
    const age = createdAt === undefined ? "" : formatDuration(nowMs - Date.parse(createdAt));
    const facts = [id, tool, ...name(label), `${statusMark(status, interrupted)} ${statusWord(status, interrupted)}`];
    return [...facts, ...place(serverLabelAt(server, servers)), progressNumbers(task), age, message].map(plainText);
  });
  const widths = titles.map((title, at) => Math.max(title.length, ...rows.map((row) => textWidth(row[at] ?? ""))));
  const last = titles.length - 1;
  return [titles, ...rows].map((row) => {
    const cells = row.map((text, at) => (at === last ? text : fitText(text, widths[at] ?? 0)));
    return cutText(cells.join("  ").trimEnd(), columns);
  });
}

/** One task in detail, one fact a line. */
export function describeTask(task: TaskInfo, journal?: TaskJournal): readonly string[] {
  const { error } = task;
  const rows: readonly (readonly [string, string | undefined])[] = [
    ["task", task.id],
    ["tool", task.tool],
    ["label", task.label],
    ["arguments", journal?.arguments && JSON.stringify(journal.arguments)],
    ["server", task.server],
    ["status", statusWord(task.status, task.interrupted)],
    ["progress", progressNumbers(task)],
    ["message", task.message],
    ["attempt", `${task.attempt}, generation ${task.generation}`],
    ["items", String(task.itemCount)],
    ["created", task.createdAt],
    ["updated", task.updatedAt],
    ["finished", task.finishedAt],
    ["error", error && `${error.code}: ${withCommands(error.message)}`],
    ["continue", error?.continuation && withCommands(error.continuation)],
    ["", continueCommand(task.id, error)],
    ...task.questions.flatMap((question) => questionRows(task.id, question)),
  ];
  return rows.flatMap(([name, value]) => (value === undefined ? [] : [`${name.padEnd(9)} ${plainText(value)}`]));
}

function questionRows(taskId: string, question: Question): readonly (readonly [string, string])[] {
  const { key, message, schema } = question;
  const fields = Object.entries(asObject(schema.properties) ?? {}).map(([name, value]) => {
    const kind = [kindText(asObject(value) ?? {}), requiredKeys(schema).includes(name) ? "required" : "optional"];
    return ["  field", `${name}: ${kind.filter((part) => part !== "").join(", ")}`] as const;
  });
  return [["asks", `${key}: ${message}`], ...fields, ["  answer", answerCommand(taskId, question)]];
}

/** The command that answers a question, with an example of each of its fields. */
export function answerCommand(taskId: string, { key, schema }: Question): string {
  return plainText(`resumable-mcp answer ${taskId} ${key} ${exampleWords(schema)}`).trimEnd();
}
