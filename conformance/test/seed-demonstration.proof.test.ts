import { expect, test } from "vitest";
import { runSeedDemonstration } from "../src/seed/seed-demonstration.js";

/** A check that does not run any more would pass in silence. */
const checks = 23;

test("the walkthrough's client and its demonstration: killed at 15 of 50 on both sides, one task at 30 %, the same choice ends with each record once (features 11 to 30)", async () => {
  const { problems, outcomes, output } = await runSeedDemonstration();
  expect(problems, output).toEqual([]);
  expect(outcomes.map(({ passed }) => passed)).toEqual([checks]);
});
