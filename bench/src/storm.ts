import { parseArgs } from "node:util";
import { runStorm } from "./storm/run-storm.js";

const { values } = parseArgs({
  options: {
    kills: { type: "string", default: "200" },
    tasks: { type: "string", default: "20" },
    servers: { type: "string", default: "1" },
    seed: { type: "string", default: String(Date.now() % 1_000_000) },
    records: { type: "string", default: "600" },
    batch: { type: "string", default: "4" },
  },
});

const servers = values.servers === "2" ? 2 : 1;
console.log(`storm: ${values.kills} kills, ${values.tasks} tasks at once, ${servers} server(s), seed ${values.seed}`);
const report = await runStorm({
  kills: Number(values.kills),
  tasks: Number(values.tasks),
  servers,
  seed: Number(values.seed),
  records: Number(values.records),
  batch: Number(values.batch),
  leaseTtlMs: 1_500,
  log: (line) => console.log(line),
});

console.log(`\n${report.kills} kills while an attempt ran (and ${report.killsWithoutWork} while none did):`);
for (const [place, count] of report.places) console.log(`${String(count).padStart(6)}  ${place}`);
if (servers === 2) {
  console.log(`${report.freezes} servers stopped beyond their lease and woken; ${report.refused} late commits refused`);
}
console.log(
  `${report.crashesInJournals} crashed attempts in the journals, ${report.snapshots} snapshots shown to followers`,
);
for (const problem of report.problems) console.log(`PROBLEM ${problem}`);
console.log(`${report.runs} runs complete, ${report.problems.length} problems`);
process.exitCode = report.problems.length === 0 ? 0 : 1;
