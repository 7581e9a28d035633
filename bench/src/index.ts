import { parseArgs } from "node:util";
import { readArguments } from "./command-line.js";
import { measures } from "./measures/all-measures.js";
import { failedOutcome, type Outcome } from "./report/measure.js";
import { replaceTable, table, writeReport } from "./report/report.js";
import { sharedFolderVariable, temporaryFolder } from "./stores/stored-tasks.js";
import { runIsolated } from "./workers/run-isolated.js";

const usage = `Usage: npm run bench -- [options]

Measures this project against its peers, prints the table and writes the figures to a file.

  --list         list the measures and run none
  --only NAME    run only the measures whose id contains NAME; may be repeated
  --json FILE    write the figures to FILE (default: bench-results.json)
  --write        also replace the table in docs/performance.md
  --help         print this text`;

const { values } = readArguments(usage, () =>
  parseArgs({
    options: {
      only: { type: "string", multiple: true },
      json: { type: "string" },
      list: { type: "boolean" },
      write: { type: "boolean" },
    },
  }),
);

if (values.list === true) {
  for (const measure of measures) console.log(`${measure.id}  ${measure.title} against ${measure.peer}`);
} else {
  const chosen = measures.filter(
    ({ id }) => values.only === undefined || values.only.some((name) => id.includes(name)),
  );
  if (chosen.length === 0) {
    console.error(`No measure of that name. There are: ${measures.map((measure) => measure.id).join(", ")}.`);
    process.exitCode = 2;
  }
  const outcomes: Outcome[] = [];
  const shared = await temporaryFolder();
  process.env[sharedFolderVariable] = shared.directory;
  try {
    for (const measure of chosen) {
      console.error(`measuring ${measure.title} against ${measure.peer} …`);
      try {
        outcomes.push(await runIsolated(measure.id));
      } catch (error) {
        // The others are measured all the same; the row stands in the table without figures.
        console.error(`${measure.id} failed: ${error instanceof Error ? error.message : String(error)}`);
        outcomes.push(failedOutcome(measure));
        process.exitCode = 1;
      }
    }
  } finally {
    await shared.remove();
  }
  console.log(table(outcomes));
  const path = values.json ?? "bench-results.json";
  const date = new Date();
  await writeReport(path, outcomes, date);
  console.error(`written to ${path}`);
  if (values.write === true) {
    await replaceTable("docs/performance.md", outcomes, date);
    console.error("written to docs/performance.md");
  }
}
