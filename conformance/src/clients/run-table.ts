import { readFile, writeFile } from "node:fs/promises";
import { parseArgs } from "node:util";
import { report, tables, verdict } from "./report.js";
import type { Outcome, Row } from "./row.js";
import { rows, runRow } from "./rows.js";
import { startServer } from "./server-under-test.js";

const document = "docs/clients.md";
const { values } = parseArgs({
  options: {
    only: { type: "string" },
    json: { type: "string", default: "clients-results.json" },
    help: { type: "boolean" },
  },
});

const usage = `Usage: npm run proof -- clients [options]

Runs unmodified MCP clients against a server that is killed, and prints what each client received.

  --only TEXT  run only the rows whose description contains TEXT
  --json FILE  write the outcomes to FILE (default: clients-results.json)
  --help       print this text`;

function chosenRows(): readonly Row[] {
  const { only } = values;
  return only === undefined ? rows : rows.filter(({ table, head }) => [table, ...head].join(", ").includes(only));
}

/** Runs the rows of one transport against one server. */
async function runOver(over: "HTTP" | "stdio"): Promise<readonly Outcome[]> {
  const chosen = chosenRows().filter(({ head }) => head[1] === over);
  if (chosen.length === 0) return [];
  const outcomes: Outcome[] = [];
  const server = await startServer(over);
  for (const row of chosen) {
    const outcome = await runRow(row, server);
    console.error(`${row.head.join(", ")}: ${verdict(outcome)}`);
    outcomes.push(outcome);
  }
  await server.close();
  return outcomes;
}

/** What the run before says of the rows that do not run now. */
async function keptOutcomes(): Promise<readonly Outcome[]> {
  if (values.only === undefined) return [];
  const text = await readFile(values.json, "utf8").catch(() => '{ "outcomes": [] }');
  const { outcomes }: { outcomes: readonly Outcome[] } = JSON.parse(text);
  const left = rows.filter((row) => !chosenRows().includes(row));
  return left.flatMap((row) => {
    const kept = outcomes.find((outcome) => String(outcome.row.head) === String(row.head));
    return kept === undefined ? [] : [{ ...kept, row }];
  });
}

/** Runs the rows and prints the tables; exits with 1 when a row is not what it has to be. */
async function main(): Promise<void> {
  const kept = await keptOutcomes();
  const run = [...kept, ...(await runOver("HTTP")), ...(await runOver("stdio"))];
  const outcomes = run.toSorted((one, other) => rows.indexOf(one.row) - rows.indexOf(other.row));
  const isGood = outcomes.length > 0 && outcomes.every(({ problems }) => problems.length === 0);
  await writeFile(values.json, `${JSON.stringify({ node: process.version, outcomes }, null, 2)}\n`);
  // The document shows every row.
  if (isGood && outcomes.length === rows.length) await writeFile(document, report(outcomes));
  console.log(tables(outcomes));
  process.exitCode = isGood ? 0 : 1;
}

if (values.help) console.log(usage);
else await main();
