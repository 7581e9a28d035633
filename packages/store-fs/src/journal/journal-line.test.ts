import type { TaskEventBody } from "@resumable-mcp/core/store";
import { describe, expect, test } from "vitest";
import { DamagedFile, encodeLine } from "../disk/checked-line.js";
import { numberEvents, writtenPart } from "./journal-line.js";

const line = (n: number) => encodeLine(JSON.stringify({ n }));
const zeros = (length: number) => Buffer.alloc(length);

describe("writtenPart", () => {
  test("is all of a file without zeros", () => {
    const bytes = Buffer.concat([line(1), line(2)]);
    expect(writtenPart(bytes, 0, "file")).toEqual(bytes);
  });

  test("ends where zeros begin that nothing follows", () => {
    const bytes = Buffer.concat([line(1), zeros(100)]);
    expect(writtenPart(bytes, 0, "file")).toEqual(line(1));
  });

  test("is nothing of a file of zeros", () => {
    expect(writtenPart(zeros(10), 0, "file")).toEqual(Buffer.alloc(0));
  });

  test.each([1, 5, 30])("leaves out a last line of which %i bytes were written", (written) => {
    const bytes = Buffer.concat([line(1), line(2).subarray(0, written), zeros(100)]);
    expect(writtenPart(bytes, 0, "file").subarray(0, line(1).byteLength)).toEqual(line(1));
  });

  test("leaves out a last line whose beginning is missing", () => {
    const torn = Buffer.concat([zeros(8), line(2).subarray(8)]);
    expect(writtenPart(Buffer.concat([line(1), torn, zeros(100)]), 0, "file")).toEqual(line(1));
  });

  test("says where bytes are missing before a line that is whole", () => {
    const bytes = Buffer.concat([line(1), zeros(20), Buffer.from("\n"), line(3)]);
    const error = new DamagedFile("file", 7 + line(1).byteLength, "bytes are missing");
    expect(() => writtenPart(bytes, 7, "file")).toThrow(error);
  });
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
