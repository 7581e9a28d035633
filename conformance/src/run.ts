import { rm } from "node:fs/promises";
import { checkCommand, checkpointUsage } from "./checkpoint/command.js";
import { createProject, openProject } from "./packed-project.js";
import { runPostmanCollection } from "./postman/run-collection.js";
import { runRequirements, runScenario, type SuiteRun, unscored } from "./run-suite.js";
import { runOwnToolDemonstration } from "./seed/own-tool.js";
import { runSeedDemonstration } from "./seed/seed-demonstration.js";
import { spawnServer } from "./servers.js";

const usage = `Usage: npm run conformance -- [--help]

Runs the official conformance suite of MCP and the demonstrations against a server, and prints the outcomes.

  --help  print this text

${checkpointUsage}`;

/**
 * Runs the suite against a fresh server, then the demonstrations of the walkthroughs, and prints what each scenario came
 * to; exits with 1 on any failure.
 */
async function main(): Promise<void> {
  const server = await spawnServer("--port", "0");
  const runs: SuiteRun[] = [];
  try {
    for (const revision of Object.keys(unscored)) runs.push(await runRequirements(server.url, revision));
    for (const scenario of Object.values(unscored).flat()) runs.push(await runScenario(server.url, scenario));
  } finally {
    await server.stop();
  }
  for (const demonstrate of [runSeedDemonstration, runOwnToolOfUsers, runPostmanCollection])
    runs.push(await demonstrate());
  for (const run of runs) print(run);
  const outcomes = runs.flatMap((run) => run.outcomes);
  const problems = runs.flatMap((run) => run.problems);
  const passed = outcomes.reduce((sum, outcome) => sum + outcome.passed, 0);
  const failed = outcomes.reduce((sum, outcome) => sum + outcome.failed, 0);
  console.log(`\n${outcomes.length} scenarios, ${passed} checks passed, ${failed} failed`);
  process.exitCode = problems.length === 0 ? 0 : 1;
}

async function runOwnToolOfUsers(): Promise<SuiteRun> {
  const directory = await createProject();
  try {
    return await runOwnToolDemonstration(openProject(directory));
  } finally {
    await rm(directory, { recursive: true, force: true, maxRetries: 3 });
  }
}

function print({ title, outcomes, problems, output }: SuiteRun): void {
  const checks = outcomes.reduce((sum, { passed }) => sum + passed, 0);
  console.log(`\n${title}: ${outcomes.length} scenarios, ${checks} checks passed`);
  for (const { scenario, passed, failed } of outcomes) {
    console.log(`  ${failed === 0 ? "ok  " : "FAIL"} ${scenario}: ${passed} passed, ${failed} failed`);
  }
  if (problems.length > 0) console.log(`${output}\nProblems:\n  ${problems.join("\n  ")}`);
}

const [subject, ...words] = process.argv.slice(2);
if (subject === "checkpoint") await checkCommand(words);
else if (process.argv.includes("--help")) console.log(usage);
else await main();
