import { printReport, reportOn } from "./kills/weather.js";
import { count, flag, readOptions, seed, text } from "./options.js";
import { defectNames } from "./replicas/put-back.js";
import { runReplicas } from "./replicas/run-replicas.js";
import { runStorm } from "./storm/run-storm.js";
import { runWaitingStorm } from "./storm/waiting-storm.js";

const options = readOptions(
  "npm run storm --",
  "Kills servers while clients use them, and checks that every run is complete.",
  {
    kills: count("kills (default: 200, with --waiting 300, with --postgres 1000)", undefined),
    tasks: count("tasks at once (default: 20, with --waiting and --postgres 100)", undefined),
    servers: count("servers on one store (default: 1, with --waiting and --postgres 3)", undefined),
    records: count("records of each task", 600),
    batch: count("records of each commit", 4),
    seed,
    waiting: flag("let half of the tasks wait, and measure short calls"),
    postgres: flag("kill replicas on PostgreSQL, all kinds of clients, and the database"),
    partitions: flag("with --postgres: break the networks, too"),
    defect: text("NAME", `with --postgres: put a defect into the store, to be found: ${defectNames.join(", ")}`),
    keep: flag("with --postgres: keep what was noted, in a file"),
    "max-latency": count("with --waiting: the longest time of a short call, in milliseconds", 2_000),
  },
);

if (options.postgres) {
  const { kills = 1_000, tasks = 100, servers = 3, seed: from, partitions, defect, keep } = options;
  printReport(await runReplicas({ kills, tasks, servers, seed: from, partitions, defect, keep }));
} else {
  await reportOn((directory, reader) => {
    if (options.waiting) {
      const { kills = 300, tasks = 100, servers = 3, seed: from, "max-latency": maxLatencyMs } = options;
      return runWaitingStorm({ kills, tasks, servers, seed: from, maxLatencyMs }, directory, reader);
    }
    const { kills = 200, tasks = 20, servers = 1 } = options;
    return runStorm({ ...options, kills, tasks, servers }, directory, reader);
  });
}
