import { describe, expect, it } from "vitest";
import { textWidth } from "./plain-text.js";
import { progressBar, progressLine } from "./progress-line.js";
import { statusMark, statusWord } from "./task-status.js";

describe("a progress line", () => {
  const facts = {
    name: "count",
    progress: 15,
    total: 50,
    percent: 30,
    message: "Processed 15/50 records",
    elapsedMs: 12_345,
  };

  it("says name, bar, percent, numbers, message and time", () => {
    expect(progressLine(facts, 160)).toBe("count ██████░░░░░░░░░░░░░░ 30% (15/50) Processed 15/50 records 12s");
  });

  it("cuts the message first, and never exceeds its columns", () => {
    expect(progressLine(facts, 50)).toBe("count ██░░░░ 30% (15/50) Processed 15/50 rec… 12s");
    for (const columns of [10, 20, 30, 40, 60, 80])
      expect(textWidth(progressLine(facts, columns))).toBeLessThanOrEqual(columns);
  });

  it("does without a total", () => {
    expect(progressLine({ name: "count", progress: 3 }, 80)).toBe("count ···▒▒▒···· (3)");
  });

  it("moves back and forth where no end is known, and stands where nothing moves", () => {
    expect([0, 1, 7, 8, 14].map((phase) => progressBar(undefined, 10, phase))).toEqual([
      "▒▒▒·······",
      "·▒▒▒······",
      "·······▒▒▒",
      "······▒▒▒·",
      "▒▒▒·······",
    ]);
    expect([progressBar(undefined, 4), progressBar(undefined, 2, 5)]).toEqual(["····", "▒▒"]);
  });

  it("draws an empty and a full bar", () => {
    expect([progressBar(0, 4), progressBar(100, 4), progressBar(250, 4)]).toEqual(["░░░░", "████", "████"]);
  });
});

describe("a status", () => {
  it("has a mark of its own that needs no colour", () => {
    const all = ["pending", "running", "paused", "input_required", "completed", "failed", "cancelled"] as const;
    expect(new Set(all.map((status) => statusMark(status))).size).toBe(7);
  });

  it("says that a task was interrupted, unless it is over", () => {
    expect([statusWord("running", true), statusWord("completed", true)]).toEqual(["interrupted", "completed"]);
  });
});
