import type { JsonObject } from "@resumable-mcp/core";
import { describe, expect, it } from "vitest";
import { momentText, readHistory } from "./history.js";
import { stepText } from "./steps.js";

/** A journal of these events. */
function journal(...events: readonly (readonly [type: string, data?: JsonObject])[]) {
  return { lastSeq: events.length, events: events.map(([type, data = {}], index) => ({ seq: index + 1, type, data })) };
}

const start = (attempt: number, worker: string) => ["attempt_started", { attempt, worker }] as const;
const end = (reason: string) => ["attempt_ended", { reason }] as const;

describe("the history of a task", () => {
  it("says which attempt took over from a process that died, and which the same process began again", () => {
    const { timeline } = readHistory(
      journal(
        start(1, "a"),
        ["checkpoint", { progress: 4 }],
        end("crashed"),
        start(2, "b"),
        end("paused"),
        start(3, "c"),
      ),
    );
    const attempts = timeline.flatMap(({ moment }) => (moment.kind === "attempt" ? [moment] : []));
    expect(attempts.map(({ takenOver, after, progress }) => [takenOver, after, progress])).toEqual([
      [false, undefined, 0],
      [true, "crashed", 4],
      [false, "paused", 4],
    ]);
    expect(timeline.map(({ moment }) => momentText(moment))).toEqual([
      "attempt 1",
      "checkpoint at 4",
      "attempt 2 after a crash at 4",
      "attempt 3 after a pause at 4",
    ]);
  });

  it("tells a pause that someone asked for from one because the caller left", () => {
    const { timeline } = readHistory(
      journal(
        ["desiredState", { desiredState: "pause" }],
        ["desiredState", { desiredState: "pause", cause: "caller_left" }],
      ),
    );
    expect(timeline.map(({ moment }) => momentText(moment))).toEqual(["pause requested", "paused: its caller left"]);
  });

  it("has no character in it that hides or turns", () => {
    const { timeline, log, steps } = readHistory(
      journal(
        ["step", { key: "\u202eevil" }],
        ["step_failed", { key: "\u202epay", attempt: 2, error: { message: "\u001b[2J503" } }],
        ["called", { key: "\u202esum", tool: "\u001b[2Jadd" }],
        ["returned", { key: "\u202esum", value: 3 }],
        ["called", { key: "more", tool: "add" }],
        ["call_failed", { key: "more", error: { message: "\u001b[2J503" } }],
        ["log", { level: "info", data: "a\u0007b" }],
        ["failed", { error: { message: "\u001b[2Jgone" } }],
      ),
      ["\u202esure"],
    );
    const texts = [...timeline.map(({ moment }) => momentText(moment)), ...steps.map(stepText)];
    expect([texts, log[0]?.text]).toEqual([
      [
        ...["step evil", "step pay: attempt 2 failed: 503"],
        ...["call sum of add", "call sum returned", "call more of add", "call more failed: 503"],
        ...["failed: gone", "answer to sure received", "evil", "pay: failed: 503", "sum: 3", "more: failed: 503"],
      ],
      "a b",
    ]);
  });

  it("has the places at which a tool threw, each as one harmless line", () => {
    const stack = "at run (tools.js:3:9)\nat \u202eevil (tools.js:9:1)";
    const { timeline } = readHistory(
      journal(["failed", { error: { message: "no" }, stack }], ["failed", { error: {} }]),
    );
    const stacks = timeline.map(({ moment }) => ("stack" in moment ? moment.stack : undefined));
    expect(stacks).toEqual([["at run (tools.js:3:9)", "at evil (tools.js:9:1)"], []]);
  });

  it("puts the attempts of a step, a sleep and a question on a line of time", () => {
    const second = (seconds: number) => new Date(Date.UTC(2026, 0, 1) + seconds * 1_000).toISOString();
    const events: readonly (readonly [at: number, type: string, data: JsonObject])[] = [
      [2, "step_failed", { key: "pay", attempt: 1, ms: 1_000, error: { message: "503" } }],
      [6, "step", { key: "pay", ms: 2_500, value: { paid: true } }],
      [7, "asked", { key: "sure" }],
      [9, "answered", { key: "sure", answer: { action: "accept" } }],
      [9, "sleep", { key: "night", until: second(20) }],
      [30, "restarted", { generation: 2, fromState: false }],
      [31, "step", { key: "pay", value: null }],
    ];
    const journal = {
      lastSeq: 7,
      events: events.map(([at, type, data], i) => ({ seq: i + 1, at: second(at), type, data })),
    };
    const { steps } = readHistory(journal);
    expect(steps.map(stepText)).toEqual([
      'pay: {"paid":true} · 3.5s · 2 attempts',
      "sure: accept · 2.0s",
      `night: until ${second(20)} · 11s`,
      "pay: null",
    ]);
    expect(steps[0]?.attempts.map(({ fromMs, failed }) => [new Date(fromMs).toISOString(), failed])).toEqual([
      [second(1), true],
      [second(3.5), false],
    ]);
  });

  it("has a map from its first commit to its last, and the items that failed for good", () => {
    const second = (seconds: number) => new Date(Date.UTC(2026, 0, 1) + seconds * 1_000).toISOString();
    const failed = { level: "error", data: 'Item 3 of map "book" failed: sold out', error: { message: "sold out" } };
    const { steps } = readHistory({
      lastSeq: 4,
      events: [
        { seq: 1, at: second(1), type: "checkpoint", data: { map: { key: "book", at: 2, failed: 0 } } },
        { seq: 2, at: second(5), type: "log", data: failed },
        { seq: 3, at: second(5), type: "checkpoint", data: { map: { key: "book", at: 5, failed: 1, done: true } } },
        { seq: 4, at: second(6), type: "log", data: { level: "error", data: "a line of the tool" } },
      ],
    });
    expect(steps.map(stepText)).toEqual([
      'book: {"completed":4,"failed":1} · 4.0s',
      'Item 3 of map "book": failed: sold out',
    ]);
    expect(steps.map(({ kind, attempts }) => [kind, ...attempts.map(({ failed: isFailed }) => isFailed)])).toEqual([
      ["map", false],
      ["item", true],
    ]);
  });
});
