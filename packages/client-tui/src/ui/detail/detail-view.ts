import { defaultStateFile, isFinal } from "@resumable-mcp/client";
import { tellHistory } from "@resumable-mcp/command-line/options";
import {
  answerReceivedText,
  continuationTexts,
  isShownAt,
  slotWaitText,
  taskTimes,
} from "@resumable-mcp/protocol/display";
import { withCommands } from "../../advice.js";
import { countText, cutText, plainText } from "../../display/plain-text.js";
import { progressNumbers } from "../../display/progress-line.js";
import { continueCommand, resultPreview, resumeCommand, saveCommand, statusWord } from "../../display/task-status.js";
import { ageText, type BoardTask, isAway, type LogLine, requestWords } from "../../model/board-task.js";
import { hasWords } from "../keys/find.js";
import type { DetailState, DetailView, Pane } from "./detail-state.js";
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
  /** The part has places at which the tool threw, shown or not. */
  readonly hasStack: boolean;
}

/** Decides what the part of the screen shows that the user looks at. */
export function detailContent(task: BoardTask, state: DetailState): DetailContent {
  const pane = state.pane ?? (task.result === undefined ? "timeline" : "result");
  const tree = task.result === undefined ? [] : treeLines(resultValue(task.result), state.toggled);
  const all = pane === "result" ? [] : paneLines(pane, task, state);
  const lines = state.stack ? all : all.filter(({ isPlace }) => !isPlace);
  const hasStack = all.some(({ isPlace }) => isPlace);
  return { pane, tree, lines, hasStack, count: lines.length, asks: task.info.questions.length > 0 };
}

function paneLines(pane: Exclude<Pane, "result">, task: BoardTask, { level: least, filter }: DetailState) {
  const history = tellHistory(task.journal);
  if (pane === "log")
    return wholeLog(history, task.log)
      .filter((line) => isShownAt(least, line) && hasWords(line.text, filter))
      .map(({ at, level, text }, index) => {
        const said = `${timeOf(at)} ${level.padEnd(7)} ${text}`;
        return { key: String(index), text: said, muted: level === "debug", isPlace: false };
      });
  return history[pane].map(({ key, at, text, isPlace = false }) => {
    return { key: String(key), text: `${timeOf(at)}  ${text}`, muted: isPlace, isPlace };
  });
}

function timeOf(at = ""): string {
  return at.slice(11, 19).padEnd(8);
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
  const { info, result, problem, away, remembered, journal } = task;
  const { error } = info;
  return [
    ["status", statusText(task, nowMs)],
    ["says", info.label === undefined ? undefined : `label: ${info.label}`],
    ["times", journal?.arguments && `arguments: ${JSON.stringify(journal.arguments)}`],
    ["place", `${info.id} at ${info.server}`],
    ["times", timesText(task, nowMs)],
    ["says", info.parent && `called by ${info.parent.taskId}, as ${info.parent.key}`],
    ["says", info.children && childrenText(info.children)],
    ["result", info.artifacts && filesText(info.artifacts, info.id)],
    ["says", info.message === undefined || isFinal(info.status) ? undefined : `message: ${info.message}`],
    ["says", lastLogText(task)],
    ...info.questions.map(({ message }): Fact => ["trouble", `question (a answers): ${message}`]),
    ["trouble", info.answered && answerReceivedText],
    ["trouble", info.waitsFor && slotWaitText(info.waitsFor)],
    ["trouble", remembered === true ? "its server has not answered yet: this is what was last seen" : undefined],
    ["trouble", away && isAway(task) ? `its server is away (${away.reason}); g tries again now` : undefined],
    ["trouble", problem],
    ["trouble", error && `error: ${withCommands(error.message)}`],
    ["trouble", error?.continues && continuationTexts[error.continues](progressNumbers(info))],
    ["place", continueCommand(info.id, error) && `in a shell: ${resumeCommand(info.id)}`],
    ["result", result && `result: ${resultPreview(result) ?? "empty"}`],
  ];
}

/** What the server has logged last, without debugging. */
function lastLogText({ log, journal }: BoardTask): string | undefined {
  const isShown = (line: LogLine) => isShownAt("info", line);
  // What came since is newer than any journal, which is read only where nothing did.
  const last = log.findLast(isShown) ?? tellHistory(journal).log.findLast(isShown);
  return last === undefined ? undefined : `log: ${last.level}: ${last.text}`;
}

function statusText(task: BoardTask, nowMs: number): string {
  const { status, interrupted, attempt, generation, itemCount } = task.info;
  const asked = task.requested && requestWords[task.requested];
  const attempts = attempt === 0 ? [] : [`attempt ${attempt}${generation > 1 ? `, generation ${generation}` : ""}`];
  // What the client remembers has no status and no counts.
  if (task.remembered === true) return `out of reach · last seen ${ageText(task, nowMs)}`;
  const age = `updated ${ageText(task, nowMs)}`;
  const seen = isAway(task) ? "last seen: " : "";
  const state = seen + (asked ?? statusWord(status, interrupted));
  return [state, ...attempts, countText(itemCount, "item"), age].join(" · ");
}

function timesText(task: BoardTask, nowMs: number): string | undefined {
  const { elapsed, left, rate } = taskTimes(task, nowMs);
  if (elapsed === undefined) return undefined;
  const rest = left === undefined ? "" : ` · about ${left} left`;
  const speed = rate === undefined ? "" : ` · ${rate}`;
  return `${isFinal(task.info.status) ? "took" : "for"} ${elapsed}${rest}${speed}`;
}

/** The part of some lines that is shown, from so many lines above the end. */
export function visibleLines<Line>(lines: readonly Line[], up: number, rows: number): readonly Line[] {
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

/** The log of the journal and what came live since, each line once. */
function wholeLog(history: { readonly log: readonly LogLine[] }, live: readonly LogLine[]): readonly LogLine[] {
  const lastSeq = history.log.at(-1)?.seq ?? 0;
  return [...history.log, ...live.filter(({ seq }) => seq === undefined || seq > lastSeq)];
}

/** The files that a task made, and how they are saved: `files (resumable-mcp save ID): report.pdf, 2048 bytes`. */
function filesText(files: NonNullable<BoardTask["info"]["artifacts"]>, taskId: string): string {
  return `files (${saveCommand(taskId)}): ${files.map(({ name, bytes }) => `${name}, ${bytes} bytes`).join("; ")}`;
}

/** What a task called, in English: `calls: 2 of 3 returned, 1 failed`. */
function childrenText(children: NonNullable<BoardTask["info"]["children"]>): string {
  const countOf = (status: string) => children.filter((child) => child.status === status).length;
  const failed = countOf("failed");
  return `calls: ${countOf("returned")} of ${children.length} returned${failed === 0 ? "" : `, ${failed} failed`}`;
}
