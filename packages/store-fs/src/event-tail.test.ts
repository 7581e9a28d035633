import type { TaskEvent } from "@resumable-mcp/core";
import { expect, test } from "vitest";
import { EventTail } from "./event-tail.js";

const event = (seq: number): TaskEvent => ({ type: "handed_over", seq, at: "2026-01-01T00:00:00.000Z" });
const seqs = (events: readonly TaskEvent[] | undefined) => events?.map(({ seq }) => seq);

test("gives events behind a cursor, as far as they are acknowledged and asked for", () => {
  const tail = new EventTail({ maxTailEvents: 10, maxTailBytes: 1_000 });
  for (let seq = 1; seq <= 5; seq += 1) tail.add([event(seq)], 10);
  expect(seqs(tail.between(2, 5, 10))).toEqual([3, 4, 5]);
  expect(seqs(tail.between(2, 4, 10))).toEqual([3, 4]);
  expect(seqs(tail.between(0, 5, 2))).toEqual([1, 2]);
});

test.each([
  ["events", { maxTailEvents: 2, maxTailBytes: 1_000 }],
  ["bytes", { maxTailEvents: 10, maxTailBytes: 25 }],
])("says when a cursor is older than what its limit of %s keeps", (_, limits) => {
  const tail = new EventTail(limits);
  for (let seq = 1; seq <= 5; seq += 1) tail.add([event(seq)], 10);
  expect(tail.between(2, 5, 10)).toBeUndefined();
  expect(seqs(tail.between(3, 5, 10))).toEqual([4, 5]);
});
