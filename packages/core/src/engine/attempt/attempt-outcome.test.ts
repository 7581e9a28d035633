import { describe, expect, it } from "vitest";
import { TerminalError } from "../../errors.js";
import { reduceTask } from "../../task/reduce-task.js";
import type { NewSignal, Signal } from "../../task/task-record.js";
import { type AttemptOutcome, type EndInputs, endOfAttempt, findEndName } from "./attempt-outcome.js";

const nowMs = Date.UTC(2026, 0, 1);
const at = new Date(nowMs).toISOString();
const task = {
  id: "t",
  owner: "client:a",
  tool: "x",
  toolVersion: "1",
  key: null,
  input: {},
  detached: true,
  ttlMs: 1,
} as const;
const inputs: EndInputs = {
  record: reduceTask(undefined, [{ type: "created", task, seq: 1, at }]),
  before: { toolVersion: "1", stateShape: '"number"' },
  signals: [],
  tool: { name: "x", version: "2", kind: "generator" },
  nowMs,
  random: () => 1,
  waitsUntilMs: undefined,
};
const signals = (...kinds: readonly NewSignal[]): readonly Signal[] =>
  kinds.map((signal, id) => ({ ...signal, id: String(id) }));
const returned: AttemptOutcome = { kind: "returned", output: 1 };
const stopped = (reason: "pause" | "drain" | "waiting" | "cancel", abandoned = false): AttemptOutcome => ({
  kind: "stopped",
  reason,
  abandoned,
});

/** The stack of an error begins where it was made. */
const placeHere = expect.stringMatching(/^at .*attempt-outcome\.test\.ts:/);

describe("endNameOf", () => {
  it.each([
    ["what it ended with", [{ type: "completed", output: 1 }], "completed"],
    ["a refusal", [{ type: "refused", by: "2", toolVersion: "1", stateShape: undefined, message: "no" }], "refused"],
    ["its reason", [{ type: "attempt_ended", reason: "drained" }], "drained"],
    ["an interruption", [{ type: "step", key: "a", value: 1 }], "interrupted"],
    ["an interruption, without any event", [], "interrupted"],
  ] as const)("names %s", (_what, events, name) => {
    expect(findEndName(events)).toBe(name);
  });
});

describe("endOfAttempt", () => {
  it("lets a cancellation win over whatever the tool came to (G8.4)", () => {
    const cancelling = { ...inputs, signals: signals({ kind: "pause" }, { kind: "cancel" }) };
    const threw: AttemptOutcome = { kind: "threw", error: new Error("no") };
    for (const outcome of [returned, threw, stopped("pause"), stopped("cancel")]) {
      expect(endOfAttempt(outcome, cancelling)).toEqual({ events: [{ type: "cancelled" }], consume: ["0", "1"] });
    }
  });

  it("keeps a pause request unless the task is over", () => {
    const pausing = { ...inputs, signals: signals({ kind: "pause" }) };
    const requested = { type: "desiredState", desiredState: "pause" };
    expect(endOfAttempt(stopped("drain"), pausing)).toEqual({
      events: [requested, { type: "attempt_ended", reason: "drained", runnableAt: at }],
      consume: ["0"],
    });
    expect(endOfAttempt(returned, pausing).events).toEqual([{ type: "completed", output: 1 }]);
  });

  it("writes the answers that a task which fails was given: it may continue (G9)", () => {
    const asked = { type: "asked", key: "q", question: { message: "?", schema: {} }, seq: 2, at } as const;
    const answer = { action: "decline" } as const;
    const failing = {
      ...inputs,
      record: reduceTask(inputs.record, [asked]),
      signals: signals({ kind: "answer", key: "q", answer }, { kind: "answer", key: "other", answer }),
    };
    expect(endOfAttempt({ kind: "threw", error: new TerminalError("no") }, failing)).toEqual({
      events: [
        { type: "answered", key: "q", answer },
        { type: "failed", error: { code: "TOOL_FAILED", message: "no", terminal: true }, stack: placeHere },
      ],
      consume: ["0", "1"],
    });
    expect(endOfAttempt(returned, failing).events).toEqual([{ type: "completed", output: 1 }]);
  });

  it("ends an attempt that cannot read the task, which stays what it was", () => {
    expect(endOfAttempt({ kind: "refused", message: "needs version 1" }, inputs)).toEqual({
      events: [
        { type: "attempt_ended", reason: "interrupted" },
        { type: "refused", by: "2", toolVersion: "1", stateShape: '"number"', message: "needs version 1" },
      ],
      consume: [],
    });
  });

  it("leaves answers and detach requests that were not carried out to the next attempt", () => {
    const left = signals(
      { kind: "detach" },
      { kind: "resume" },
      { kind: "answer", key: "q", answer: { action: "cancel" } },
    );
    expect(endOfAttempt(stopped("waiting"), { ...inputs, signals: left }).consume).toEqual(["1"]);
  });

  it("says until when a task waits, and nothing when it waits for an answer", () => {
    const waits = (waitsUntilMs: number | undefined) =>
      endOfAttempt(stopped("waiting"), { ...inputs, waitsUntilMs }).events;
    expect(waits(nowMs + 5)).toEqual([
      { type: "attempt_ended", reason: "waiting", runnableAt: "2026-01-01T00:00:00.005Z" },
    ]);
    expect(waits(undefined)).toEqual([{ type: "attempt_ended", reason: "waiting" }]);
  });

  it("does not go on with a tool without checkpoints that may still be running", () => {
    const tool = { name: "x", version: "1", kind: "function" } as const;
    const types = (abandoned: boolean, durable: boolean) =>
      endOfAttempt(stopped("pause", abandoned), { ...inputs, tool: { ...tool, durable } }).events.map(
        ({ type }) => type,
      );
    expect([types(true, false), types(true, true), types(false, false)]).toEqual([
      ["failed"],
      ["attempt_ended"],
      ["attempt_ended"],
    ]);
  });

  it("tries a failed attempt again by the tool's policy", () => {
    const tool = { ...inputs.tool, retry: { maxAttempts: 2, initialDelay: 7 } };
    expect(endOfAttempt({ kind: "threw", error: new Error("no") }, { ...inputs, tool }).events).toEqual([
      {
        type: "attempt_ended",
        reason: "retry",
        runnableAt: "2026-01-01T00:00:00.007Z",
        error: { code: "TOOL_FAILED", message: "no" },
        stack: placeHere,
      },
    ]);
  });
});
