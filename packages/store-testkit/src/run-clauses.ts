import { clauses } from "./clauses/clauses.js";
import { ClauseBroken } from "./expect.js";
import { type Clause, openScene } from "./scene.js";
import type { HarnessAbility, StoreHarness } from "./store-harness.js";

/** What became of one clause. */
export type ClauseResult = { readonly id: string; readonly title: string } & (
  | { readonly outcome: "passed" }
  | { readonly outcome: "failed"; readonly error: unknown }
  | { readonly outcome: "excused"; readonly ability: HarnessAbility }
);

/** How to run the kit. */
export interface RunOptions {
  /** Ids of the clauses to run. Default: all. */
  readonly only?: readonly string[];
  /** Where random sequences begin; failures name it, so that they can be repeated. Default: a new one each time. */
  readonly seed?: number;
  /** A clause that takes longer has failed: a store that never answers is broken, too. Default 30000. */
  readonly clauseTimeoutMs?: number;
}

/** Runs the clauses one after another, without a test runner, and reports on each. Never rejects for a broken store. */
export async function runClauses(harness: StoreHarness, options: RunOptions = {}): Promise<readonly ClauseResult[]> {
  const chosen = clauses.filter(({ id }) => options.only === undefined || options.only.includes(id));
  const results: ClauseResult[] = [];
  for (const clause of chosen) results.push(await runClause(clause, harness, options));
  return results;
}

/** Runs one clause on a store of its own. */
export async function runClause(
  clause: Clause,
  harness: StoreHarness,
  options: RunOptions = {},
): Promise<ClauseResult> {
  const { id, title } = clause;
  const excuse = excuseFor(clause, harness);
  if (excuse !== undefined) return { id, title, outcome: "excused", ability: excuse };
  try {
    const { scene, end } = await openScene(harness, options.seed ?? newSeed());
    try {
      await within(clause.check(scene), options.clauseTimeoutMs ?? 30_000);
    } finally {
      await end();
    }
    return { id, title, outcome: "passed" };
  } catch (error) {
    return { id, title, outcome: "failed", error };
  }
}

/** The ability that a clause needs and a harness does not have. */
export function excuseFor(clause: Clause, harness: StoreHarness): HarnessAbility | undefined {
  return clause.needs !== undefined && harness[clause.needs] === undefined ? clause.needs : undefined;
}

function newSeed(): number {
  return Math.floor(Math.random() * 2 ** 31);
}

async function within(action: Promise<void>, clauseTimeoutMs: number): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const tooLate = new Promise<never>((_, reject) => {
    const late = () => reject(new ClauseBroken(`The clause took longer than clauseTimeoutMs = ${clauseTimeoutMs}.`));
    timer = setTimeout(late, clauseTimeoutMs);
  });
  try {
    await Promise.race([action, tooLate]);
  } finally {
    clearTimeout(timer);
  }
}
