import { expect, it } from "vitest";
import type { TaskFacts } from "../task-object.js";
import { canDo, type ShownTask, type TaskVerb, wasInterrupted } from "./shown-task.js";

const facts: TaskFacts = {
  id: "a",
  tool: "count_words",
  status: "running",
  interrupted: false,
  progress: 15,
  attempt: 1,
  generation: 1,
  itemCount: 0,
  lastSeq: 9,
  questions: [],
};

const taskOf = (more: Partial<TaskFacts>): ShownTask => ({ info: { ...facts, ...more } });

const verbs = ["pause", "resume", "cancel", "answer", "delete"] as const;
const question = { key: "q", message: "Sure?", schema: {}, userOnly: false };
const error = { code: "X", message: "no" };

it.each<[Partial<TaskFacts>, Partial<ShownTask>, readonly TaskVerb[]]>([
  [{}, {}, ["pause", "cancel", "delete"]],
  [{ status: "pending" }, {}, ["pause", "cancel", "delete"]],
  [{ interrupted: true }, {}, ["resume", "cancel", "delete"]],
  [{ status: "paused" }, {}, ["resume", "cancel", "delete"]],
  [{ status: "input_required", questions: [question] }, {}, ["pause", "cancel", "answer", "delete"]],
  [{ status: "failed", error }, {}, ["resume", "delete"]],
  [{ status: "failed", error: { ...error, continues: "never" } }, {}, ["delete"]],
  [{ status: "completed" }, {}, ["delete"]],
  [{}, { away: { reason: "down", sinceMs: 0 } }, ["delete"]],
  [{ interrupted: true }, { remembered: true }, ["delete"]],
  [{}, { gone: true }, ["delete"]],
  [{}, { requested: "pause" }, ["cancel", "delete"]],
  [{}, { requested: "cancel" }, ["pause", "delete"]],
])("of a task %j that is %j one can ask for %j", (info, more, expected) => {
  const task = { ...taskOf(info), ...more };
  expect(verbs.filter((verb) => canDo(verb, task))).toEqual(expected);
});

it("takes for interrupted only what can be resumed now", () => {
  const cut = taskOf({ interrupted: true });
  const paused = taskOf({ status: "paused" });
  expect([cut, paused, { ...cut, away: { reason: "down", sinceMs: 0 } }].map(wasInterrupted)).toEqual([
    true,
    false,
    false,
  ]);
});
