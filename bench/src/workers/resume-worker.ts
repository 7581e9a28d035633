import { createFsStore } from "@resumable-mcp/store-fs";
import { now } from "../stores/stored-tasks.js";

/** Opens a store, takes its unfinished task over, and tells how many milliseconds that took. */
const begun = performance.now();
const store = createFsStore({ directory: process.argv[2] ?? "" });
const { tasks } = await store.listRunnable({ tools: ["bench"], limit: 1, now: now() });
const taskId = tasks[0]?.id ?? "";
const acquired = await store.acquireLease({ taskId, worker: "bench", ttlMs: 60_000, now: now() });
if (acquired?.snapshot.record.state === undefined) throw new Error("The task has no state.");
const figure = performance.now() - begun;
await store.close();
process.send?.(figure, () => process.exit(0));
