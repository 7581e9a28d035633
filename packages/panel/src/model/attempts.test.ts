import type { JsonObject } from "@resumable-mcp/protocol";
import { wasCutOff } from "@resumable-mcp/protocol/display";
import { describe, expect, it } from "vitest";
import { readAttempts } from "./attempts.js";

const start = Date.parse("2026-11-21T09:00:00.000Z");

/** A journal of events so many seconds after its start. */
function journal(...events: readonly (readonly [second: number, type: string, data?: JsonObject])[]) {
  const shown = events.map(([second, type, data = {}], index) => {
    return { seq: index + 1, type, data, at: new Date(start + second * 1_000).toISOString() };
  });
  return { lastSeq: events.length, events: shown };
}

const seconds = (ms: number) => (ms - start) / 1_000;

describe("the attempts of a task", () => {
  const crashed = journal(
    [0, "created"],
    [1, "attempt_started", { attempt: 1, worker: "a" }],
    [3, "checkpoint"],
    [60, "attempt_ended", { reason: "crashed" }],
    [60, "attempt_started", { attempt: 2, worker: "b" }],
    [65, "completed"],
  );

  it("end at their last sign of life where a process died, and say who took over", () => {
    const attempts = readAttempts(crashed, start, true);
    expect(attempts.map(({ fromMs, toMs, takenOver }) => [seconds(fromMs), seconds(toMs), takenOver])).toEqual([
      [1, 3, false],
      [60, 65, true],
    ]);
    expect([attempts.map(({ ended }) => wasCutOff(ended)), attempts.map(({ runs }) => runs)]).toEqual([
      [true, false],
      [false, false],
    ]);
  });

  it("reach up to now while one runs, and no further where nothing runs", () => {
    const running = journal([0, "attempt_started", { attempt: 1, worker: "a" }], [2, "checkpoint"]);
    const ends = [false, true].map((isOver) =>
      readAttempts(running, start + 9_000, isOver).map(({ toMs }) => seconds(toMs)),
    );
    expect(ends).toEqual([[9], [2]]);
  });

  it("of the same process after a pause are no take-over, and end when they say so", () => {
    const paused = journal(
      [0, "attempt_started", { attempt: 1, worker: "a" }],
      [5, "attempt_ended", { reason: "paused" }],
      [9, "attempt_started", { attempt: 2, worker: "b" }],
    );
    expect(readAttempts(paused, start + 10_000, false)).toMatchObject([
      { ended: "paused", toMs: start + 5_000, takenOver: false },
      { takenOver: false, runs: true },
    ]);
  });

  it("are none of a journal without them, or without times", () => {
    expect([readAttempts(undefined, 0, false), readAttempts(journal([0, "created"]), 0, false)]).toEqual([[], []]);
  });
});
