import type { TaskEvent, TaskEventBody } from "@resumable-mcp/core/store";
import { describe, expect, test } from "vitest";
import { rawLines } from "../disk/checked-line.js";
import { parseCommit } from "./journal-line.js";
import { EventTail, encodeCommit, numberEvents } from "./number-events.js";

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

  test("gives copies of events their place and time", () => {
    const state = { list: [1] };
    const bodies: readonly TaskEventBody[] = [{ type: "checkpoint", progress: 1, state }, { type: "detached" }];
    const events = numberEvents({ events: bodies, afterSeq: 4, now });
    state.list.push(2);
    expect(events).toEqual([
      { type: "checkpoint", progress: 1, state: { list: [1] }, seq: 5, at },
      { type: "detached", seq: 6, at },
    ]);
  });

  test("counts what an event says of its place and time itself for nothing", () => {
    const body: TaskEventBody = { type: "detached" };
    const events = numberEvents({ events: [{ ...body, ...{ seq: 99, at: "never" } }], afterSeq: 0, now });
    expect(events).toEqual([{ type: "detached", seq: 1, at }]);
  });

  test("gives events that are the same after they were written and read", () => {
    const data = JSON.parse('{"none":null,"__proto__":{"list":["ü\u2028",0]}}');
    const events = numberEvents({ events: [{ type: "log", level: "info", data }], afterSeq: 0, now });
    const [line] = rawLines(encodeCommit(1, events, ["signal.1.pause.x"]), 0, "journal");
    const read = line && parseCommit(line, "journal");
    expect(read).toStrictEqual({ crc: expect.any(String), seq: 1, events, consumed: ["signal.1.pause.x"] });
  });

  test("refuses a value that JSON would change, as the memory store does", () => {
    // A caller without types may give anything.
    const odd: unknown = { type: "log", level: "info", data: { when: new Date(0) } };
    expect(() => numberEvents({ events: [odd as TaskEventBody], afterSeq: 0, now })).toThrow(
      expect.objectContaining({ code: "NOT_JSON", details: { what: "event", path: ".data.when" } }),
    );
  });

  test.each<[string, unknown]>([
    ["text", "completed"],
    ["a list", [{ type: "detached" }]],
    ["an object without anything", {}],
    ["an object of which nothing is written", { type: undefined }],
    ["an object whose type is not text", { type: 1 }],
  ])("refuses %s, which would make a line that is not a commit", (_, odd) => {
    const events = [odd] as readonly TaskEventBody[];
    expect(() => numberEvents({ events, afterSeq: 0, now })).toThrow(new TypeError("Event 0 of a commit has no type."));
  });
});
