import { expect, test } from "vitest";
import { parseElicitationResult, parseQuestionId, questionId } from "./elicitation.js";
import { isAtLeast, isLogLevel } from "./log-levels.js";
import { parseTaskUri, taskUri } from "./task-object.js";

test("the result of an elicitation: an answer, or not one", () => {
  const results = [
    { action: "accept", content: { a: 1 } },
    { action: "accept" },
    { action: "decline", content: { a: 1 } },
    { action: "accept", content: [] },
    { action: "perhaps" },
    null,
  ];
  expect(results.map(parseElicitationResult)).toEqual([
    { action: "accept", content: { a: 1 } },
    { action: "accept", content: {} },
    { action: "decline" },
    undefined,
    undefined,
    undefined,
  ]);
});

test("log levels are ordered by severity", () => {
  expect(["debug", "emergency", "loud", 3].map(isLogLevel)).toEqual([true, true, false, false]);
  const pairs = [
    ["error", "warning"],
    ["info", "info"],
    ["debug", "info"],
    ["loud", "debug"],
    ["debug", "loud"],
  ] as const;
  expect(pairs.map(([level, least]) => isAtLeast(level, least))).toEqual([true, true, false, false, true]);
});

test("the id of a question and the URI of a task are read as they were written", () => {
  expect(parseQuestionId(questionId("task_1", "a:b\nc"))).toEqual({ taskId: "task_1", key: "a:b\nc" });
  expect(["ask:t", "ask::k", "7"].map(parseQuestionId)).toEqual([undefined, undefined, undefined]);
  const taskId = "abcdefghijklmnop";
  for (const part of ["task", "journal", "items"] as const)
    expect(parseTaskUri(taskUri(taskId, part))).toEqual({ taskId, part });
  expect(["task://short", `task://${taskId}/other`, "file:///x"].map(parseTaskUri)).toEqual(Array(3).fill(undefined));
});
