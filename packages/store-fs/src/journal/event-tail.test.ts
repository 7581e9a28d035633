import type { TaskEvent } from "@resumable-mcp/core/store";
import { expect, test } from "vitest";
import { EventTail } from "./event-tail.js";

const event = (seq: number): TaskEvent => ({ type: "detached", seq, at: "2026-01-01T00:00:00.000Z" });
const seqs = (events: readonly TaskEvent[] | undefined) => events?.map(({ seq }) => seq);

function followedTail(limits: { maxTailEvents: number; maxTailBytes: number }): EventTail {
  const tail = new EventTail(limits);
  tail.between(0, 0, 1);
  return tail;
}

test("gives events behind a cursor, as far as they are acknowledged and asked for", () => {
  const tail = followedTail({ maxTailEvents: 10, maxTailBytes: 1_000 });
  for (let seq = 1; seq <= 5; seq += 1) tail.add([event(seq)], 10);
  expect(tail.between(2, 5, 10)).toEqual([event(3), event(4), event(5)]);
  expect(seqs(tail.between(2, 4, 10))).toEqual([3, 4]);
  expect(seqs(tail.between(0, 5, 2))).toEqual([1, 2]);
});

test("gives the same frozen events to everybody who asks", () => {
  const tail = followedTail({ maxTailEvents: 10, maxTailBytes: 1_000 });
  tail.add([event(1)], 10);
  tail.add([event(2)], 10);
  const given = tail.between(0, 2, 10) ?? [];
  expect(given.map((each) => Object.isFrozen(each))).toEqual([true, true]);
  expect(tail.between(0, 2, 10)?.map((each, index) => each === given[index])).toEqual([true, true]);
});

test.each([
  ["events", { maxTailEvents: 2, maxTailBytes: 1_000 }],
  ["bytes", { maxTailEvents: 10, maxTailBytes: 25 }],
])("says when a cursor is older than what its limit of %s keeps", (_, limits) => {
  const tail = followedTail(limits);
  for (let seq = 1; seq <= 5; seq += 1) tail.add([event(seq)], 10);
  expect(tail.between(2, 5, 10)).toBeUndefined();
  expect(seqs(tail.between(3, 5, 10))).toEqual([4, 5]);
});

test("keeps nothing before events are asked for", () => {
  const tail = new EventTail({ maxTailEvents: 10, maxTailBytes: 1_000 });
  tail.add([event(1)], 10);
  expect([tail.bytes, tail.between(0, 1, 10)]).toEqual([0, undefined]);
  tail.add([event(2)], 10);
  expect([tail.bytes, seqs(tail.between(1, 2, 10))]).toEqual([10, [2]]);
});
