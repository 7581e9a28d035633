import { afterAll, describe, expect, test } from "vitest";
import { clauses } from "../src/clauses/clauses.js";
import { runClauses } from "../src/run-clauses.js";
import { memoryHarness } from "./memory-harness.js";
import { forgetfulMutants } from "./mutants/forgetful-mutants.js";
import type { Mutant } from "./mutants/mutant.js";
import { otherMutants } from "./mutants/other-mutants.js";
import { quotaMutants } from "./mutants/quota-mutants.js";
import { readingMutants } from "./mutants/reading-mutants.js";
import { writingMutants } from "./mutants/writing-mutants.js";

const seed = 1;
/** A store that is broken may keep several clauses waiting for as long as they may take. */
const timeoutMs = 60_000;
const mutants = [...writingMutants, ...readingMutants, ...otherMutants, ...forgetfulMutants, ...quotaMutants];
const found = new Map<Mutant, readonly string[]>();

async function killersOf(mutant: Mutant): Promise<readonly string[]> {
  const harness = memoryHarness((store) => ({ ...store, ...mutant.mutate(store) }));
  const results = await runClauses(harness, { seed, clauseTimeoutMs: 2_000 });
  return results.filter(({ outcome }) => outcome === "failed").map(({ id }) => id);
}

describe("a store that", () => {
  test.for(mutants)("$name is found by $killedBy", { timeout: timeoutMs }, async (mutant) => {
    const killers = await killersOf(mutant);
    found.set(mutant, killers);
    expect(killers).toContain(mutant.killedBy);
  });
});

test("every broken store is meant for a clause of the contract, and has a name of its own", () => {
  const ids = new Set(clauses.map(({ id }) => id));
  expect(mutants.filter(({ killedBy }) => !ids.has(killedBy))).toEqual([]);
  expect(new Set(mutants.map(({ name }) => name)).size).toBe(mutants.length);
});

afterAll(() => {
  const rows = mutants.map((mutant) => {
    const killers = found.get(mutant) ?? [];
    const others = killers.filter((id) => id !== mutant.killedBy);
    const own = killers.includes(mutant.killedBy) ? "found" : "MISSED";
    return `| ${mutant.killedBy} | ${own} | ${mutant.name} | ${others.join(" ")} |`;
  });
  const caught = mutants.filter((mutant) => found.get(mutant)?.includes(mutant.killedBy)).length;
  const table = ["| Meant for | | A store that … | Also found by |", "|---|---|---|---|", ...rows].join("\n");
  console.info(`${table}\n${caught} of ${mutants.length} broken stores are found by the clause that is meant for them`);
});
