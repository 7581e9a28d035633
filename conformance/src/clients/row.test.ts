import { expect, test } from "vitest";
import type { JournalFacts } from "./journals.js";
import { journalProblems, resultProblems } from "./row.js";

const good: JournalFacts = { tasks: 1, status: "completed", items: [1, 2, 3], attempts: 2, processes: 2 };

test("a task that ran on in another process, with each item once, is right", () => {
  expect(journalProblems(good, [1, 2, 3])).toEqual([]);
});

test("a second task, a lost or repeated item and a kill that came too late are problems", () => {
  expect(journalProblems({ ...good, tasks: 2 }, [1, 2, 3])).toEqual(["the call became 2 tasks"]);
  expect(journalProblems({ ...good, items: [1, 3] }, [1, 2, 3])).toEqual(["its items are 1, 3"]);
  expect(journalProblems({ ...good, items: [1, 2, 2, 3] }, [1, 2, 3])).toEqual(["its items are 1, 2, 2, 3"]);
  expect(journalProblems({ ...good, processes: 1 }, [1, 2, 3])).toEqual(["it ran in 1 processes, not in 2"]);
  expect(journalProblems({ ...good, status: "running" }, [1, 2, 3])).toEqual(["the task is running"]);
});

test("a result is right when it says what it has to", () => {
  expect(resultProblems({ structuredContent: { counted: 3, more: true } }, { counted: 3 })).toEqual([]);
  expect(resultProblems({ structuredContent: { counted: 2 } }, { counted: 3 })).toEqual([
    'the result is {"counted":2}',
  ]);
  expect(resultProblems(undefined, { counted: 3 })).toEqual(["no result"]);
});
