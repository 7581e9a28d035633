import { measures } from "./measures/all-measures.js";
import { flag, readOptions, text, texts } from "./options.js";
import { failedOutcome, type Measure, type Outcome } from "./report/measure.js";
import { replaceTable, table, writeReport } from "./report/report.js";
import { sharedFolderVariable, temporaryFolder } from "./stores/stored-tasks.js";
import { runIsolated } from "./workers/run-isolated.js";

const purpose = "Measures this project against its peers, prints the table and writes the figures to a file.";
const {
  list,
  only,
  json = "bench-results.json",
  write,
} = readOptions("bench", purpose, {
  list: flag("list the measures and run none"),
  only: texts("NAME", "run only the measures whose id contains NAME; may be repeated"),
  json: text("FILE", "write the figures to FILE (default: bench-results.json)"),
  write: flag("also replace the table in docs/performance.md"),
});

/** Runs each measure; one that fails stands in the table without figures. */
async function runAll(chosen: readonly Measure[]): Promise<readonly Outcome[]> {
  const outcomes: Outcome[] = [];
  const shared = await temporaryFolder();
  process.env[sharedFolderVariable] = shared.directory;
  try {
    for (const measure of chosen) {
      console.error(`measuring ${measure.title} against ${measure.peer} …`);
      try {
        outcomes.push(await runIsolated(measure.id));
      } catch (error) {
        console.error(`${measure.id} failed: ${error instanceof Error ? error.message : String(error)}`);
        outcomes.push(failedOutcome(measure));
        process.exitCode = 1;
      }
    }
  } finally {
    await shared.remove();
  }
  return outcomes;
}

if (list) {
  for (const measure of measures) console.log(`${measure.id}  ${measure.title} against ${measure.peer}`);
} else {
  const unknown = only.find((name) => !measures.some(({ id }) => id.includes(name)));
  if (unknown !== undefined) {
    console.error(`No measure has "${unknown}" in its id. There are: ${measures.map(({ id }) => id).join(", ")}.`);
    process.exit(2);
  }
  const chosen = measures.filter(({ id }) => only.length === 0 || only.some((name) => id.includes(name)));
  const outcomes = await runAll(chosen);
  const date = new Date();
  console.log(table(outcomes));
  await writeReport(json, outcomes, date);
  console.error(`written to ${json}`);
  if (write) {
    await replaceTable("docs/performance.md", outcomes, date);
    console.error("written to docs/performance.md");
  }
}
