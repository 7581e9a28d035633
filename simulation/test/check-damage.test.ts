import { expect, test } from "vitest";
import { check } from "../src/history/check.js";
import { checkDamage, withoutDamaged } from "../src/history/check-damage.js";
import { type Evidence, virtualPatience } from "../src/history/evidence.js";

const evidence: Evidence = {
  plan: { limits: {}, calls: [] },
  patience: virtualPatience,
  events: [
    { atMs: 1, kind: "called", task: "one" },
    { atMs: 2, kind: "called", task: "two" },
    { atMs: 3, kind: "rotted", task: "one", path: "/store/tasks/00/one/journal.1.jsonl" },
  ],
  tasks: [],
};

test("what is set aside was damaged, and is reported as such (G12)", () => {
  const aside = [
    { task: "one", code: "TASK_CORRUPT", report: "a line" },
    { task: "one", code: "TASK_NOT_FOUND", report: "a line" },
    { task: "two", code: "TASK_CORRUPT", report: "a line" },
  ];
  expect(aside.map((each) => checkDamage(evidence, [each]))).toEqual([
    [],
    [{ rule: "G12", text: "one was set aside as damaged, and who asks for it is answered with TASK_NOT_FOUND." }],
    [{ rule: "G12", text: "two was set aside, and nothing had damaged it: a line" }],
  ]);
});

test("only what concerns damaged tasks is left out", () => {
  expect(withoutDamaged(evidence, [{ task: "one", code: "TASK_CORRUPT", report: "a line" }]).events).toEqual([
    { atMs: 2, kind: "called", task: "two" },
  ]);
});

test("a program has the result of a task that was damaged after it (liveness)", () => {
  const events = [
    { atMs: 1, kind: "client_calls", caller: "caller-0" },
    { atMs: 2, kind: "client_called", caller: "caller-0", task: "one" },
    { atMs: 3, kind: "client_result", caller: "caller-0", task: "one", status: "completed" },
    { atMs: 4, kind: "rotted", task: "one" },
    { atMs: 5, kind: "ended", all: true },
  ];
  const setAside = [{ task: "one", code: "TASK_CORRUPT", report: "a line" }];
  expect(check(withoutDamaged({ ...evidence, events }, setAside))).toEqual([]);
  expect(check({ ...evidence, events: events.toSpliced(2, 1) })).toEqual([
    { rule: "liveness", text: "caller-0 has no result." },
  ]);
});
