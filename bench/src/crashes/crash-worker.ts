import { createInterface } from "node:readline";
import { createEngine } from "@resumable-mcp/core";
import { tell, tellError, tellNote } from "../kills/in-life.js";
import { createFsStore, observer } from "../storm/folder-store.js";
import { busyJob, drawJob, jobToolName, jobTools } from "../storm/job.js";
import type { WorkerOrder } from "./run-crashes.js";

const { directory, durability, seed, limits }: WorkerOrder = JSON.parse(process.argv[2] ?? "{}");
const engine = createEngine({
  store: createFsStore({ directory, durability }),
  tools: jobTools(tellNote),
  observer,
  limits,
  onError: tellError,
});

const tasks = engine.forOwner("local:storm");
/** The run's name makes it the same call however often it is asked for, also after a death in its midst. */
async function start(run: string): Promise<void> {
  const input = drawJob(run, seed, busyJob);
  const { record } = await tasks.start({ tool: jobToolName, input, newTask: run, detached: true });
  tellNote("called", { caller: run, task: record.id });
}

// Before it says that it is ready: a signal that came first would end it as one that nothing handles.
process.once("SIGTERM", () => {
  void engine.close().then(() => process.exit(0));
});
await engine.open();
tell({ kind: "ready" });
const orders = createInterface({ input: process.stdin });
orders.on("line", (run) => void start(run).catch(tellError));
