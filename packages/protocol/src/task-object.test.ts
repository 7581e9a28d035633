import type { TaskRecord, TaskView } from "@resumable-mcp/core";
import { expect, test } from "vitest";
import {
  decodeFailure,
  decodeInterim,
  decodeTask,
  encodeInterim,
  encodeListedTask,
  encodeTask,
  toPercent,
} from "./task-object.js";

const at = "2026-11-22T08:00:00.000Z";
const record: TaskRecord = {
  id: "t-1",
  owner: "ada",
  key: null,
  tool: "count_words",
  toolVersion: "1",
  input: {},
  detached: false,
  ttlMs: 60_000,
  status: "running",
  desiredState: "run",
  generation: 1,
  attempt: 2,
  live: true,
  progressed: true,
  crashes: 0,
  failures: 0,
  progress: 0,
  itemCount: 0,
  itemBytes: 0,
  itemsFromSeq: 1,
  remembered: {},
  createdAt: at,
  updatedAt: at,
  lastSeq: 3,
};
const minimal: TaskView = { record, status: "running", interrupted: false, questions: [] };
const question = { message: "Go on?", schema: { type: "object" }, userOnly: true, expiresAt: at };
const full: TaskView = {
  ...minimal,
  record: {
    ...{ ...record, progress: 1, total: 3, message: "one", itemCount: 4, finishedAt: at },
    parent: { id: "t-0", key: "count", depth: 1 },
    remembered: {
      sum: { kind: "returned", child: "t-2", tool: "add", value: 3 },
      more: { kind: "call", child: "t-3", tool: "add", calledAt: at },
    },
  },
  status: "input_required",
  interrupted: true,
  questions: [{ key: "confirm", question }],
  requested: "pause",
  answered: ["sure"],
  waitsFor: { limit: "owner", running: 16 },
};
const error = { code: "TOOL_FAILED", message: "No.", continuation: "Call again.", continues: "by_call" as const };

test("a completed task is at 100 percent, whatever it reported last", () => {
  const total = { ...minimal, status: "completed" as const, record: { ...record, progress: 1, total: 2 } };
  expect(encodeTask(total)).toMatchObject({ progress: 1, total: 2, progress_percent: 100 });
  expect(encodeTask({ ...total, record: { ...record, total: undefined } })).toHaveProperty("progress_percent", 100);
});

test("a task with all its fields is read as it was written", () => {
  expect(encodeTask(full, { title: "Count words", error })).toEqual({
    task_id: "t-1",
    task_name: "count_words",
    title: "Count words",
    status: "input_required",
    interrupted: true,
    progress: 1,
    total: 3,
    progress_percent: 33.3,
    message: "one",
    attempt: 2,
    generation: 1,
    item_count: 4,
    last_seq: 3,
    created_at: at,
    updated_at: at,
    finished_at: at,
    questions: [{ key: "confirm", message: "Go on?", schema: { type: "object" }, expires_at: at, user_only: true }],
    requested: "pause",
    answered: ["sure"],
    waits_for: { limit: "owner", running: 16 },
    parent: { task_id: "t-0", key: "count" },
    children: [
      { task_id: "t-2", task_name: "add", key: "sum", status: "returned" },
      { task_id: "t-3", task_name: "add", key: "more", status: "called" },
    ],
    error,
  });
  const facts = {
    id: "t-1",
    tool: "count_words",
    title: "Count words",
    status: "input_required",
    interrupted: true,
    progress: 1,
    total: 3,
    percent: 33,
    message: "one",
    attempt: 2,
    generation: 1,
    itemCount: 4,
    lastSeq: 3,
    createdAt: at,
    updatedAt: at,
    finishedAt: at,
    questions: [{ key: "confirm", ...question }],
    requested: "pause",
    answered: ["sure"],
    waitsFor: { limit: "owner", running: 16 },
    parent: { taskId: "t-0", key: "count" },
    children: [
      { taskId: "t-2", tool: "add", key: "sum", status: "returned" },
      { taskId: "t-3", tool: "add", key: "more", status: "called" },
    ],
    error,
  };
  expect(decodeTask(encodeTask(full, { title: "Count words", error }))).toEqual(facts);
  expect(decodeTask(encodeListedTask(full, { title: "Count words", error }))).toEqual({
    ...facts,
    children: undefined,
  });
  expect(encodeListedTask(full, { title: "Count words", error })).toMatchObject({ progress: "1/3", progress_value: 1 });
});

test("a task that waits for its tool's rate says until when", () => {
  const waitsFor = { limit: "rate", until: at } as const;
  expect(decodeTask(encodeTask({ ...minimal, waitsFor }))?.waitsFor).toEqual(waitsFor);
});

test("a field without a value is absent", () => {
  expect(Object.keys(encodeTask(minimal))).toEqual([
    "task_id",
    "task_name",
    "status",
    "interrupted",
    "progress",
    "attempt",
    "generation",
    "item_count",
    "last_seq",
    "created_at",
    "updated_at",
  ]);
  expect(encodeListedTask(minimal)).toMatchObject({ progress: "0", progress_value: 0 });
  expect(decodeTask(encodeListedTask(minimal))).toEqual(decodeTask(encodeTask(minimal)));
});

test("a field of the wrong type counts as absent, and a value without id, tool or status is not a task", () => {
  const least = { task_id: "t", task_name: "tool", status: "paused" };
  const odd = { total: "3", message: 7, questions: [1, { key: "k" }], error: { code: 1 }, progress: null };
  expect(decodeTask({ ...least, ...odd })).toEqual(decodeTask(least));
  for (const key of Object.keys(least)) expect(decodeTask({ ...least, [key]: undefined })).toBeUndefined();
  expect([null, [], "task", { ...least, status: "lost" }].map(decodeTask)).toEqual(Array(4).fill(undefined));
});

test("an interim result is read as it was written; any other result is not one", () => {
  const written = encodeInterim(full, "input_required", "answer_task", full.questions);
  expect(decodeInterim(written)).toEqual({
    status: "input_required",
    taskId: "t-1",
    nextTool: "answer_task",
    progress: 1,
    total: 3,
    questions: [{ key: "confirm", ...question }],
  });
  expect(encodeInterim(minimal, "running", "wait_for_task")).toEqual({
    status: "running",
    task_id: "t-1",
    progress: 0,
    next_tool: "wait_for_task",
  });
  const task = { ...encodeTask(full), next_tool: "wait_for_task" };
  expect([undefined, {}, { ...written, status: "completed" }, task].map(decodeInterim)).toEqual(
    Array(4).fill(undefined),
  );
});

test("the failure of a result is read with what continues the task", () => {
  expect(decodeFailure({ error })).toEqual(error);
  expect(decodeFailure({ error: { ...error, continues: "perhaps" } })).toEqual({ ...error, continues: undefined });
  expect([undefined, {}, { error: "no" }].map(decodeFailure)).toEqual([undefined, undefined, undefined]);
});

test.each([
  [0, 0, 0],
  [1, 3, 33.3],
  [999, 1000, 99.9],
  [9_999, 10_000, 99.9],
  [3, 2, 100],
])("%d of %d are %d percent", (progress, total, percent) => {
  expect(toPercent(progress, total)).toBe(percent);
});
