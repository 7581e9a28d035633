import { execFileSync } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { arch, cpus, platform, release } from "node:os";
import { threadPoolSize } from "../workers/run-isolated.js";
import type { Outcome, Spread, Target } from "./measure.js";

/** The day of a run, and the database that it measured. */
interface Run {
  readonly date: Date;
  readonly database: string;
}

/** What stands before and after a table in a document. */
const marksOf = (section: string) => [`<!-- ${section}: begin -->`, `<!-- ${section}: end -->`] as const;

/** Draws the outcomes as a Markdown table. An interval stands where a target is judged; peers have the unit of the subject. */
export function table(outcomes: readonly Outcome[]): string {
  const rows = outcomes.map((outcome) => {
    const { title, note, subjectFigure, peerFigure, unit, peer, ratio, judges } = outcome;
    return [
      note === undefined ? title : `${title} (${note})`,
      `${judges === "figure" ? interval(subjectFigure) : figure(subjectFigure)} ${unit}`,
      `${peer}: ${figure(peerFigure)}`,
      judges === "ratio" ? interval(ratio) : figure(ratio),
      `${targetText(outcome)}${verdictText(outcome)}`,
    ].join(" | ");
  });
  return [
    "| Measure | Here | Peer | Ratio | Target |",
    "|---|---|---|---|---|",
    ...rows.map((row) => `| ${row} |`),
  ].join("\n");
}

/** What it was measured on, and with which versions. */
export function machine() {
  return {
    node: process.version,
    platform: platform(),
    release: release().split(".").slice(0, 2).join("."),
    arch: arch(),
    cores: cpus().length,
    threadPoolSize,
  };
}

/** Writes the outcomes with what they were measured on. */
export async function writeReport(path: string, outcomes: readonly Outcome[], { date, database }: Run): Promise<void> {
  const report = { date: date.toISOString(), machine: { ...machine(), database }, outcomes };
  await writeFile(path, `${JSON.stringify(report, null, 2)}\n`);
}

/** Puts the table in place of the one that a Markdown file has between the marks of a section. */
export async function replaceTable(
  path: string,
  outcomes: readonly Outcome[],
  { date, database, section }: Run & { readonly section: string },
): Promise<void> {
  const [begin, end] = marksOf(section);
  const text = await readFile(path, "utf8");
  const [before, rest] = text.split(begin);
  const after = rest?.split(end)[1];
  if (before === undefined || after === undefined) throw new Error(`${path} has no ${begin} … ${end}.`);
  const { node, release: version, arch: processor, cores } = machine();
  const day = date.toISOString().slice(0, 10);
  const where = `Measured on ${day}, commit ${git("rev-parse", "--short", "HEAD")}: Node ${node.slice(1)}, ${platform()} ${version}, ${processor}, ${cores} cores, ${database}, \`UV_THREADPOOL_SIZE=${threadPoolSize}\`.`;
  await writeFile(path, `${before}${begin}\n${where}\n\n${table(outcomes)}\n${end}${after}`);
}

/** Says which packages changed since a table of a Markdown file was measured. */
export async function changedSince(path: string, section: string): Promise<string> {
  const [begin, end] = marksOf(section);
  const commit = (await readFile(path, "utf8"))
    .split(begin)[1]
    ?.split(end)[0]
    ?.match(/^Measured on [^,]+, commit (\w+)/m)?.[1];
  if (commit === undefined) return `${path} does not say which commit its table "${section}" measured.`;
  const files = git("diff", "--name-only", commit, "--", "packages/*/src").split("\n");
  const packages = new Set(
    files.filter((file) => /\w\.tsx?$/.test(file) && !file.includes(".test.")).map((file) => file.split("/")[1]),
  );
  const changed = packages.size === 0 ? "no package changed" : `changed: ${[...packages].join(", ")}`;
  return `${path} measured commit ${commit}. Since then ${changed}.`;
}

const git = (...words: readonly string[]) => execFileSync("git", words, { encoding: "utf8" }).trim();

function verdictText({ verdict }: Outcome): string {
  if (verdict === "missed" || verdict === "failed") return ` **${verdict}**`;
  return verdict === "unclear" ? ", unclear" : "";
}

function targetText({ target, judges, judged, unit }: Outcome): string {
  if (target === undefined) return "";
  if (judges === "ratio") return bound(target);
  const difference = judges === "difference" ? `; difference ${interval(judged)}` : "";
  return `${bound(target)} ${unit}${difference}`;
}

function bound(target: Target): string {
  return "atMost" in target ? `≤ ${target.atMost}` : `≥ ${target.atLeast}`;
}

function interval(spread: Spread): string {
  return `${round(spread.median)} (${round(spread.low)}–${round(spread.high)})`;
}

function figure(spread: Spread): string {
  return round(spread.median);
}

function round(value: number): string {
  return Number.isFinite(value) ? String(Number(value.toPrecision(3))) : "–";
}
