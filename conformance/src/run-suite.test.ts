import { expect, test } from "vitest";
import { parseSingle, parseSummary, problemsOf } from "./run-suite.js";

test("reads a summary", () => {
  const output =
    "=== SUMMARY ===\n✓ ping: 2 passed, 0 failed\n✗ tools-list: 1 passed, 3 failed\n\nTotal: 3 passed, 3 failed\n";
  expect(parseSummary(output)).toEqual([
    { scenario: "ping", passed: 2, failed: 0 },
    { scenario: "tools-list", passed: 1, failed: 3 },
  ]);
});

test("reads the result of a single scenario", () => {
  expect(parseSingle("ping", "Test Results:\nPassed: 4/5, 1 failed, 0 warnings\n")).toEqual([
    { scenario: "ping", passed: 4, failed: 1 },
  ]);
  expect(parseSingle("ping", "It broke.")).toEqual([]);
});

test("a run is good only when every expected scenario ran and nothing failed", () => {
  const good = { scenario: "ping", passed: 2, failed: 0 };
  expect(problemsOf([good], ["ping"], 0)).toEqual([]);
  expect(problemsOf([good, { ...good, scenario: "caching", failed: 1 }], ["tasks-lifecycle"], 1)).toEqual([
    "caching: 1 failed",
    "tasks-lifecycle: did not run",
    "the suite exited with 1",
  ]);
  expect(problemsOf([], [], 0)).toEqual(["no scenario ran"]);
});
