import { runCrashes } from "./crashes/run-crashes.js";
import { count, flag, oneOf, readOptions, seed } from "./options.js";
import { openFolder } from "./storm/shared-store.js";

const purpose = "Kills engines that share a folder, without servers, and checks every journal.";
const options = readOptions("npm run proof -- crashes", purpose, {
  kills: count("kills", 1_000),
  tasks: count("tasks at once", 100),
  replicas: count("processes on one folder", 3),
  seed,
  durability: oneOf("durability of the store", ["machine", "process"]),
  whole: flag("compact no journal, so that nothing is lost to the proof"),
});

const { kills, tasks, replicas, durability } = options;
console.log(
  `crashes: ${kills} kills, ${tasks} tasks at once, ${replicas} processes, durability ${durability}, seed ${options.seed}`,
);
await runCrashes(options, await openFolder(options.whole));
