import type { JsonObject } from "@resumable-mcp/core";
import { describe, expect, it } from "vitest";
import { momentText, readHistory } from "./history.js";

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
        ["log", { level: "info", data: "a\u0007b" }],
        ["failed", { error: { message: "\u001b[2Jgone" } }],
      ),
    );
    const texts = [...timeline, ...steps].map(({ moment }) => momentText(moment));
    expect([texts, log[0]?.text]).toEqual([
      ["step evil", "step pay: attempt 2 failed: 503", "failed: gone", "step evil"],
      "a b",
    ]);
  });
});
