import type { TaskEventBody } from "@resumable-mcp/core/store";
import { expect, test } from "vitest";
import { numberEvents } from "./commit-line.js";

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
  expect([JSON.parse(text), events]).toEqual([expected, expected]);
  state.list.push(2);
  expect(events).toEqual(expected);
});

test("counts what an event says of its place and time itself for nothing", () => {
  const body: TaskEventBody = { type: "detached" };
  const { text, events } = numberEvents({ events: [{ ...body, ...{ seq: 99, at: "never" } }], afterSeq: 0, now });
  const expected = [{ type: "detached", seq: 1, at }];
  expect([JSON.parse(text), events]).toEqual([expected, expected]);
});

test("holds what the text says where a value is not plain JSON", () => {
  // A caller without types may give anything.
  const odd = { type: "log", level: "info", data: { when: new Date(0), none: Number.NaN } } as unknown as TaskEventBody;
  const { text, events } = numberEvents({ events: [odd], afterSeq: 0, now });
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
