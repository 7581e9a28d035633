import { isFinal, type ServerInfo } from "@resumable-mcp/client";
import type { TaskError, TaskStatus } from "@resumable-mcp/protocol";
import { plainText } from "../display/plain-text.js";
import { serverLabel, serverWord } from "../display/server-label.js";
import { resultPreview, statusWord, taskName, toolTitle } from "../display/task-status.js";
import type { BoardState } from "../model/board-state.js";
import { type BoardTask, isAway, taskServer } from "../model/board-task.js";

/** Progress is announced in steps of this many percent: more would never stop talking. */
const announcedPercent = 10;

/** One task as a sentence: `count_words at 127.0.0.1:8001 is running: 30 percent, 15 of 50. Processed 15/50 records.` */
export function taskSentence(task: BoardTask): string {
  const { info, problem, away, remembered } = task;
  if (isFinal(info.status) && problem === undefined) return endSentence(task);
  const { status, interrupted, progress, total, percent, message } = info;
  const share = percent === undefined ? "" : `${percent} percent, `;
  const far = total === undefined ? `at ${progress}` : `${share}${progress} of ${total}`;
  const is = remembered === true ? "was last seen" : beingWord(status, interrupted);
  const trouble = away === undefined || !isAway(task) ? problem : `Its server is away: ${away.reason}`;
  const parts = [
    `${toolTitle(info)} at ${taskServer(task)} ${is}: ${far}`,
    message,
    trouble,
    ...info.questions.map((q) => `It asks: ${q.message}`),
  ];
  return parts.flatMap((part) => (part === undefined || part === "" ? [] : [withPeriod(plainText(part))])).join(" ");
}

/** `is running`, `needs input`. */
function beingWord(status: TaskStatus, interrupted: boolean): string {
  return status === "input_required" ? "needs input" : `is ${statusWord(status, interrupted)}`;
}

/** How a server stands, as a sentence. */
export function serverSentence(server: ServerInfo): string {
  return withPeriod(`Server ${serverLabel(server)} is ${serverWord(server.state)}`);
}

/** What the program opens with: the servers, and what is not finished. */
export function openingSentences({ servers }: BoardState, unfinished: readonly BoardTask[]): readonly string[] {
  const count = unfinished.length;
  const subject =
    count === 0
      ? "You have no unfinished tasks."
      : `${count} of your tasks ${count === 1 ? "is" : "are"} not finished.`;
  return [...servers.map(serverSentence), subject, ...numbered(unfinished)];
}

/** Tasks with the numbers by which commands name them. */
export function numbered(tasks: readonly BoardTask[]): readonly string[] {
  return tasks.map((task, index) => `${index + 1}. ${taskSentence(task)}`);
}

/** What has changed between two moments that is worth a sentence. */
export function changeSentences(before: BoardState, now: BoardState): readonly string[] {
  const tasks = [...now.tasks.values()].flatMap((task) => {
    const known = before.tasks.get(task.info.id);
    return known === undefined || known === task ? [] : [...logSentences(known, task), ...taskChange(known, task)];
  });
  const servers = now.servers.filter(({ address, state }) => {
    const known = before.servers.find((server) => server.address === address)?.state.name;
    return known !== undefined && known !== state.name && state.name !== "connecting" && known !== "idle";
  });
  const notice = now.notice !== undefined && now.notice !== before.notice ? [withPeriod(now.notice.text)] : [];
  return [...servers.map(serverSentence), ...tasks, ...notice];
}

function taskChange(before: BoardTask, now: BoardTask): readonly string[] {
  const { status } = now.info;
  if (isFinal(status)) return isAnnounceable(now) && !isAnnounceable(before) ? [endSentence(now)] : [];
  const asks = now.info.questions.length > before.info.questions.length;
  if (asks || now.problem !== before.problem) return [taskSentence(now)];
  if (status !== before.info.status)
    return [withPeriod(`${toolTitle(now.info)} ${beingWord(status, now.info.interrupted)}`)];
  return band(now) === band(before) ? [] : [taskSentence(now)];
}

/** What the server has logged since, from `info` on: `count_words, info: Starting.` */
function logSentences(before: BoardTask, now: BoardTask): readonly string[] {
  const last = before.log.at(-1);
  const from = last === undefined ? 0 : now.log.lastIndexOf(last) + 1;
  return now.log
    .slice(from)
    .filter(({ level, seq }) => level !== "debug" && seq !== undefined)
    .map(({ level, text }) => withPeriod(`${taskName(now.info)}, ${level}: ${text}`));
}

/** The end of a task is announced once, with its result: a list can know of the end before the result arrives. */
function isAnnounceable({ info, result, problem }: BoardTask): boolean {
  if (!isFinal(info.status)) return false;
  return info.status !== "completed" || result !== undefined || problem !== undefined;
}

/** The tasks that have come to an end of which the result is still to be asked for. */
export function withoutResult(before: BoardState, now: BoardState): readonly string[] {
  return [...now.tasks.values()]
    .filter((task) => isFinal(task.info.status) && !isAnnounceable(task))
    .filter(({ info }) => !isFinal(before.tasks.get(info.id)?.info.status ?? info.status))
    .map(({ info }) => info.id);
}

function endSentence({ info, result }: BoardTask): string {
  const { error } = info;
  const preview = error === undefined ? resultPreview(result) : failureText(error);
  return withPeriod(`${taskName(info)} is ${info.status}${preview === undefined ? "" : `: ${preview}`}`);
}

/** Why a task failed, and what continues it: `No network. The task reached 25/50 (50 %); the same call …` */
function failureText({ message, continuation }: TaskError): string {
  return plainText(continuation === undefined ? message : `${withPeriod(message)} ${continuation}`);
}

function band({ info }: BoardTask): number {
  return Math.floor((info.percent ?? 0) / announcedPercent);
}

function withPeriod(text: string): string {
  return /[.!?…]$/.test(text) ? text : `${text}.`;
}
