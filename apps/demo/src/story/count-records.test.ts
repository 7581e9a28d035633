import { expect, test } from "vitest";
import { countRecords, describeCount } from "./count-records.js";

test.each([
  [["a", "b", "c"], "3 of 3 records, 0 repeated, 0 lost"],
  [["a", "b", "b", "c", "a"], "3 of 3 records, 2 repeated, 0 lost"],
  [["a"], "1 of 3 records, 0 repeated, 2 lost"],
  [["a", "b", "x"], "2 of 3 records, 1 repeated, 1 lost"],
  [[], "0 of 3 records, 0 repeated, 3 lost"],
])("counts %j", (ids, sentence) => {
  expect(describeCount(countRecords(ids, ["a", "b", "c"]))).toBe(sentence);
});
