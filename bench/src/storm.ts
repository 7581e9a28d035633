import { parseArgs } from "node:util";
import { readArguments } from "./command-line.js";
import { runStorm } from "./storm/run-storm.js";
import { runWaitingStorm } from "./storm/waiting-storm.js";

const usage = `Usage: npm run storm -- [options]

Kills servers while clients use them, and checks that every run is complete.

  --kills N         kills (default: 200, with --waiting 300)
  --tasks N         tasks at once (default: 20, with --waiting 100)
  --servers N       servers: 1 or 2 (default: 1), with --waiting any number (default: 3)
  --records N       records of each task (default: 600)
  --batch N         records of each commit (default: 4)
  --seed N          seed of the random choices (default: a new one)
  --waiting         let half of the tasks wait, and measure short calls
  --max-latency MS  with --waiting: the longest time of a short call, in milliseconds (default: 2000)
  --help            print this text`;

const { values } = readArguments(usage, () =>
  parseArgs({
    options: {
      waiting: { type: "boolean", default: false },
      kills: { type: "string" },
      tasks: { type: "string" },
      servers: { type: "string" },
      seed: { type: "string", default: String(Date.now() % 1_000_000) },
      records: { type: "string", default: "600" },
      batch: { type: "string", default: "4" },
      "max-latency": { type: "string", default: "2000" },
    },
  }),
);
const seed = Number(values.seed);
const log = (line: string): void => console.log(line);

const problems = values.waiting ? await waitingStorm() : await storm();
process.exitCode = problems === 0 ? 0 : 1;

async function storm(): Promise<number> {
  const { kills = "200", tasks = "20" } = values;
  const servers = values.servers === "2" ? 2 : 1;
  log(`storm: ${kills} kills, ${tasks} tasks at once, ${servers} server(s), seed ${seed}`);
  const report = await runStorm({
    kills: Number(kills),
    tasks: Number(tasks),
    servers,
    seed,
    records: Number(values.records),
    batch: Number(values.batch),
    leaseTtlMs: 1_500,
    log,
  });
  log(`\n${report.kills} kills while an attempt ran (and ${report.killsWithoutWork} while none did):`);
  for (const [place, count] of report.places) log(`${String(count).padStart(6)}  ${place}`);
  if (servers === 2) {
    log(`${report.freezes} servers stopped beyond their lease and woken; ${report.refused} late commits refused`);
  }
  log(`${report.crashesInJournals} crashed attempts in the journals, ${report.snapshots} snapshots shown to followers`);
  for (const problem of report.problems) log(`PROBLEM ${problem}`);
  log(`${report.runs} runs complete, ${report.problems.length} problems`);
  return report.problems.length;
}

async function waitingStorm(): Promise<number> {
  const { kills = "300", tasks = "100", servers = "3" } = values;
  const maxLatencyMs = Number(values["max-latency"]);
  log(`storm: ${kills} kills, ${tasks} tasks of which half wait, ${servers} servers, seed ${seed}`);
  const report = await runWaitingStorm({
    kills: Number(kills),
    tasks: Number(tasks),
    servers: Number(servers),
    seed,
    calmMs: 600_000,
    leaseTtlMs: 1_500,
    log,
  });
  const slow = report.worstMs > maxLatencyMs ? [`a short call took ${report.worstMs} ms`] : [];
  const problems = [...report.problems, ...slow];
  log(`\n${report.kills} kills, ${report.deathsInWaits} of them in attempts of waiting tasks`);
  log(`${report.answers} questions answered through answer_task, ${report.answersInStorm} of them while servers died`);
  log(`${report.shortCalls} short calls of others: median ${report.medianMs} ms, worst ${report.worstMs} ms`);
  for (const problem of problems) log(`PROBLEM ${problem}`);
  log(`${report.completed} tasks complete, ${problems.length} problems`);
  return problems.length;
}
