import { isResumableError } from "@resumable-mcp/core";
import { afterAll, describe, expect, test } from "vitest";
import { clauses } from "../src/clauses/clauses.js";
import { ClauseBroken } from "../src/expect.js";
import { memoryHarness } from "../src/memory-harness.js";
import { type ClauseResult, runClauses } from "../src/run-clauses.js";
import type { StoreHarness } from "../src/scene.js";
import type { Mutant } from "./mutants/mutant.js";
import { mutants } from "./mutants/mutants.js";

/** Which random sequences meet a rare defect is chance: these meet those of both random clauses. */
const seed = 20;
/** A store that is broken may keep a caller waiting without end. */
const clauseTimeoutMs = 1_000;
/** These take as long as all others together: a store is run against them only when it is meant for them. */
const longClauses: ReadonlySet<string> = new Set(["VALUE-7", "VALUE-8", "ORDER-5", "RUN-4", "RANDOM-1", "RANDOM-2"]);
const shortClauses = clauses.map(({ id }) => id).filter((id) => !longClauses.has(id));
const found = new Map<Mutant, readonly string[]>();

function harnessOf(mutant: Mutant): StoreHarness {
  const { maxEvents } = mutant;
  const options = maxEvents === undefined ? {} : { maxEvents };
  const harness = memoryHarness((store) => ({ ...store, ...mutant.mutate(store) }), options);
  for (const ability of mutant.lacks ?? []) delete harness[ability];
  return harness;
}

/** What the clause that is meant for a broken store says of it. */
async function verdictOf(mutant: Mutant): Promise<string> {
  const options = { seed, only: [mutant.killedBy], ...(mutant.silent && { clauseTimeoutMs }) };
  const [result] = await runClauses(harnessOf(mutant), options);
  return result === undefined ? "there is no such clause" : describeResult(result);
}

/** A clause that fails by an accident, and not by what it expects of a store or hears from it, has found nothing. */
function describeResult(result: ClauseResult): string {
  if (result.outcome !== "failed") return result.outcome;
  const { error } = result;
  if (!(error instanceof ClauseBroken || isResumableError(error))) return String(error);
  return /clauseTimeoutMs|notificationTimeoutMs/.test(error.message) ? "waited without end" : "found";
}

/** Which of the short clauses find a broken store: for the table. */
async function findersOf(mutant: Mutant): Promise<readonly string[]> {
  const only = shortClauses.filter((id) => id !== mutant.killedBy);
  const results = await runClauses(harnessOf(mutant), { seed, only, clauseTimeoutMs });
  return results.filter((result) => describeResult(result) === "found").map(({ id }) => id);
}

describe("a store that", () => {
  test.for(mutants.filter(({ silent }) => !silent))("$name is found by $killedBy", async (mutant) => {
    expect(await verdictOf(mutant)).toBe("found");
    found.set(mutant, await findersOf(mutant));
  });
});

// All at the same time, and only against the clause that is meant: each of them keeps a caller waiting.
describe.concurrent("a store that", () => {
  test.for(mutants.filter(({ silent }) => silent))("$name is found by $killedBy", async (mutant, { expect }) => {
    expect(await verdictOf(mutant)).toBe("waited without end");
    found.set(mutant, []);
  });
});

test("every clause is meant for at least one broken store, and every broken store for a clause", () => {
  const meant = new Set(mutants.map(({ killedBy }) => killedBy));
  expect([...meant].sort()).toEqual(clauses.map(({ id }) => id).sort());
});

test("every broken store has a name of its own", () => {
  expect(new Set(mutants.map(({ name }) => name)).size).toBe(mutants.length);
});

afterAll(() => {
  const rows = mutants.map((mutant) => {
    const finders = found.get(mutant);
    return `| ${mutant.killedBy} | ${finders ? "found" : "MISSED"} | ${mutant.name} | ${(finders ?? []).join(" ")} |`;
  });
  const table = ["| Meant for | | A store that … | Also found by |", "|---|---|---|---|", ...rows].join("\n");
  console.info(
    `${table}\n${found.size} of ${mutants.length} broken stores are found by the clause that is meant for them`,
  );
});
