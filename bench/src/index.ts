import { parseArgs } from "node:util";
import { type Measure, type Outcome, runMeasure } from "./measure.js";
import { openingMeasure, storedTasksMeasure, taskLengthMeasure } from "./measures/checkpoint-cost.js";
import { memoryMeasure } from "./measures/memory.js";
import { table, writeReport } from "./report.js";

const measures: readonly Measure[] = [
  storedTasksMeasure(10_000, 10),
  taskLengthMeasure(10_000),
  openingMeasure(10_000, 10),
  memoryMeasure({ finished: 1_000, eventsEach: 20 }, { finished: 100, eventsEach: 20 }),
];

const { values } = parseArgs({
  options: { only: { type: "string", multiple: true }, json: { type: "string" }, list: { type: "boolean" } },
});

if (values.list === true) {
  for (const measure of measures) console.log(`${measure.id}  ${measure.title}`);
} else {
  const chosen = measures.filter((measure) => values.only === undefined || values.only.includes(measure.id));
  if (chosen.length === 0) {
    console.error(`No measure of that name. There are: ${measures.map((measure) => measure.id).join(", ")}.`);
    process.exitCode = 2;
  }
  const outcomes: Outcome[] = [];
  for (const measure of chosen) {
    console.error(`measuring ${measure.title} …`);
    outcomes.push(await runMeasure(measure));
  }
  console.log(table(outcomes));
  const path = values.json ?? "bench-results.json";
  await writeReport(path, outcomes, new Date());
  console.error(`written to ${path}`);
}
