import { expect, it } from "vitest";
import type { TaskFacts } from "../task-object.js";
import { activityText, countActivity, inRange } from "./activity.js";

const taskOf = (id: string, status: TaskFacts["status"], createdAt: string, finishedAt?: string) => ({
  info: {
    ...{ id, tool: "count_words", status, interrupted: false, progress: 0, attempt: 1, generation: 1 },
    ...{ itemCount: 0, lastSeq: 1, questions: [], createdAt, finishedAt },
  },
});
const endMs = Date.parse("2026-11-22T12:00:00Z");
const tasks = [
  taskOf("old", "running", "2026-11-20T00:00:00Z"),
  taskOf("over", "completed", "2026-11-20T00:00:00Z", "2026-11-20T01:00:00Z"),
  taskOf("done", "completed", "2026-11-20T00:00:00Z", "2026-11-22T11:30:00Z"),
  taskOf("cancelled", "cancelled", "2026-11-22T00:00:00Z", "2026-11-22T11:31:00Z"),
  taskOf("failed", "failed", "2026-11-22T11:31:00Z", "2026-11-22T11:59:00Z"),
];

it("counts what started, ended and failed in each part of the last day, each kind by itself", () => {
  const { bars, total, highest } = countActivity(tasks, "day", endMs);
  expect([bars.length, activityText(total), highest]).toEqual([30, "2 started, 2 ended, 1 failed", 2]);
  const shown = bars.flatMap(({ fromMs, ...counts }) => {
    const isEmpty = Object.values(counts).every((count) => count === 0);
    return isEmpty ? [] : [[new Date(fromMs).toISOString().slice(11, 16), activityText(counts)]];
  });
  expect(shown).toEqual([
    ["00:00", "1 started, 0 ended, 0 failed"],
    ["11:12", "1 started, 2 ended, 1 failed"],
  ]);
});

it("counts nothing where nothing happened, and its chart has a height all the same", () => {
  expect(countActivity([], "hour", endMs)).toMatchObject({ total: { started: 0, ended: 0, failed: 0 }, highest: 1 });
});

it.each([
  ["all", ["old", "over", "done", "cancelled", "failed"]],
  ["day", ["old", "done", "cancelled", "failed"]],
  ["hour", ["old", "done", "cancelled", "failed"]],
] as const)("has in the time %j what began or ended in it, and what has not ended", (range, ids) => {
  expect(inRange(tasks, range, endMs).map(({ info }) => info.id)).toEqual(ids);
});
