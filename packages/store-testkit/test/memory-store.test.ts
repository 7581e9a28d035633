import { describe, expect, test } from "vitest";
import { memoryHarness } from "../src/memory-harness.js";
import { describeStore, runClauses } from "../src/run-clauses.js";

describe("the store in memory", () => {
  describeStore(
    { describe, test },
    memoryHarness((store) => store),
  );
});

test("the store in memory keeps every clause when it compacts early", async () => {
  const results = await runClauses(memoryHarness((store) => store, { maxEvents: 100 }));
  expect(results.filter(({ outcome }) => outcome !== "passed")).toEqual([]);
});

test("the store in memory is like the model in many random sequences", async () => {
  for (let seed = 1; seed <= 40; seed++) {
    const results = await runClauses(
      memoryHarness((store) => store),
      { only: ["RANDOM-1", "RANDOM-2"], seed },
    );
    expect(results.filter(({ outcome }) => outcome !== "passed")).toEqual([]);
  }
});
