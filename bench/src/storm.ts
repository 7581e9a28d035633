import { count, flag, readOptions, seed, text } from "./options.js";
import { defectNames } from "./storm/put-back.js";
import { runStorm } from "./storm/run-storm.js";
import { openDatabase, openFolder } from "./storm/shared-store.js";

const purpose = "Kills replicas and their clients, and checks what was called, what ran and what is stored.";
const { postgres, defect, ...options } = readOptions("npm run storm --", purpose, {
  kills: count("kills", 1_000),
  tasks: count("calls at once", 100),
  replicas: count("replicas on one store", 3),
  seed,
  postgres: flag("store in PostgreSQL, which is killed, too, in place of a folder"),
  partitions: flag("break the networks, too"),
  defect: text("NAME", `with --postgres: put a defect into the store, to be found: ${defectNames.join(", ")}`),
  keep: flag("keep what was noted also without a problem"),
});

const { kills, tasks, replicas } = options;
const where = postgres ? "PostgreSQL" : "a folder";
console.log(`storm: ${kills} kills, ${tasks} calls at once, ${replicas} replicas on ${where}, seed ${options.seed}`);
const store = postgres ? await openDatabase(defect) : await openFolder();
// With a defect some of what is left never ends.
await runStorm({ ...options, calmMs: defect === undefined ? 600_000 : 90_000 }, store);
