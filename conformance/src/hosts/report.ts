import type { Over } from "../clients/server-under-test.js";
import { type Cell, rows } from "./rows.js";
import { nextCall } from "./script.js";
import type { Turn } from "./scripted-model.js";

/** What came of one host. */
export interface HostOutcome {
  readonly name: string;
  readonly package: string;
  readonly version: string;
  /** The day of the run. */
  readonly date: string;
  readonly cells: readonly HostCell[];
  readonly characters: Characters;
}

/** A cell, and where it stands. */
export type HostCell = Cell & { readonly row: string; readonly over: Over };

/** How many characters of ours the host gave its model to read. */
export interface Characters {
  /** Our five control tools, as the host describes them. */
  readonly controlTools: number;
  /** Whether the instructions of the server were among them. */
  readonly instructions: boolean;
  readonly handoff?: number | undefined;
  readonly question?: number | undefined;
  readonly result?: number | undefined;
}

const controlTools = /(?:^|_)(?:wait_for_task|resume_task|cancel_task|answer_task|list_session_tasks)$/;
const kinds = { wait_for_task: "handoff", answer_task: "question" } as const;
const [begin, end] = ["<!-- hosts: written by `npm run hosts -- --write` -->", "<!-- end of hosts -->"];

/** Measures what a model heard. Pure. */
export function charactersIn(turns: readonly Turn[]): Characters {
  const own = turns[0]?.heard.tools.filter(({ name }) => controlTools.test(name)) ?? [];
  const lengths: { handoff?: number; question?: number; result?: number } = {};
  for (const text of turns.flatMap(({ results }) => results)) {
    const next = nextCall(text)?.tool;
    const kind = next === undefined ? "result" : kinds[next === "answer_task" ? next : "wait_for_task"];
    lengths[kind] ??= text.length;
  }
  return {
    controlTools: own.reduce((sum, { characters }) => sum + characters, 0),
    instructions: turns.some(({ instructed }) => instructed),
    ...lengths,
  };
}

/** A run's outcomes in place of those that stood there. Pure. */
export function merged(before: readonly HostOutcome[], now: readonly HostOutcome[]): readonly HostOutcome[] {
  const left = before.filter((one) => !now.some(({ name }) => name === one.name));
  return [...left, ...now].sort((one, other) => (one.name < other.name ? -1 : 1));
}

/** Whether each cell is what it has to be. */
export function isGood(outcomes: readonly HostOutcome[]): boolean {
  return outcomes.every(({ cells }) => cells.every((cell) => !("problems" in cell)));
}

/** The table: a line for each row, a column for each host. Pure. */
export function tableOf(outcomes: readonly HostOutcome[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map((text) => text.replaceAll("|", "\\|")).join(" | ")} |`;
  const shown = rows.filter(({ name }) => outcomes.some(({ cells }) => cells.some(({ row }) => row === name)));
  return [
    line(["", ...outcomes.map(({ name, version }) => `${name} ${version}`)]),
    `|---|${outcomes.map(() => "---|").join("")}`,
    ...shown.map(({ name, title }) => line([title, ...outcomes.map(({ cells }) => cellOf(cells, name))])),
  ].join("\n");
}

/** What is the same over both transports is said once. */
function cellOf(cells: readonly HostCell[], row: string): string {
  const said = cells.filter((cell) => cell.row === row).map((cell) => ({ over: cell.over, text: inWords(cell) }));
  const texts = new Set(said.map(({ text }) => text));
  return texts.size === 1 ? [...texts].join("") : said.map(({ over, text }) => `${over}: ${text}`).join("; ");
}

function inWords(cell: Cell): string {
  if ("problems" in cell) return `**no**: ${cell.problems.join("; ").replaceAll(/\s+/g, " ")}`;
  return "reason" in cell ? cell.reason : cell.seen;
}

/** Puts the table between its markers. Pure. */
export function withTable(document: string, outcomes: readonly HostOutcome[]): string {
  const [before, rest] = document.split(begin);
  const after = rest?.split(end)[1];
  if (before === undefined || after === undefined) throw new Error(`The document lacks a line: ${begin} or ${end}`);
  return `${before}${begin}\n\n${tableOf(outcomes)}\n\n${end}${after}`;
}
