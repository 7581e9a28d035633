import { defaultStateFile, isFinal, type TaskInfo } from "@resumable-mcp/client";
import { countText, cutText, plainText } from "../../display/plain-text.js";
import { formatDuration, progressNumbers } from "../../display/progress-line.js";
import { formatRate } from "../../display/task-columns.js";
import { ageText, elapsedMsOf, resultPreview, resumeCommand, statusWord } from "../../display/task-facts.js";
import type { BoardTask, LogLine } from "../../model/board-task.js";
import { perSecondOf, remainingMsOf } from "../../model/pace.js";
import { type HistoryLine, readHistory, wholeLog } from "../../model/task-history.js";
import { type DetailState, type DetailView, type LogLevel, logLevels, type Pane } from "./detail-state.js";
import { resultValue, treeLines } from "./result-tree.js";

/** A line of the part that scrolls. */
export interface DetailLine {
  readonly key: string;
  readonly text: string;
  readonly muted: boolean;
}

/** Everything of a task's screen that depends on what is known of it. */
export interface DetailContent extends DetailView {
  readonly lines: readonly DetailLine[];
}

/** Decides what the part of the screen shows that the user looks at. */
export function detailContent(task: BoardTask, state: DetailState): DetailContent {
  const pane = state.pane ?? (task.result === undefined ? "timeline" : "result");
  const tree = task.result === undefined ? [] : treeLines(resultValue(task.result), state.toggled);
  const lines = pane === "result" ? [] : paneLines(pane, task, state.level);
  return { pane, tree, lines, count: lines.length, asks: task.info.questions.length > 0 };
}

function paneLines(pane: Exclude<Pane, "result">, task: BoardTask, level: LogLevel): readonly DetailLine[] {
  const history = readHistory(task.journal);
  switch (pane) {
    case "timeline":
      return history.timeline.map(historyLine);
    case "steps":
      return history.steps.map(historyLine);
    case "log":
      return wholeLog(history, task.log)
        .filter((line) => isAtLeast(line.level, level))
        .map(logText);
  }
}

function historyLine({ key, at, text }: HistoryLine): DetailLine {
  return { key: String(key), text: `${clockTime(at)}  ${text}`, muted: false };
}

function logText({ level, text }: LogLine, index: number): DetailLine {
  return { key: String(index), text: `${level.padEnd(7)} ${text}`, muted: level === "debug" };
}

/** Levels of MCP, from the least; `notice` counts as `info`, and what is worse than `error` as that. */
function isAtLeast(level: string, least: LogLevel): boolean {
  const known: string = level === "notice" ? "info" : level;
  const index = (logLevels as readonly string[]).indexOf(known);
  return (index < 0 ? logLevels.length - 1 : index) >= logLevels.indexOf(least);
}

function clockTime(at: string | undefined): string {
  return at === undefined ? "        " : at.slice(11, 19);
}

/** The order in which facts get room: trouble first, what can be found elsewhere last. */
const weights = { trouble: 0, status: 1, says: 2, result: 3, times: 4, place: 5 } as const;

type Fact = readonly [weight: keyof typeof weights, text: string | undefined];

/** The facts of a task, one per line, in at most `most` lines. */
export function factLines(
  task: BoardTask,
  { columns, nowMs, most }: { readonly columns: number; readonly nowMs: number; readonly most: number },
): readonly string[] {
  const facts = factsOf(task, nowMs).filter(([, text]) => text !== undefined);
  const kept = new Set(facts.toSorted(([left], [right]) => weights[left] - weights[right]).slice(0, most));
  return facts.filter((fact) => kept.has(fact)).map(([, text = ""]) => cutText(plainText(text), columns));
}

