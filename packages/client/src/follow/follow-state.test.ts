import { metaKeys } from "@resumable-mcp/protocol";
import { describe, expect, it } from "vitest";
import type { ClientEvent } from "../client.js";
import type { ProgressMessage } from "../connection/link.js";
import { initialFollowState, type Step, shownPercent, takeInterim, takeLog, takeProgress } from "./follow-state.js";

const progress = (value: number, seq?: number): ProgressMessage => ({
  progress: value,
  total: 50,
  meta: seq === undefined ? {} : { [metaKeys.seq]: seq },
});

function run(...takes: ((state: Step["state"]) => Step)[]): readonly ClientEvent[] {
  const events: ClientEvent[] = [];
  takes.reduce((state, take) => {
    const step = take(state);
    events.push(...step.events);
    return step.state;
  }, initialFollowState);
  return events;
}

const values = (events: readonly ClientEvent[]) =>
  events.flatMap((event) => (event.type === "progress" ? event.progress : []));

describe("following a journal", () => {
  it("drops what was seen, in whatever order it comes again", () => {
    const events = run(
      (state) => takeProgress(state, progress(10, 2)),
      (state) => takeProgress(state, progress(20, 4)),
      (state) => takeProgress(state, progress(10, 2)),
      (state) => takeProgress(state, progress(20, 4)),
      (state) => takeLog(state, { level: "info", data: "old", meta: { [metaKeys.seq]: 3 } }),
      (state) => takeProgress(state, progress(30, 5)),
    );
    expect(values(events)).toEqual([10, 20, 30]);
    expect(events).toHaveLength(3);
  });

  it("marks progress that is lower because the task began again", () => {
    const [, restarted] = run(
      (state) => takeProgress(state, progress(40, 7)),
      (state) => takeProgress(state, progress(5, 9)),
    );
    expect(restarted).toEqual({ type: "progress", progress: 5, total: 50, percent: 10, seq: 9, restarted: true });
  });

  it("never goes back on a server without a journal", () => {
    const takes = [10, 20, 15, 20, 30].map((value) => (state: Step["state"]) => takeProgress(state, progress(value)));
    expect(values(run(...takes))).toEqual([10, 20, 30]);
  });

  it("tells a question once until it is answered, and a status when it changes", () => {
    const question = { key: "sure", message: "Sure?", schema: {}, userOnly: false };
    const asked = { status: "input_required" as const, questions: [question] };
    const running = { status: "running" as const, questions: [] };
    const events = run(
      ...[asked, asked, running, asked].map((interim) => (state: Step["state"]) => takeInterim(state, interim)),
    );
    expect(events.map(({ type }) => type)).toEqual(["status", "question", "status", "status", "question"]);
  });

  it("says 100 percent only at the end", () => {
    expect([
      shownPercent(0, 50),
      shownPercent(49.9, 50),
      shownPercent(50, 50),
      shownPercent(60, 50),
      shownPercent(1, 0),
    ]).toEqual([0, 99, 100, 100, undefined]);
  });
});
