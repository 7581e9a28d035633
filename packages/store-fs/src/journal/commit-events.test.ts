import type { TaskEvent, TaskEventBody } from "@resumable-mcp/core/store";
import { describe, expect, test } from "vitest";
import { EventTail, numberEvents } from "./commit-events.js";

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

describe("numberEvents", () => {
  const now = { wallMs: Date.UTC(2026, 0, 1), monotonicMs: 0 };
  const at = "2026-01-01T00:00:00.000Z";

  test("gives events their place and time, in the text as in the copy", () => {
    const state = { list: [1] };
    const bodies: readonly TaskEventBody[] = [{ type: "checkpoint", progress: 1, state }, { type: "detached" }];
    const { text, events } = numberEvents({ events: bodies, afterSeq: 4, now });
    const expected = [
      { type: "checkpoint", progress: 1, state: { list: [1] }, seq: 5, at },
      { type: "detached", seq: 6, at },
    ];
    state.list.push(2);
    expect([JSON.parse(text), events]).toEqual([expected, expected]);
  });

  test("counts what an event says of its place and time itself for nothing", () => {
    const body: TaskEventBody = { type: "detached" };
    const { text, events } = numberEvents({ events: [{ ...body, ...{ seq: 99, at: "never" } }], afterSeq: 0, now });
    const expected = [{ type: "detached", seq: 1, at }];
    expect([JSON.parse(text), events]).toEqual([expected, expected]);
  });

  test("holds what the text says where a value is not plain JSON", () => {
    // A caller without types may give anything.
    const odd = { type: "log", level: "info", data: { when: new Date(0), none: Number.NaN } } as unknown;
    const { text, events } = numberEvents({ events: [odd as TaskEventBody], afterSeq: 0, now });
    const data = { when: "1970-01-01T00:00:00.000Z", none: null };
    expect([JSON.parse(text), events]).toEqual(Array(2).fill([{ type: "log", level: "info", data, seq: 1, at }]));
  });

  test.each<[string, unknown]>([
    ["text", "completed"],
    ["a list", [{ type: "detached" }]],
    ["an object without anything", {}],
    ["an object of which nothing is written", { type: undefined }],
  ])("refuses %s, which would make a line that is not JSON", (_, odd) => {
    const events = [odd] as readonly TaskEventBody[];
    expect(() => numberEvents({ events, afterSeq: 0, now })).toThrow(SyntaxError);
  });
});
