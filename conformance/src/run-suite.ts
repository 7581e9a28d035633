import { spawn } from "node:child_process";
import { tmpdir } from "node:os";
import { newerNode } from "../../scripts/newer-node.js";
import { parseSingle, parseSummary, problemsOf, type ScenarioOutcome, unscored } from "./scenario-outcome.js";

/** The suite needs Node 22 or later; the server under test runs on the Node that runs this, unless it is told otherwise. */
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
