import { runCrashes } from "./crashes/run-crashes.js";
import { reportOn } from "./kills/weather.js";
import { count, flag, oneOf, readOptions, seed } from "./options.js";

const options = readOptions(
  "npm run proof -- crashes",
  "Kills worker processes that share a store, and checks every journal.",
  {
    kills: count("kills", 1_000),
    tasks: count("tasks at once", 100),
    processes: count("worker processes", 1),
    records: count("records of each task", 400),
    batch: count("records of each commit", 4),
    durability: oneOf("durability of the store", ["machine", "process"]),
    compact: flag("let the store compact journals, which removes a part of the proof"),
    seed,
  },
);

await reportOn((directory, reader) => runCrashes(options, directory, reader));
