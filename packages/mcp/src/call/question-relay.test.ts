import { parseQuestionId, questionId } from "@resumable-mcp/protocol";
import { expect, test } from "vitest";
import { QuestionRelay } from "./question-relay.js";

const id = questionId("task_1", "a:key");

test("an id names task and key, and nothing else is one", () => {
  expect(parseQuestionId(id)).toEqual({ taskId: "task_1", key: "a:key" });
  for (const other of ["ask:", "ask::key", "srv_1", "ask:../x:key"]) expect(parseQuestionId(other)).toBeUndefined();
});

test("a question is shown once, and its answer goes to all who ask", () => {
  const relay = new QuestionRelay<string>();
  expect(relay.ask(id, 1, false)).toEqual({ kind: "show" });
  expect(relay.ask(id, 2, false)).toEqual({ kind: "wait", here: true });
  expect(relay.answer(id, "yes")).toEqual([1, 2]);
});

test("what a client saw before a restart is not shown at once again", () => {
  const relay = new QuestionRelay<string>();
  expect(relay.ask(id, 1, true)).toEqual({ kind: "wait", here: false });
  expect(relay.isWaiting(id)).toBe(true);
});

test("an answer survives the process that it was given to, until the task has gone on", () => {
  const relay = new QuestionRelay<string>();
  relay.ask(id, 1, false);
  relay.answer(id, "yes");
  relay.reset();
  expect(relay.ask(id, 1, false)).toEqual({ kind: "answered", message: "yes" });
  relay.answersWritten("task_1");
  relay.reset();
  expect(relay.ask(id, 1, false)).toEqual({ kind: "show" });
});

test("an answer that comes before the question waits for it", () => {
  const relay = new QuestionRelay<string>();
  relay.ask(id, 1, false);
  relay.reset();
  expect(relay.answer(id, "yes")).toEqual([]);
  expect(relay.ask(id, 9, false)).toEqual({ kind: "answered", message: "yes" });
});

test("a question is withdrawn when the last who asks takes it back", () => {
  const relay = new QuestionRelay<string>();
  relay.ask(id, 1, false);
  relay.ask(id, 2, false);
  expect(relay.withdraw(1)).toBeUndefined();
  expect(relay.withdraw(2)).toBe(id);
  expect(relay.withdraw(2)).toBeUndefined();
});

test("G11 no more is remembered than the limit", () => {
  const relay = new QuestionRelay<string>(1);
  relay.answer(questionId("one", "k"), "1");
  relay.answer(questionId("two", "k"), "2");
  expect(relay.ask(questionId("one", "k"), 1, false)).toEqual({ kind: "show" });
  expect(relay.ask(questionId("two", "k"), 2, false)).toEqual({ kind: "answered", message: "2" });
});
