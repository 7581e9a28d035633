import { clauses } from "./clauses/clauses.js";
import { excuseFor, type RunOptions, runClause } from "./run-clauses.js";
import type { Clause } from "./scene.js";
import type { StoreHarness } from "./store-harness.js";

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
