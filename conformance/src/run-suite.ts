import { spawn } from "node:child_process";
import { tmpdir } from "node:os";
import { isDeepStrictEqual } from "node:util";
import { newerNode } from "../../scripts/newer-node.js";
import { parseSingle, parseSummary, problemsOf, type ScenarioOutcome, unscored } from "./scenario-outcome.js";

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

function conformance(args: readonly string[]): Promise<{ readonly output: string; readonly exitCode: number }> {
  const from = packages.flatMap((name) => ["--package", name]);
  return new Promise((resolve, reject) => {
    // The suite writes its results into the working directory.
    const suite = spawn("npx", ["--yes", "--prefer-offline", ...from, "--", "conformance", "server", ...args], {
      cwd: tmpdir(),
    });
    let output = "";
    const read = (chunk: Buffer) => {
      output += chunk.toString();
    };
    suite.stdout.on("data", read);
    suite.stderr.on("data", read);
    suite.once("error", reject);
    suite.once("close", (code) => resolve({ output, exitCode: code ?? 1 }));
  });
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
