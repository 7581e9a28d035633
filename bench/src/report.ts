import { writeFile } from "node:fs/promises";
import { arch, cpus, platform, release } from "node:os";
import type { Outcome } from "./measure.js";
import { sqliteVersion } from "./peers/sqlite-keeper.js";
import { threadPoolSize } from "./run-isolated.js";
import type { Spread, Target } from "./statistics.js";

/** Draws the outcomes as a Markdown table. */
export function table(outcomes: readonly Outcome[]): string {
  const rows = outcomes.map((outcome) =>
    [
      outcome.title,
      `${figure(outcome.subjectFigure)} ${outcome.unit}`,
      `${outcome.peer}: ${figure(outcome.peerFigure)} ${outcome.unit}`,
      `${round(outcome.ratio.median)} (${round(outcome.ratio.low)}–${round(outcome.ratio.high)})`,
      targetText(outcome.target),
      outcome.verdict,
    ].join(" | "),
  );
  return [
    "| Measure | This project | Beside it | Ratio (95 % interval of the median) | Target | |",
    "|---|---|---|---|---|---|",
    ...rows.map((row) => `| ${row} |`),
  ].join("\n");
}

/** Writes the outcomes with what they were measured on. */
export async function writeReport(path: string, outcomes: readonly Outcome[], date: Date): Promise<void> {
  const machine = {
    node: process.version,
    platform: platform(),
    release: release(),
    arch: arch(),
    cores: cpus().length,
    threadPoolSize,
    sqlite: sqliteVersion(),
  };
  await writeFile(path, `${JSON.stringify({ date: date.toISOString(), machine, outcomes }, null, 2)}\n`);
}

function figure(spread: Spread): string {
  return round(spread.median);
}

function round(value: number): string {
  return Number.isFinite(value) ? String(Number(value.toPrecision(3))) : "–";
}

function targetText(target: Target | undefined): string {
  if (target === undefined) return "";
  return "atMost" in target ? `≤ ${target.atMost}` : `≥ ${target.atLeast}`;
}
