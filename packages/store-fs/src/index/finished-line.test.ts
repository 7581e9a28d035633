import type { TaskSummary } from "@resumable-mcp/core/store";
import { expect, test } from "vitest";
import { encodeLine, type RawLine } from "../disk/checked-line.js";
import { encodeFinished, parseFinished, readHead } from "./finished-line.js";

const summary: TaskSummary = {
  id: "task-0000000000001",
  owner: "client:test",
  tool: "count_words",
  status: "completed",
  progress: 3,
  detached: true,
  createdAt: "2026-01-01T00:00:00.000Z",
  updatedAt: "2026-01-02T00:00:00.000Z",
  ttlMs: 60_000,
  message: 'said "so"',
  finishedAt: "2026-01-02T00:00:00.000Z",
};

const head = {
  seq: 7,
  id: summary.id,
  incarnation: "b-1",
  chosenBy: {
    owner: "client:test",
    tool: "count_words",
    status: "completed",
    createdAt: "2026-01-01T00:00:00.000Z",
    finishedAt: "2026-01-02T00:00:00.000Z",
    ttlMs: 60_000,
  },
};

function rawLine(bytes: Buffer): RawLine {
  return { start: 0, next: bytes.byteLength, bytes: bytes.subarray(0, -1) };
}

function lineOf(parts: Partial<TaskSummary> = {}): RawLine {
  return rawLine(encodeFinished({ seq: 7, id: summary.id, incarnation: "b-1", summary: { ...summary, ...parts } }));
}

test.each<[string, Partial<TaskSummary>]>([
  ["is plain", {}],
  ["needs other letters", { owner: "sub:Zoë ✓", tool: "tööl" }],
  ["holds what looks like the rest of a line", { owner: '","tool":"other","status":"failed","createdAt":"1' }],
  ["is longer than what is looked at", { owner: `sub:${"x".repeat(2_000)}` }],
  ["ended otherwise", { status: "cancelled" }],
])("reads what lists choose by where it %s", (_, parts) => {
  const line = lineOf(parts);
  expect(readHead(line)).toMatchObject({ ...head, chosenBy: { ...head.chosenBy, ...parts } });
  expect(parseFinished(line)?.summary).toEqual({ ...summary, ...parts });
});

test("reads lines whose parts stand in another order, as earlier versions wrote them", () => {
  const text = JSON.stringify({ seq: 7, id: summary.id, incarnation: "b-1", summary });
  expect(readHead(rawLine(encodeLine(text)))).toMatchObject(head);
});

test("tells of a line without a summary that its task was deleted", () => {
  const gone = { seq: 8, id: summary.id, incarnation: "b-1" };
  expect(readHead(rawLine(encodeFinished(gone)))).toEqual(gone);
});

test("finds nothing in a line that is not a line of the index, or that is damaged", () => {
  const other = rawLine(encodeLine(JSON.stringify({ seq: 7, id: summary.id, incarnation: "b-1", summary: { id: 1 } })));
  const damaged = lineOf();
  damaged.bytes.write("faild", damaged.bytes.indexOf("completed"));
  expect([other, damaged].map(readHead)).toEqual([undefined, undefined]);
});
