import { startPostgres } from "@resumable-mcp/store-postgres/testing";
import { measures, postgresMeasures } from "./measures/all-measures.js";
import { wrapMeasures } from "./measures/wrap.js";
import { flag, readOptions, text, texts } from "./options.js";
import { sqliteVersion } from "./peers/sqlite-keeper.js";
import { describeServer, serverVariable } from "./postgres/database.js";
import { failedOutcome, type Measure, type Outcome } from "./report/measure.js";
import { changedSince, replaceTable, table, writeReport } from "./report/report.js";
import { sharedFolderVariable, temporaryFolder } from "./stores/stored-tasks.js";
import { runIsolated } from "./workers/run-isolated.js";

const purpose = "Measures this project against its peers, prints the table and writes the figures to a file.";
const {
  list,
  only,
  json = "bench-results.json",
  write,
  postgres,
  wrap,
} = readOptions("npm run bench --", purpose, {
  list: flag("list the measures, and which packages changed since the table was measured"),
  only: texts(
    "NAME",
    "run only the measures whose id contains NAME; may be repeated. many-calls, of minutes, runs only so",
  ),
  json: text("FILE", "write the figures to FILE (default: bench-results.json)"),
  write: flag("also replace the table in docs/performance.md"),
  postgres: flag(
    "measure on PostgreSQL: the server of RESUMABLE_MCP_TEST_POSTGRES, or one that is started for this run",
  ),
  wrap: flag("measure what the gateway costs before a server that is not ours"),
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

/** Runs them on the server that is given, or on one of this run's own. Gives also what the server says of itself. */
async function runOnPostgres(chosen: readonly Measure[]): Promise<readonly [readonly Outcome[], string]> {
  const given = process.env.RESUMABLE_MCP_TEST_POSTGRES;
  const started = given ? undefined : await startPostgres();
  const url = started?.url ?? given ?? "";
  process.env[serverVariable] = url;
  try {
    return [await runAll(chosen), await describeServer(url)];
  } finally {
    await started?.stop();
  }
}

const document = "docs/performance.md";

/** What is measured, and the section of docs/performance.md that its table stands in. */
const [all, section] = postgres
  ? ([postgresMeasures, "measured on PostgreSQL"] as const)
  : wrap
    ? ([wrapMeasures, "measured through wrap"] as const)
    : ([measures, "measured"] as const);
if (list) {
  for (const measure of all) console.log(`${measure.id}  ${measure.title} against ${measure.peer}`);
  console.log(await changedSince(document, section));
} else {
  const unknown = only.find((name) => !all.some(({ id }) => id.includes(name)));
  if (unknown !== undefined) {
    console.error(`No measure has "${unknown}" in its id. There are: ${all.map(({ id }) => id).join(", ")}.`);
    process.exit(2);
  }
  const chosen = all.filter(({ id, isLong }) =>
    only.length === 0 ? isLong !== true : only.some((name) => id.includes(name)),
  );
  const [outcomes, database] = postgres
    ? await runOnPostgres(chosen)
    : [await runAll(chosen), `SQLite ${sqliteVersion()}`];
  const date = new Date();
  console.log(table(outcomes));
  await writeReport(json, outcomes, { date, database });
  console.error(`written to ${json}`);
  if (write) {
    await replaceTable(document, outcomes, { date, database, section });
    console.error(`written to ${document}`);
  }
}
