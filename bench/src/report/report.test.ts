import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type { Outcome } from "./measure.js";
import { changedSince, replaceTable, table } from "./report.js";

const spread = (median: number) => ({ median, low: median - 1, high: median + 1 });

const outcome: Outcome = {
  id: "one",
  title: "One",
  subject: "ours",
  peer: "theirs",
  unit: "ms",
  rounds: 15,
  subjectFigure: spread(60),
  peerFigure: spread(20),
  ratio: spread(3),
  judges: "figure",
  judged: spread(60),
  target: { atMost: 50 },
  verdict: "missed",
};

test("the table has the interval of what a target is about, and marks what falls short", () => {
  const difference: Outcome = { ...outcome, judges: "difference", judged: spread(40), verdict: "met" };
  const ratio: Outcome = { ...outcome, judges: "ratio", judged: spread(3), target: { atMost: 3 }, verdict: "unclear" };
  expect(table([outcome, difference, ratio]).split("\n").slice(2)).toEqual([
    "| One | 60 (59–61) ms | theirs: 20 | 3 | ≤ 50 ms **missed** |",
    "| One | 60 ms | theirs: 20 | 3 | ≤ 50 ms; difference 40 (39–41) |",
    "| One | 60 ms | theirs: 20 | 3 (2–4) | ≤ 3, unclear |",
  ]);
});

const other = "<!-- measured elsewhere: begin -->\nother\n<!-- measured elsewhere: end -->";

test("the table replaces the one between the marks, and nothing else", async () => {
  const folder = mkdtempSync(join(tmpdir(), "resumable-bench-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, "file.md");
  writeFileSync(path, `before\n${other}\n<!-- measured: begin -->\nold\n<!-- measured: end -->\nafter\n`);
  await replaceTable(path, [outcome], { date: new Date(0), database: "SQLite 3", section: "measured" });
  const text = readFileSync(path, "utf8");
  expect(text.startsWith(`before\n${other}\n<!-- measured: begin -->\nMeasured on 1970-01-01, commit `)).toBe(true);
  expect(text.endsWith(`${table([outcome])}\n<!-- measured: end -->\nafter\n`)).toBe(true);
  expect(await changedSince(path, "measured")).toMatch(
    / measured commit \w+\. Since then (?:no package changed|changed: [\w, -]+)\.$/,
  );
  expect(await changedSince(path, "measured elsewhere")).toBe(
    `${path} does not say which commit its table "measured elsewhere" measured.`,
  );
});
