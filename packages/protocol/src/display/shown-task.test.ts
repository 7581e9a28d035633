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

const verbs = ["pause", "resume", "cancel", "answer", "forget"] as const;
const question = { key: "q", message: "Sure?", schema: {}, userOnly: false };
const error = { code: "X", message: "no" };

it.each<[Partial<TaskFacts>, Partial<ShownTask>, readonly TaskVerb[]]>([
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
