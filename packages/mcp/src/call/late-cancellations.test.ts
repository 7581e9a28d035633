import { expect, test } from "vitest";
import { LateCancellations } from "./late-cancellations.js";

test("G7.5 a cancellation counts that can have crossed the response", () => {
  const counts = (where: "local" | "remote", afterMs: number) =>
    new LateCancellations(where).counts({ afterMs, taskId: "a" });
  expect([counts("local", 50), counts("local", 51)]).toEqual([true, false]);
  expect([counts("remote", 1_000), counts("remote", 1_001)]).toEqual([true, false]);
});

test.each([
  ["that cannot have crossed it", { afterMs: 80, taskId: "b" }],
  ["of a result that was withdrawn before", { afterMs: 1, taskId: "a" }],
])("G7.5 after a cancellation %s, none of that client counts any more", (_, late) => {
  const cancellations = new LateCancellations("local");
  const all = [{ afterMs: 1, taskId: "a" }, late, { afterMs: 1, taskId: "c" }];
  expect(all.map((each) => cancellations.counts(each))).toEqual([true, false, false]);
});
