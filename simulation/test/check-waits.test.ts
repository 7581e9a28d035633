import type { TaskRecord } from "@resumable-mcp/core";
import type { TaskEvent } from "@resumable-mcp/core/store";
import { describe, expect, test } from "vitest";
import { checkWaits } from "../src/history/check-waits.js";
import { type Evidence, virtualPatience } from "../src/history/evidence.js";
import type { HistoryEvent } from "../src/history/history.js";

const sleeps = { run: "a", program: [{ op: "sleep", ms: 6_000 }, { op: "ask" }] };

function evidence(events: readonly HistoryEvent[], { maxRunning = 32, reason = "waiting" } = {}): Evidence {
  const record = { id: "t", status: "completed", input: sleeps } as unknown as TaskRecord;
  const event = { seq: 2, at: "", type: "attempt_ended", reason } as TaskEvent;
  const tasks = [{ owner: "client:o", record, items: [], followed: [{ kind: "event" as const, event }] }];
  return { plan: { limits: { maxRunning }, calls: [] }, patience: virtualPatience, events, tasks };
}

const begins = { atMs: 20_000, kind: "begins", task: "t", at: 0, attempt: 1, op: "sleep" };
const slept = (atMs: number): HistoryEvent => ({ atMs, kind: "slept", task: "t", at: 0, attempt: 2 });
const accepted = { atMs: 20_000, kind: "answer_accepted", task: "t", key: "ask-1", word: "w" };
const answered = (atMs: number): HistoryEvent => ({ atMs, kind: "answered", task: "t", at: 1, attempt: 1 });

const lateSleep = "A sleep of 6000 ms of t took 40000 ms in a process that lived.";
const earlySleep = "A sleep of 6000 ms of t took 2000 ms in a process that lived.";
const few = { maxRunning: 2 };
const lateAnswer = "The answer to ask-1 of t, accepted at 20000 ms, took 30000 ms to its tool.";

describe("the rule about waits", () => {
  test.each<[string, Evidence, readonly string[]]>([
    ["a sleep that ends in time", evidence([begins, slept(26_500)]), []],
    ["a sleep that takes much longer, over two attempts", evidence([begins, slept(60_000)]), [lateSleep]],
    [
      "one during which the wall clock was set",
      evidence([begins, { atMs: 21_000, kind: "fault", fault: "clock" }, slept(60_000)]),
      [lateSleep],
    ],
    ["one during which a process died", evidence([begins, { atMs: 21_000, kind: "died" }, slept(60_000)]), []],
    ["one of a task that was paused", evidence([begins, slept(60_000)], { reason: "paused" }), []],
    ["one where slots are few", evidence([begins, slept(60_000)], { maxRunning: 2 }), []],
    ["one that ends early", evidence([begins, { ...slept(22_000), attempt: 1 }]), [earlySleep]],
    [
      "one in place that is late, where slots are few",
      evidence([begins, { ...slept(60_000), attempt: 1 }], few),
      [lateSleep],
    ],
    ["an answer that comes at once", evidence([accepted, answered(20_100)]), []],
    ["an answer that comes late", evidence([accepted, answered(50_000)]), [lateAnswer]],
    ["one before which a fault began", evidence([{ atMs: 15_000, kind: "fault" }, accepted, answered(50_000)]), []],
  ])("judges %s (G9)", (_, given, expected) => {
    expect(checkWaits(given).map(({ text }) => text)).toEqual(expected);
  });
});
