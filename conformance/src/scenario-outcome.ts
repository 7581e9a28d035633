/** What one scenario came to. */
export interface ScenarioOutcome {
  readonly scenario: string;
  readonly passed: number;
  readonly failed: number;
}

/** Scenarios that have to be there, in addition to what a requirement set names: those that it does not score. */
export const unscored: Readonly<Record<string, readonly string[]>> = {
  "2025-11-25": ["server-session-lifecycle", "server-sse-polling"],
  "2026-07-28": [
    "tasks-lifecycle",
    "tasks-capability-negotiation",
    "tasks-wire-fields",
    "tasks-request-state-removal",
    "tasks-mrtr-input",
    "tasks-request-headers",
    "tasks-dispatch-and-envelope",
    "tasks-status-notifications",
    "tasks-required-task-error",
    "tasks-mrtr-composition",
    "http-header-validation",
    "http-custom-header-server-validation",
  ],
};

/** Reads the outcomes out of what the suite prints for a set of scenarios. */
export function parseSummary(output: string): readonly ScenarioOutcome[] {
  return [...output.matchAll(/^\S+ ([a-z0-9-]+): (\d+) passed, (\d+) failed/gm)].map(
    ([, scenario = "", passed, failed]) => ({
      scenario,
      passed: Number(passed),
      failed: Number(failed),
    }),
  );
}

/** Reads the outcome out of what the suite prints for one scenario. */
export function parseSingle(scenario: string, output: string): readonly ScenarioOutcome[] {
  const found = /^Passed: (\d+)\/\d+, (\d+) failed/m.exec(output);
  return found === null ? [] : [{ scenario, passed: Number(found[1]), failed: Number(found[2]) }];
}

/**
 * Says what is wrong with a run; nothing when it is good.
 *
 * The suite counts checks that never ran as passed and exits with 0 for scenarios that it does not score, so each
 * scenario is judged by itself, and those that are expected have to be there.
 */
export function problemsOf(
  outcomes: readonly ScenarioOutcome[],
  expected: readonly string[],
  exitCode: number,
): readonly string[] {
  const failed = outcomes
    .filter(({ failed }) => failed > 0)
    .map(({ scenario, failed }) => `${scenario}: ${failed} failed`);
  const missing = expected.filter((name) => !outcomes.some(({ scenario }) => scenario === name));
  return [
    ...failed,
    ...missing.map((name) => `${name}: did not run`),
    ...(outcomes.length === 0 ? ["no scenario ran"] : []),
    ...(exitCode === 0 ? [] : [`the suite exited with ${exitCode}`]),
  ];
}
