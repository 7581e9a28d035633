import type { Engine } from "@resumable-mcp/core";
import { expect, test } from "vitest";
import type { Call2026 } from "./call-2026.js";
import { untilDrained } from "./until-drained.js";

/** Calls of one engine, of which nothing but the signals is looked at. */
function calls(count: number) {
  const drain = new AbortController();
  const requests = Array.from({ length: count }, () => new AbortController());
  const engine = { drainSignal: drain.signal } as Engine;
  return { drain, requests, given: requests.map(({ signal }) => ({ engine, signal }) as Call2026) };
}

/** Runs a call until `end`, and shows its signal. */
function run(call: Call2026 | undefined) {
  if (call === undefined) throw new Error("The call was not found.");
  let end = () => {};
  let signal = new AbortController().signal;
  const over = untilDrained(call, (during) => {
    signal = during.signal;
    return new Promise<void>((resolve) => {
      end = resolve;
    });
  });
  return {
    signal,
    finish: () => {
      end();
      return over;
    },
  };
}

test("ends the calls that wait when the engine drains, and none that was answered before", async () => {
  const { drain, given } = calls(2);
  const [answered, waits] = [run(given[0]), run(given[1])];
  await answered.finish();
  drain.abort();
  expect([answered.signal.aborted, waits.signal.aborted]).toEqual([false, true]);
  expect(run(given[0]).signal.aborted).toBe(true);
});

test("ends a call alone when its request is cancelled", () => {
  const { requests, given } = calls(2);
  const [cancelled, other] = [run(given[0]), run(given[1])];
  requests[0]?.abort();
  expect([cancelled.signal.aborted, other.signal.aborted]).toEqual([true, false]);
});
