import { expect, test } from "vitest";
import { KnownClaims } from "./task-keys.js";

const ours = `abc${"1".repeat(61)}`;
const other = `abc${"2".repeat(61)}`;

test("leaves out claims that are known to be of another call, and no other ones", () => {
  const known = new KnownClaims({ maxKnownClaims: 10 });
  expect(known.candidates("abc", [1, 2, 3], ours)).toEqual([1, 2, 3]);
  known.note("abc", 1, ours);
  known.note("abc", 2, other);
  known.note("abd", 3, other);
  expect(known.candidates("abc", [1, 2, 3], ours)).toEqual([1, 3]);
  expect(known.candidates("abc", [1, 2, 3], other)).toEqual([2, 3]);
});

test("leaves out claims that were taken back, which are of no call", () => {
  const known = new KnownClaims({ maxKnownClaims: 10 });
  known.note("abc", 1, "");
  expect(known.candidates("abc", [1], ours)).toEqual([]);
});

test("forgets claims that are not there any more, and folders beyond its limit", () => {
  const known = new KnownClaims({ maxKnownClaims: 3 });
  for (const number of [1, 2, 3]) known.note("abc", number, other);
  expect(known.candidates("abc", [3, 4], ours)).toEqual([4]);
  known.note("abd", 1, other);
  known.note("abd", 2, other);
  known.note("abd", 3, other);
  expect(known.candidates("abc", [3], ours)).toEqual([3]);
  expect(known.candidates("abd", [1, 2, 3], ours)).toEqual([]);
});
