import { expect, test } from "vitest";
import { countRecords, describeCount, isComplete } from "./job.js";

test.each([
  [["a", "b", "c"], "3 of 3 records, 0 repeated, 0 lost", true],
  [["a", "b", "b", "c", "a"], "3 of 3 records, 2 repeated, 0 lost", false],
  [["a"], "1 of 3 records, 0 repeated, 2 lost", false],
  [["a", "b", "x"], "2 of 3 records, 1 repeated, 1 lost", false],
  [[], "0 of 3 records, 0 repeated, 3 lost", false],
])("counts %j", (ids, sentence, complete) => {
  const count = countRecords(ids, ["a", "b", "c"]);
  expect(describeCount(count)).toBe(sentence);
  expect(isComplete(count)).toBe(complete);
});
