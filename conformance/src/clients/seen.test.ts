import { expect, test } from "vitest";
import { Seen } from "./seen.js";

function seenOf(...requests: readonly (readonly number[])[]): Seen {
  const seen = new Seen();
  for (const values of requests) {
    seen.begin();
    for (const value of values) seen.progress(value);
  }
  return seen;
}

test("progress without gap or repeat is right, and each request begins again", () => {
  const seen = seenOf([1, 2, 3], [], [3, 4]);
  expect(seen.problems()).toEqual([]);
  expect(seen.inWords()).toBe("progress 1 to 3, no gap, no repeat; progress 3 to 4, no gap, no repeat");
});

test("gaps and repeats within a request are shown and are problems", () => {
  expect(seenOf([1, 2, 2, 5, 7]).problems()).toEqual(["progress 1 to 7, 2 gaps, 1 repeat"]);
  expect(seenOf([3, 1]).problems()).toEqual(["progress 3 to 1, 1 repeat"]);
});

test("progress that does not begin with the call, or ends long before its result, is missing", () => {
  expect(seenOf([1, 2, 3, 4, 5]).missing(5)).toEqual([]);
  expect(seenOf([1, 2, 3]).missing(5)).toEqual([]);
  expect(seenOf([1, 2]).missing(5)).toEqual(["its user saw progress from 1 to 2, not from 1 to 5"]);
  expect(seenOf([2, 3, 4, 5]).missing(5)).toEqual(["its user saw progress from 2 to 5, not from 1 to 5"]);
  expect(seenOf([]).missing(5)).toEqual(["its user saw progress from nothing to 0, not from 1 to 5"]);
});

test("statuses are shown once each time that they change, errors in one line", () => {
  const seen = new Seen();
  seen.status({ status: "working", statusMessage: "Counted 1/3" });
  seen.status({ status: "working" });
  seen.status({ status: "completed" });
  seen.error(new Error("It broke.\n  Really."));
  expect(seen.inWords()).toBe(
    "status working → completed, with how far it is in `statusMessage`; error “It broke. Really.”",
  );
});

test("a user without messages saw the result only", () => {
  expect(new Seen().inWords()).toBe("nothing but the result");
});
