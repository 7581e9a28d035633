import { describe, expect, test } from "vitest";
import { runClauses } from "../src/run-clauses.js";
import { memoryHarness } from "./memory-harness.js";
import { forgetfulMutants } from "./mutants/forgetful-mutants.js";
import type { Mutant } from "./mutants/mutant.js";
import { otherMutants } from "./mutants/other-mutants.js";
import { quotaMutants } from "./mutants/quota-mutants.js";
import { readingMutants } from "./mutants/reading-mutants.js";
import { writingMutants } from "./mutants/writing-mutants.js";

const seed = 1;
const mutants = [...writingMutants, ...readingMutants, ...otherMutants, ...forgetfulMutants, ...quotaMutants];

async function killersOf(mutant: Mutant): Promise<readonly string[]> {
  const harness = memoryHarness((store) => ({ ...store, ...mutant.mutate(store) }));
  const results = await runClauses(harness, { seed, clauseTimeoutMs: 2_000 });
  return results.filter(({ outcome }) => outcome === "failed").map(({ id }) => id);
}

describe("a store that", () => {
  test.for(mutants)("$name is found by $killedBy", async (mutant) => {
    const killers = await killersOf(mutant);
    console.info(`${mutant.killedBy.padEnd(10)} ${mutant.name}; found by ${killers.join(" ")}`);
    expect(killers).toContain(mutant.killedBy);
  });
});
