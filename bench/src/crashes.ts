import { parseArgs } from "node:util";
import { readArguments } from "./command-line.js";
import { runCrashes } from "./crashes/run-crashes.js";

const usage = `Usage: npm run crashes -- [options]

Kills worker processes that share a store, and checks every journal.

  --kills N            kills (default: 1000)
  --tasks N            tasks at once (default: 100)
  --processes N        worker processes (default: 1)
  --records N          records of each task (default: 400)
  --batch N            records of each commit (default: 4)
  --durability LEVEL   machine or process (default: machine)
  --compact            let the store compact journals, which removes a part of the proof
  --seed N             seed of the random choices (default: a new one)
  --help               print this text`;

const { values } = readArguments(usage, () =>
  parseArgs({
    options: {
      kills: { type: "string", default: "1000" },
      tasks: { type: "string", default: "100" },
      processes: { type: "string", default: "1" },
      seed: { type: "string", default: String(Date.now() % 1_000_000) },
      records: { type: "string", default: "400" },
      batch: { type: "string", default: "4" },
      durability: { type: "string", default: "machine" },
      compact: { type: "boolean", default: false },
    },
  }),
);

const { kills, tasks, processes, seed } = values;
const durability = values.durability === "process" ? "process" : "machine";
console.log(
  `crashes: ${kills} kills, ${tasks} tasks at once, ${processes} process(es), durability ${durability}, seed ${seed}`,
);
const report = await runCrashes({
  kills: Number(kills),
  tasks: Number(tasks),
  processes: Number(processes),
  seed: Number(seed),
  records: Number(values.records),
  batch: Number(values.batch),
  durability,
  compact: values.compact,
  leaseTtlMs: 1_000,
  log: (line) => console.log(line),
});

console.log(`\n${report.kills} kills of workers that ran tasks (and ${report.killsBeforeWork} before they did):`);
for (const [place, count] of report.places) console.log(`${String(count).padStart(6)}  ${place}`);
if (report.freezes > 0) console.log(`${report.freezes} of them slept through their lease first`);
console.log(`${report.acknowledged} acknowledged commits by ${report.writers} writers, one at a time for each task`);
console.log(`${report.lateLines} lines appended after their epoch was over, which count for nothing`);
console.log(`${report.crashedAttempts} crashed attempts in the journals`);
if (report.unclaimed > 0) console.log(`${report.unclaimed} tasks whose creator died before a caller could see them`);
for (const [code, count] of report.errors) console.log(`${String(count).padStart(6)}  reported by engines: ${code}`);
for (const problem of report.problems.slice(0, 100)) console.log(`PROBLEM ${problem}`);
console.log(`${report.runs} runs complete, ${report.problems.length} problems`);
process.exitCode = report.problems.length === 0 ? 0 : 1;
