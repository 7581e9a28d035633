import type { TaskRecord } from "@resumable-mcp/core";
import type { Followed } from "@resumable-mcp/core/engine";
import type { TaskEventBody } from "@resumable-mcp/core/store";
import { expect, test } from "vitest";
import { journalMessage, type Shown, toNotification } from "./journal-message.js";

const at = "2026-11-21T09:00:00.000Z";
const event = (seq: number, body: TaskEventBody): Followed => ({ kind: "event", event: { ...body, seq, at } });

/** What a caller receives of a series of events. */
function tell(followed: readonly Followed[], begin: Shown = {}) {
  let shown = begin;
  return followed.flatMap((one) => {
    const mapped = journalMessage(one, shown, "some-task");
    shown = mapped.shown;
    return mapped.message ?? [];
  });
}

test("progress only rises, and takes the last total along", () => {
  const shown = tell([
    event(2, { type: "checkpoint", progress: 1, total: 3 }),
    event(3, { type: "checkpoint", progress: 1, message: "the same" }),
    event(4, { type: "checkpoint", message: "none" }),
    event(5, { type: "checkpoint", progress: 2, message: "two" }),
  ]);
  expect(shown).toEqual([
    { kind: "progress", seq: 2, progress: 1, total: 3 },
    { kind: "progress", seq: 5, progress: 2, total: 3, message: "two" },
  ]);
});

test("a new generation says so, and its progress continues from where the old one was", () => {
  const shown = tell([
    event(2, { type: "checkpoint", progress: 2 }),
    event(3, { type: "restarted", generation: 2, fromState: false }),
    event(4, { type: "checkpoint", progress: 1 }),
    event(5, { type: "checkpoint", progress: 3 }),
  ]);
  expect(shown).toEqual([
    { kind: "progress", seq: 2, progress: 2 },
    { kind: "log", seq: 3, level: "notice", data: "The task begins again: generation 2." },
    { kind: "progress", seq: 5, progress: 3 },
  ]);
});

test("a pause is logged with the task's id when it takes effect", () => {
  const shown = tell([
    event(2, { type: "desiredState", desiredState: "pause" }),
    event(3, { type: "attempt_ended", reason: "paused" }),
    event(4, { type: "attempt_ended", reason: "drained" }),
  ]);
  expect(shown).toEqual([{ kind: "log", seq: 3, level: "info", data: "Task some-task paused" }]);
});

test("a snapshot in place of events that were dropped is marked", () => {
  const record = { lastSeq: 40, progress: 7, total: 9, message: "seven" } as TaskRecord;
  expect(tell([{ kind: "snapshot", record }])).toEqual([
    { kind: "progress", seq: 40, progress: 7, total: 9, message: "seven", snapshot: true },
  ]);
  expect(tell([{ kind: "snapshot", record }], { progress: 7 })).toEqual([]);
});

test("notifications name the task and the place, and progress needs a token", () => {
  const call = { taskId: "t", tool: "count_to" };
  const progress = { kind: "progress", seq: 5, progress: 2, total: 3, snapshot: true } as const;
  expect(toNotification(progress, call)).toBeUndefined();
  const _meta = { "resumable-mcp/task_id": "t", "resumable-mcp/seq": 5 };
  expect(toNotification(progress, { ...call, progressToken: 0 })).toEqual({
    method: "notifications/progress",
    params: { progressToken: 0, progress: 2, total: 3, _meta: { ..._meta, "resumable-mcp/snapshot": true } },
  });
  expect(toNotification({ kind: "log", seq: 5, level: "info", data: { line: 1 } }, call)).toEqual({
    method: "notifications/message",
    params: { level: "info", logger: "count_to", data: { line: 1 }, _meta },
  });
});
