import { describe, expect, it } from "vitest";
import {
  type ConnectionEvent,
  type ConnectionState,
  initialConnectionState,
  reconnectDelayMs,
  reduceConnection,
} from "./connection-state.js";

const limits = {
  firstConnectAttempts: 2,
  reconnectAttempts: 3,
  reconnectInitialDelayMs: 100,
  reconnectMaxDelayMs: 1_000,
};
const broke: ConnectionEvent = { type: "broke", reason: "connection refused", jitter: 0 };
const after = (...events: ConnectionEvent[]): ConnectionState =>
  events.reduce((state, event) => reduceConnection(state, event, limits), initialConnectionState);

describe("a connection", () => {
  it("waits between attempts and is down after the last", () => {
    expect(after({ type: "wanted" }, broke)).toEqual({
      name: "waiting",
      known: false,
      attempt: 1,
      nextDelayMs: 200,
      reason: "connection refused",
    });
    expect(after({ type: "wanted" }, broke, { type: "elapsed" }, broke)).toEqual({
      name: "down",
      known: false,
      reason: "connection refused",
    });
  });

  it("connects again when it is wanted after it was down", () => {
    const down = after({ type: "wanted" }, { type: "refused", reason: "HTTP 404" });
    expect(reduceConnection(down, { type: "wanted" }, limits)).toEqual({
      name: "connecting",
      known: false,
      attempt: 1,
    });
  });

  it("gives a server that was there before more attempts", () => {
    const state = after({ type: "wanted" }, { type: "opened" }, { type: "proved" }, broke, { type: "elapsed" }, broke);
    expect(state).toMatchObject({ name: "waiting", known: true, attempt: 1 });
  });

  it("continues to count while a server accepts and breaks at once", () => {
    const once: ConnectionEvent[] = [{ type: "opened" }, broke, { type: "elapsed" }];
    expect(after({ type: "wanted" }, ...once, ...once, { type: "opened" }, broke)).toMatchObject({ name: "down" });
  });

  it("stays closed", () => {
    expect(after({ type: "closed" }, { type: "wanted" }, { type: "opened" })).toEqual({ name: "closed", known: false });
  });

  it("ignores a break that another request has reported already", () => {
    const waiting = after({ type: "wanted" }, broke);
    expect(reduceConnection(waiting, broke, limits)).toBe(waiting);
  });

  it("backs off up to the limit, less at random", () => {
    expect([1, 2, 3, 4, 1_000].map((attempt) => reconnectDelayMs(attempt, 0, limits))).toEqual([
      200, 400, 800, 1_000, 1_000,
    ]);
    expect(reconnectDelayMs(1_000, 1, limits)).toBe(500);
  });
});
