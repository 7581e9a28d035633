import { stat } from "node:fs/promises";
import { expect, it, onTestFinished, vi } from "vitest";
import { inTime, startTimeLimit } from "./time-limit.js";

const ms = 50;
const late = () => "late";

/** The whole process stands still, as one that was stopped, or whose machine slept. */
function standStill(): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 3 * ms);
}

it("takes for in time what came while the process stood still", async () => {
  // It is there before the process runs again, and is read after its timers.
  const read = stat(".").then((stats) => stats.isDirectory());
  const answer = inTime(read, ms, late);
  standStill();
  expect(await answer).toBe(true);
});

it("ends at its time where the process runs, and gives a failure as it is", async () => {
  expect(await inTime(new Promise(() => undefined), ms, late)).toBe("late");
  await expect(inTime(Promise.reject(new Error("no")), ms, late)).rejects.toThrow("no");
});

it("lets the process stand still once for each of its parts but the last", () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  const onOver = vi.fn();
  startTimeLimit(ms, onOver);
  // Each pause finds one timer over, however long it takes.
  const calls = [1, 2, 3, 4, 5].map(() => {
    vi.runOnlyPendingTimers();
    return onOver.mock.calls.length;
  });
  expect(calls).toEqual([0, 0, 0, 0, 1]);
});
