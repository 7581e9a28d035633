import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { onStopSignal, type StopSignal } from "./stop-signals.js";

const signals: readonly StopSignal[] = ["SIGINT", "SIGTERM"];
const before = new Map(signals.map((signal) => [signal, process.listeners(signal)]));
beforeEach(() => {
  vi.useFakeTimers({ toFake: ["performance"] });
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
  for (const signal of signals) {
    for (const listener of process.listeners(signal)) {
      if (before.get(signal)?.includes(listener) !== true) process.off(signal, listener);
    }
  }
});

/** What happens at each of these signals, with so many milliseconds before it. */
function hear(...heard: readonly (readonly [afterMs: number, signal: StopSignal])[]) {
  const seen: string[] = [];
  vi.spyOn(process, "kill").mockImplementation((_pid, signal) => {
    seen.push(`ends by ${signal}`);
    return true;
  });
  onStopSignal(signals, (signal) => seen.push(`stops at ${signal}`));
  for (const [afterMs, signal] of heard) {
    vi.advanceTimersByTime(afterMs);
    process.emit(signal);
  }
  return seen;
}

test("a process stops at the first signal; those of the same request, and of another process, change nothing", () => {
  expect(hear([0, "SIGINT"], [0, "SIGINT"], [499, "SIGINT"], [10_000, "SIGTERM"])).toEqual(["stops at SIGINT"]);
});

test("the same signal again, later, ends it at once", () => {
  expect(hear([0, "SIGTERM"], [0, "SIGINT"], [500, "SIGINT"])).toEqual(["stops at SIGTERM", "ends by SIGINT"]);
});
