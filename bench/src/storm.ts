import { count, flag, readOptions, seed } from "./options.js";
import { runStorm } from "./storm/run-storm.js";
import { openDatabase, openFolder } from "./storm/shared-store.js";

const purpose = "Kills replicas and their clients, and checks what was called, what ran and what is stored.";
const { postgres, ...options } = readOptions("npm run storm --", purpose, {
  kills: count("kills", 1_000),
  tasks: count("calls at once", 100),
  replicas: count("replicas on one store", 3),
  seed,
  postgres: flag("store in PostgreSQL, which is killed, too, in place of a folder"),
  partitions: flag("break the networks, too"),
  keep: flag("keep what was noted also without a problem"),
});

const { kills, tasks, replicas } = options;
const where = postgres ? "PostgreSQL" : "a folder";
console.log(`storm: ${kills} kills, ${tasks} calls at once, ${replicas} replicas on ${where}, seed ${options.seed}`);
const store = postgres ? await openDatabase() : await openFolder();
await runStorm(options, store);
