import type { TaskInfo } from "@resumable-mcp/client";
import { expect, it } from "vitest";
import { fakeTask } from "../../test/fake-client.js";
import { type BoardTask, newBoardTask } from "./board-task.js";
import { canDo, type TaskVerb, wasInterrupted } from "./task-verbs.js";

const verbs = ["pause", "resume", "cancel", "answer", "forget"] as const;
const question = { key: "q", message: "Sure?", schema: {}, userOnly: false };
const error = { code: "X", message: "no" };

it.each<[Partial<TaskInfo>, Partial<BoardTask>, readonly TaskVerb[]]>([
  [{}, {}, ["pause", "cancel", "forget"]],
  [{ status: "pending" }, {}, ["pause", "cancel", "forget"]],
  [{ interrupted: true }, {}, ["resume", "cancel", "forget"]],
  [{ status: "paused" }, {}, ["resume", "cancel", "forget"]],
  [{ status: "input_required", questions: [question] }, {}, ["pause", "cancel", "answer", "forget"]],
  [{ status: "failed", error }, {}, ["resume", "forget"]],
  [{ status: "failed", error: { ...error, continues: "never" } }, {}, ["forget"]],
  [{ status: "completed" }, {}, ["forget"]],
  [{}, { away: { reason: "down", sinceMs: 0 } }, ["forget"]],
  [{ interrupted: true }, { remembered: true }, ["forget"]],
  [{}, { gone: true }, ["forget"]],
  [{}, { requested: "pause" }, ["cancel", "forget"]],
  [{}, { requested: "cancel" }, ["pause", "forget"]],
])("of a task %j that is %j one can ask for %j", (info, more, expected) => {
  const task = { ...newBoardTask(fakeTask("a", info)), ...more };
  expect(verbs.filter((verb) => canDo(verb, task))).toEqual(expected);
});

it("takes for interrupted only what can be resumed now", () => {
  const cut = newBoardTask(fakeTask("a", { interrupted: true }));
  const paused = newBoardTask(fakeTask("a", { status: "paused" }));
  expect([cut, paused, { ...cut, away: { reason: "down", sinceMs: 0 } }].map(wasInterrupted)).toEqual([
    true,
    false,
    false,
  ]);
});