function factsOf(task: BoardTask, nowMs: number): readonly Fact[] {
  const { info, result, problem, reconnecting, remembered } = task;
  return [
    ["status", statusText(task, nowMs)],
    ["place", `${info.id} at ${info.server}`],
    ["times", timesText(task, nowMs)],
    ["says", info.message === undefined || isFinal(info.status) ? undefined : `message: ${info.message}`],
    ["says", lastLogText(task)],
    ...info.questions.map(({ message }): Fact => ["trouble", `question (a answers): ${message}`]),
    ["trouble", remembered === true ? "its server has not answered yet: this is what was last seen" : undefined],
    ["trouble", reconnecting === undefined ? undefined : `reconnecting: ${reconnecting}`],
    ["trouble", problem],
    ["trouble", info.error === undefined ? undefined : `error: ${info.error.message}`],
    ["trouble", continuationText(info)],
    ["place", !isContinuable(info) ? undefined : `in a shell: ${resumeCommand(info.id)}`],
    ["result", result === undefined ? undefined : `result: ${resultPreview(result) ?? "empty"}`],
  ];
}

function isContinuable({ error }: TaskInfo): boolean {
  return error?.continues === "by_call" || error?.continues === "by_resume";
}

/** How far a failed task came, and which key or call continues it. */
function continuationText({ error, ...info }: TaskInfo): string | undefined {
  const far = progressNumbers({ ...info, name: info.tool });
  switch (error?.continues) {
    case "by_call":
      return `r or the same call continues at ${far}`;
    case "by_resume":
      return `r continues at ${far}; the same call starts from the beginning`;
    case "never":
      return `it stopped at ${far}; the same call starts from the beginning`;
    default:
      return undefined;
  }
}

/** What the server has logged last, without debugging. */
function lastLogText({ log, journal }: BoardTask): string | undefined {
  const isShown = ({ level }: LogLine) => isAtLeast(level, "info");
  // What came since is newer than any journal, which is read only where nothing did.
  const last = log.findLast(isShown) ?? readHistory(journal).log.findLast(isShown);
  return last === undefined ? undefined : `log: ${last.level}: ${last.text}`;
}

function statusText(task: BoardTask, nowMs: number): string {
  const { status, interrupted, attempt, generation, itemCount } = task.info;
  const attempts = `attempt ${attempt}${generation > 1 ? `, generation ${generation}` : ""}`;
  const parts = [
    statusWord(status, interrupted),
    attempts,
    countText(itemCount, "item"),
    `updated ${ageText(task, nowMs)}`,
  ];
  return parts.join(" · ");
}

function timesText(task: BoardTask, nowMs: number): string | undefined {
  const { info, pace } = task;
  const elapsed = elapsedMsOf(task, nowMs);
  if (elapsed === undefined) return undefined;
  const rate = perSecondOf(pace);
  const remaining = remainingMsOf(pace, info.total, nowMs);
  const moves = info.status === "running" && !info.interrupted;
  const rest = moves && remaining !== undefined ? ` · about ${formatDuration(remaining)} left` : "";
  return `${isFinal(info.status) ? "took" : "for"} ${formatDuration(elapsed)}${rest}${moves && rate !== undefined ? ` · ${formatRate(rate)}` : ""}`;
}

/** The part of some lines that is shown, from so many lines above the end. */
export function windowOf<Line>(lines: readonly Line[], up: number, rows: number): readonly Line[] {
  const end = lines.length - Math.min(up, Math.max(0, lines.length - 1));
  return lines.slice(Math.max(0, end - rows), Math.max(end, Math.min(rows, lines.length)));
}

/** Words that do with a task in a shell what the screen does. */
export function shellCommand({ info }: BoardTask, stateFile: string): string {
  const { id, server, status } = info;
  const verb = isFinal(status) ? "result" : "watch";
  // A command's address has lost its quotes: only its name finds it again.
  const place = /^https?:/.test(server) ? `--url ${quoted(server)}` : `--server ${quoted(server)}`;
  const state = stateFile === defaultStateFile() ? "" : ` --state ${quoted(stateFile)}`;
  return `resumable-mcp ${verb} ${id} ${place}${state}`;
}

function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
