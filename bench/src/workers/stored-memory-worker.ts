import { createEngine } from "@resumable-mcp/core";
import { createFsStore } from "@resumable-mcp/store-fs";
import { now } from "../stores/stored-tasks.js";

/** Opens a store, lists and counts its tasks, and tells how many MiB the process has in use afterwards. */
const store = createFsStore({ directory: process.argv[2] ?? "" });
const engine = createEngine({ store, tools: [] });
await engine.open();
await store.countTasks({});
await store.listTasks({ limit: 100 });
await store.listExpired({ now: now(), limit: 1_000 });
await store.listRunnable({ tools: ["bench"], limit: 200, now: now() });
const gc: unknown = Reflect.get(globalThis, "gc");
if (typeof gc === "function") for (let pass = 0; pass < 3; pass++) gc();
const { rss } = process.memoryUsage();
await engine.close();
process.send?.(rss / 2 ** 20, () => process.exit(0));
