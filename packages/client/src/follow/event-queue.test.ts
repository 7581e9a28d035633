import { describe, expect, it } from "vitest";
import type { ClientEvent } from "../client.js";
import { drain, emptyEventQueue, enqueue } from "./follower.js";

const progress = (value: number): ClientEvent => ({ type: "progress", progress: value });
const log = (data: string): ClientEvent => ({ type: "log", level: "info", data });
const fill = (events: readonly ClientEvent[], limit: number) =>
  drain(events.reduce((queue, event) => enqueue(queue, event, limit), emptyEventQueue));

describe("a reader's queue", () => {
  it("keeps everything within its limit", () => {
    expect(fill([progress(1), log("a")], 2)).toEqual([progress(1), log("a")]);
  });

  it("lets newer progress replace older before it loses a log message", () => {
    expect(fill([progress(1), log("a"), progress(2)], 2)).toEqual([log("a"), progress(2)]);
  });

  it("counts the log messages that it had to drop", () => {
    expect(fill([log("a"), log("b"), log("c"), log("d")], 2)).toEqual([
      { type: "dropped", count: 2 },
      log("c"),
      log("d"),
    ]);
  });

  it("never drops a question or a status", () => {
    const status: ClientEvent = { type: "status", status: "paused" };
    expect(fill([status, status, status], 2)).toEqual([status, status, status]);
  });
});
