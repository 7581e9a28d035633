import { describe, expect, it } from "vitest";
import { reduceTask } from "./reduce-task.js";
import type { TaskEventBody } from "./task-event.js";
import type { NewSignal, TaskSnapshot } from "./task-record.js";
import {
  dueMs,
  isExpired,
  isOrphan,
  isReusable,
  isRunnable,
  needsNoCaller,
  readDesiredState,
  readStatus,
  unansweredQuestions,
} from "./task-rules.js";

const at = "2026-01-01T00:00:00.000Z";
const atMs = Date.parse(at);

function snapshot(
  bodies: readonly TaskEventBody[],
  {
    signals = [],
    leased = false,
    detached = true,
  }: { signals?: NewSignal[]; leased?: boolean; detached?: boolean } = {},
): TaskSnapshot {
  const task = {
    id: "t",
    owner: "client:a",
    tool: "x",
    toolVersion: "1",
    key: null,
    input: {},
    detached,
    ttlMs: 5_000,
  } as const;
  const events = [{ type: "created", task } as const, ...bodies].map((body, index) => ({
    ...body,
    seq: index + 1,
    at,
  }));
  return {
    record: reduceTask(undefined, events),
    signals: signals.map((signal, id) => ({ ...signal, id: String(id) })),
    leased,
  };
}

const started = { type: "attempt_started", attempt: 1, worker: "w", toolVersion: "1" } as const;
const asked = { type: "asked", key: "q", question: { message: "?", schema: {} } } as const;
const waiting = { type: "attempt_ended", reason: "waiting" } as const;
const paused = [
  { type: "desiredState", desiredState: "pause" },
  { type: "attempt_ended", reason: "paused" },
] as const;
const answer = { kind: "answer", key: "q", answer: { action: "decline" } } as const;

describe("readStatus", () => {
  it.each([
    ["a live attempt", snapshot([started], { leased: true }), "running"],
    ["an attempt whose process died", snapshot([started]), "pending"],
    ["a pause request that was not carried out yet", snapshot([started], { signals: [{ kind: "pause" }] }), "paused"],
    [
      "a request to pause an attempt that lives",
      snapshot([started], { signals: [{ kind: "pause" }], leased: true }),
      "running",
    ],
    ["a resume request", snapshot([started, ...paused], { signals: [{ kind: "resume" }] }), "pending"],
    ["an open question", snapshot([started, asked], { leased: true }), "input_required"],
    ["a question whose answer is on its way", snapshot([started, asked, waiting], { signals: [answer] }), "pending"],
    [
      "a final status, whatever is requested",
      snapshot([{ type: "cancelled" }], { signals: [{ kind: "resume" }] }),
      "cancelled",
    ],
  ])("knows %s", (_what, task, expected) => {
    expect(readStatus(task)).toBe(expected);
  });
});

describe("dueMs", () => {
  const later = { type: "attempt_ended", reason: "retry", runnableAt: "2026-01-01T00:01:00.000Z" } as const;
  it.each([
    ["a new task", snapshot([]), 0],
    ["a new task of a plain call", snapshot([], { detached: false }), 0],
    ["a task that runs", snapshot([started], { leased: true }), undefined],
    ["an orphan", snapshot([started]), 0],
    ["a task that waits for its next attempt", snapshot([started, later]), atMs + 60_000],
    ["a task that waits for an answer", snapshot([started, asked, waiting]), undefined],
    ["a task that has its answer", snapshot([started, asked, waiting], { signals: [answer], detached: false }), 0],
    ["a paused task", snapshot([started, ...paused]), undefined],
    ["a pause request", snapshot([started, later], { signals: [{ kind: "pause" }] }), 0],
    [
      "a resume request, also of a task that is not detached",
      snapshot([started, ...paused], { signals: [{ kind: "resume" }], detached: false }),
      0,
    ],
    ["a cancel request, even of a paused task", snapshot([started, ...paused], { signals: [{ kind: "cancel" }] }), 0],
    [
      "a final task, whatever is requested",
      snapshot([{ type: "cancelled" }], { signals: [{ kind: "cancel" }] }),
      undefined,
    ],
  ])("is right for %s", (_what, task, expected) => {
    expect(dueMs(task)).toBe(expected);
  });

  it("says by the wall clock when a task may run", () => {
    const task = snapshot([started, later]);
    expect([isRunnable(task, atMs + 59_999), isRunnable(task, atMs + 60_000)]).toEqual([false, true]);
  });
});

