import { tmpdir } from "node:os";
import { isDeepStrictEqual } from "node:util";
import { newerNode } from "../../scripts/newer-node.js";
import { runPackages } from "./program.js";

/** The suite needs Node 22 or later; the server under test runs on the Node that runs this, unless a test says otherwise. */
const packages = [newerNode, "@modelcontextprotocol/conformance@0.2.0-alpha.12"];

/** A run of the suite, with one requirement set or one scenario. */
export interface SuiteRun {
  readonly title: string;
  readonly outcomes: readonly ScenarioOutcome[];
  readonly problems: readonly string[];
  readonly output: string;
}

/** Runs all that a revision requires, and what it runs without scoring. */
export async function runRequirements(url: string, revision: string): Promise<SuiteRun> {
  const { output, exitCode } = await conformance(["--url", url, "--requirements", revision]);
  const outcomes = parseSummary(output);
  const problems = problemsOf(outcomes, unscored[revision] ?? [], exitCode);
  return { title: `requirements ${revision}`, outcomes, problems, output };
}

/** Runs one scenario. */
export async function runScenario(url: string, scenario: string): Promise<SuiteRun> {
  const { output, exitCode } = await conformance(["--url", url, "--scenario", scenario]);
  const outcomes = parseSingle(scenario, output);
  return { title: `scenario ${scenario}`, outcomes, problems: problemsOf(outcomes, [scenario], exitCode), output };
}

async function conformance(args: readonly string[]): Promise<{ readonly output: string; readonly exitCode: number }> {
  // The suite writes its results into the working directory.
  const run = await runPackages(packages, ["conformance", "server", ...args], { cwd: tmpdir() });
  return { output: run.stdout + run.stderr, exitCode: run.exitCode };
}

/** Collects what a demonstration shows, as the checks of one scenario. */
export class Demonstration {
  readonly #title: string;
  readonly #problems: string[] = [];
  readonly #output: string[] = [];
  #passed = 0;

  constructor(title: string) {
    this.#title = title;
  }

  /** Checks that what came is what is expected. */
  equal(check: string, actual: unknown, expected: unknown): void {
    this.holds(check, isDeepStrictEqual(actual, expected), actual);
  }

  /** Checks that something holds of what came. */
  holds(check: string, passed: boolean, actual: unknown): void {
    this.#output.push(`${passed ? "ok  " : "FAIL"} ${check}`);
    if (passed) this.#passed += 1;
    else this.#problems.push(`${check}: ${JSON.stringify(actual)}`);
  }

  /** Runs a demonstration to its end, or to what it threw. */
  async run(steps: () => Promise<void>): Promise<SuiteRun> {
    await steps().catch((error: unknown) => this.holds("comes to its end", false, String(error)));
    const problems = this.#problems;
    const outcome = { scenario: this.#title, passed: this.#passed, failed: problems.length };
    return { title: this.#title, outcomes: [outcome], problems, output: this.#output.join("\n") };
  }
}

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
