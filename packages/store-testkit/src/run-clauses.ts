import { clauses } from "./clauses/clauses.js";
import { inTime } from "./expect.js";
import { type Clause, type HarnessAbility, openScene, type StoreHarness } from "./scene.js";

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
      const { clauseTimeoutMs = 30_000 } = options;
      const tooLate = `The clause took longer than clauseTimeoutMs = ${clauseTimeoutMs}.`;
      await inTime(clause.check(scene), clauseTimeoutMs, tooLate);
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

/** What the kit needs of a test runner; Vitest, Jest and `node:test` have it. */
export interface TestRunner {
  readonly describe: (name: string, body: () => void) => unknown;
  readonly test: ((name: string, body: () => Promise<void>) => unknown) & {
    readonly skip: (name: string, body: () => Promise<void>) => unknown;
  };
}

/**
 * Registers every clause of the store contract as a test. Clauses for which the harness has no means are registered
 * as skipped, and say what is missing.
 *
 * @example
 * ```ts
 * import { describe, test } from "vitest";
 *
 * describeStore({ describe, test }, { open: async () => createMyStore() });
 * ```
 */
export function describeStore(runner: TestRunner, harness: StoreHarness, options: RunOptions = {}): void {
  for (const [group, members] of groups()) {
    runner.describe(group, () => {
      for (const clause of members) registerClause(runner, clause, harness, options);
    });
  }
}

function registerClause(runner: TestRunner, clause: Clause, harness: StoreHarness, options: RunOptions): void {
  const name = `${clause.id} ${clause.title}`;
  const excuse = excuseFor(clause, harness);
  const body = async () => {
    const result = await runClause(clause, harness, options);
    if (result.outcome === "failed") throw result.error;
  };
  if (excuse === undefined) runner.test(name, body);
  else runner.test.skip(`${name} (excused: the harness has no ${excuse})`, body);
}

function groups(): Map<string, Clause[]> {
  const byGroup = new Map<string, Clause[]>();
  for (const clause of clauses) {
    const group = clause.id.replace(/-\d+$/, "");
    byGroup.set(group, [...(byGroup.get(group) ?? []), clause]);
  }
  return byGroup;
}
