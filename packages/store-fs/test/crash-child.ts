import { writeSync } from "node:fs";
import type { Store } from "@resumable-mcp/core";
import { createFsStore } from "../src/index.js";
import { crashLimits, crashWork } from "./crash-work.js";

/** Does the work of crash-work.ts on a folder, and kills itself when a point is reached for the nth time. */
const [directory = "", durability = "", point = "", nth = "1"] = process.argv.slice(2);
let left = Number(nth);

const store: Store = createFsStore({
  directory,
  durability: durability === "machine" ? "machine" : "process",
  limits: crashLimits,
  observer(reached) {
    if (reached !== point) return;
    left -= 1;
    if (left === 0) process.kill(process.pid, "SIGKILL");
  },
});

// Synchronous, so that what was acknowledged is reported though the process dies in its next step.
await crashWork(store, (fact) => writeSync(1, `${JSON.stringify(fact)}\n`));
await store.close();