describe("needsNoCaller", () => {
  it.each([
    ["a detached task", snapshot([started]), true],
    ["a task whose caller was connected", snapshot([started], { detached: false }), false],
    [
      "one whose result was delivered",
      snapshot([started], { detached: false, signals: [{ kind: "delivered" }] }),
      false,
    ],
    [
      "one whose result was not delivered after all",
      snapshot([started], { detached: false, signals: [{ kind: "undelivered" }] }),
      false,
    ],
    ["one that is being detached", snapshot([started], { detached: false, signals: [{ kind: "detach" }] }), true],
    ["one that is to be resumed", snapshot(paused, { detached: false, signals: [{ kind: "resume" }] }), true],
    ["one that is to be cancelled", snapshot([], { detached: false, signals: [{ kind: "cancel" }] }), true],
    ["one that has its answer", snapshot([asked], { detached: false, signals: [answer] }), true],
  ])("is right for %s", (_what, task, expected) => {
    expect(needsNoCaller(task)).toBe(expected);
  });
});

describe("the other rules", () => {
  it("take the newest of the pause and resume requests, else what the record says", () => {
    expect(readDesiredState(snapshot([], { signals: [{ kind: "pause" }, { kind: "resume" }] }))).toBe("run");
    expect(readDesiredState(snapshot([], { signals: [{ kind: "cancel" }, { kind: "pause" }] }))).toBe("pause");
    expect(readDesiredState(snapshot([...paused]))).toBe("pause");
  });

  it("call an attempt without a live runner an orphan", () => {
    expect([
      isOrphan(snapshot([started])),
      isOrphan(snapshot([started], { leased: true })),
      isOrphan(snapshot([])),
    ]).toEqual([true, false, false]);
  });

  it("list the questions that have no answer yet", () => {
    const other = { ...asked, key: "other" };
    expect(unansweredQuestions(snapshot([asked, other], { signals: [answer] })).map(({ key }) => key)).toEqual([
      "other",
    ]);
  });

  it("reuse what is completed, young and not delivered", () => {
    const done = [{ type: "completed", output: 1 }] as const;
    const reuse = { reuseResultMs: 1_000 };
    expect(isReusable(snapshot(done), reuse, atMs + 999)).toBe(true);
    expect(isReusable(snapshot(done), reuse, atMs + 1_000)).toBe(false);
    expect(isReusable(snapshot(done, { signals: [{ kind: "delivered" }] }), reuse, atMs)).toBe(false);
    expect(isReusable(snapshot([{ type: "cancelled" }]), reuse, atMs)).toBe(false);
    expect(isReusable(snapshot([started]), reuse, atMs)).toBe(false);
  });

  it("reuse what completed after the call was accepted, delivered and old as it may be", () => {
    const done = snapshot([{ type: "completed", output: 1 }], { signals: [{ kind: "delivered" }] });
    const reuse = (acceptedMs: number) => ({ reuseResultMs: 0, acceptedMs });
    expect(isReusable(done, reuse(atMs - 1), atMs + 1_000_000)).toBe(true);
    expect(isReusable(done, reuse(atMs), atMs)).toBe(false);
    expect(isReusable(snapshot([{ type: "cancelled" }]), reuse(atMs - 1), atMs)).toBe(false);
    expect(isReusable(snapshot([started]), reuse(atMs - 1), atMs)).toBe(false);
  });

  it("let finished tasks expire after their time, and unfinished ones never", () => {
    const { record } = snapshot([{ type: "cancelled" }]);
    expect([isExpired(record, atMs + 4_999), isExpired(record, atMs + 5_000)]).toEqual([false, true]);
    expect(isExpired(snapshot([started]).record, atMs * 2)).toBe(false);
  });
});
