import { writeSync } from "node:fs";
import { limitedEngine } from "./limited-tools.js";

/** Starts so many tasks of a tool with a limit, which take so long, and runs what there is until it is killed. */
const [directory = "", tool = "", first = "", count = "", ms = ""] = process.argv.slice(2);

// Synchronous, so that what was reported arrives though the process dies in its next step.
const say = (what: string, task?: string) =>
  writeSync(1, `${JSON.stringify({ what, task, atMs: Number(process.hrtime.bigint()) / 1e6 })}\n`);
const engine = limitedEngine(directory, say);
await engine.open();
const tasks = engine.forOwner("client:a");
for (let n = Number(first); n < Number(first) + Number(count); n += 1)
  await tasks.start({ tool, input: { n, ms: Number(ms) }, detached: true });
say("started");
process.stdin.resume();
