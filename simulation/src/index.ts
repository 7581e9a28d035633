import { drawPlan } from "./run/draw-plan.js";
import { runPlan } from "./run/run-plan.js";

const [from = 1, to = 10] = (process.argv[2] ?? "1..10").split("..").map(Number);
const began = process.cpuUsage();
let crashes = 0;
let virtualMs = 0;
let turns = 0;
for (let seed = from; seed <= to; seed += 1) {
  const report = await runPlan(drawPlan(seed));
  crashes += report.history.crashes;
  virtualMs += report.virtualMs;
  turns += report.turns;
  if (report.violations.length > 0 || process.argv.includes("--verbose")) {
    process.stdout.write(`seed ${seed}: ${report.digest} ${report.violations.length} violations, ${report.history.events.length} events\n`);
    for (const { rule, text } of report.violations.slice(0, 6)) process.stdout.write(`  ${rule}: ${text}\n`);
    if (process.argv.includes("--events")) for (const event of report.history.events) process.stdout.write(`${JSON.stringify(event)}\n`);
  }
}
const { user, system } = process.cpuUsage(began);
const seconds = (user + system) / 1e6;
process.stdout.write(`${to - from + 1} seeds, ${crashes} crashes, ${(virtualMs / 3_600_000).toFixed(1)} h, ${turns} turns, ${seconds.toFixed(1)} s of processor time: ${(crashes / seconds).toFixed(0)} crashes/s\n`);
