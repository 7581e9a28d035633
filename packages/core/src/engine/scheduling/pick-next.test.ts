import { describe, expect, it } from "vitest";
import { mustYield, pickNext, type QueuedTask, type RunningTask, type TurnLimits, type TurnTask } from "./pick-next.js";

const limits = {
  maxRunning: 4,
  maxRunningPerOwner: 2,
  reservedRunning: 4,
  maxRunningOf: () => Number.POSITIVE_INFINITY,
  trialMs: 1_000,
  crashBackoffMs: 100,
};
const queued = (id: string, owner = "a", more: Partial<QueuedTask> = {}): QueuedTask => ({
  id,
  owner,
  tool: "x",
  crashes: 0,
  queuedAtMs: 0,
  runsElsewhere: false,
  ...more,
});
const running = (owner: string, more: Partial<RunningTask> = {}): RunningTask => ({
  owner,
  tool: "x",
  crashes: 0,
  progressed: false,
  waiting: false,
  startedAtMs: 0,
  ...more,
});
const idOf = (...parameters: Parameters<typeof pickNext>) => pickNext(...parameters)?.id;

describe("pickNext", () => {
  it("takes the longest waiting task of the owner that has the fewest running", () => {
    const queue = [queued("a1", "a"), queued("b1", "b"), queued("b2", "b"), queued("c1", "c")];
    expect(idOf(queue, [running("a"), running("b")], limits, 0)).toBe("c1");
    expect(idOf(queue, [running("a"), running("c")], limits, 0)).toBe("b1");
    expect(idOf([], [], limits, 0)).toBeUndefined();
  });

  it("keeps the limits of process, owner and tool", () => {
    const four = [running("b"), running("b"), running("c"), running("c")];
    expect(idOf([queued("a1")], four, limits, 0)).toBeUndefined();
    expect(idOf([queued("a1")], [running("a"), running("a")], limits, 0)).toBeUndefined();
    const oneOfX = { ...limits, maxRunningOf: (tool: string) => (tool === "x" ? 1 : 9) };
    const queue = [queued("a1"), queued("a2", "a", { tool: "y" })];
    expect(idOf(queue, [running("b")], oneOfX, 0)).toBe("a2");
  });

  it("keeps the last slots for owners that run nothing, unless one owner may take all", () => {
    const wide = { ...limits, maxRunning: 16, maxRunningPerOwner: 8 };
    const queue = [queued("a1", "a"), queued("c1", "c")];
    const busy = (count: number) => Array.from({ length: count }, (_, index) => running(index % 2 === 0 ? "a" : "b"));
    expect([13, 14, 15, 16].map((count) => idOf([queued("a1")], busy(count), wide, 0))).toEqual([
      "a1",
      undefined,
      undefined,
      undefined,
    ]);
    expect([14, 15, 16].map((count) => idOf(queue, busy(count), wide, 0))).toEqual(["c1", "c1", undefined]);
    expect(idOf([queued("a1")], busy(15), { ...wide, maxRunningPerOwner: 16 }, 0)).toBe("a1");
    expect(idOf([queued("b1", "b")], busy(15), { ...wide, reservedRunning: 0 }, 0)).toBe("b1");
  });

  it("lets a suspect wait for the trial of another, and no other task for either", () => {
    const suspect = queued("s", "a", { crashes: 4 });
    const trial = running("b", { crashes: 4 });
    expect(idOf([suspect], [running("b", { progressed: true })], limits, 0)).toBe("s");
    expect(idOf([suspect], [trial], limits, 0)).toBeUndefined();
    expect(idOf([suspect, queued("c1", "c")], [trial], limits, 0)).toBe("c1");
    expect(idOf([suspect], [trial], limits, 64_000)).toBe("s");
  });

  it("counts what waits in place for the limit of its tool alone", () => {
    const waiting = Array.from({ length: 9 }, () => running("a", { waiting: true }));
    expect(idOf([queued("a1")], waiting, limits, 0)).toBe("a1");
    expect(idOf([queued("a1")], waiting, { ...limits, maxRunningOf: () => 9 }, 0)).toBeUndefined();
  });
});

describe("mustYield", () => {
  const turn: TurnLimits = { ...limits, maxRunning: 2, slotTurnMs: 60_000 };
  const slot = (owner: string, more: Partial<TurnTask> = {}): TurnTask => ({
    ...running(owner),
    yielding: false,
    ...more,
  });
  const yields = (queue: readonly QueuedTask[], slots: readonly TurnTask[], others: Partial<TurnLimits> = {}) =>
    mustYield(slots[0] ?? slot("a"), queue, slots, { ...turn, ...others }, 60_000);

  it("takes a slot from a task that had its turn, for an owner that runs nothing", () => {
    const full = [slot("a"), slot("b")];
    expect(yields([queued("c1", "c")], full)).toBe(true);
    expect(yields([], full)).toBe(false);
    expect(yields([queued("a2", "a"), queued("b2", "b")], full)).toBe(false);
    expect(yields([queued("c1", "c")], [slot("a", { startedAtMs: 1 }), slot("b")])).toBe(false);
    expect(yields([queued("c1", "c")], full, { slotTurnMs: Number.POSITIVE_INFINITY })).toBe(false);
  });

  it("takes one slot for each of these owners", () => {
    const yielding = [slot("a"), slot("b", { yielding: true })];
    expect(yields([queued("c1", "c"), queued("c2", "c")], yielding)).toBe(false);
    expect(yields([queued("c1", "c"), queued("d1", "d")], yielding)).toBe(true);
  });

  it("takes none that the waiting task could not use", () => {
    const oneOfY = { maxRunningOf: (tool: string) => (tool === "y" ? 1 : 9) };
    const waits = [queued("c1", "c", { tool: "y" })];
    expect(yields(waits, [slot("a"), slot("b", { tool: "y" })], oneOfY)).toBe(false);
    expect(yields(waits, [slot("b", { tool: "y" }), slot("a")], oneOfY)).toBe(true);
  });
});
