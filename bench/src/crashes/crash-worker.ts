import { createInterface } from "node:readline";
import { createEngine, type Store } from "@resumable-mcp/core";
import { createFsStore } from "@resumable-mcp/store-fs";
import { dieAt, tell, tellError, tellNote } from "../kills/in-life.js";
import { stormTool } from "../storm/storm-tools.js";
import type { WorkerOrder } from "./run-crashes.js";

const order: WorkerOrder = JSON.parse(process.argv[2] ?? "{}");
const observer = dieAt(order.point);

/** Tells of each commit as soon as its writer may rely on it. */
function telling(store: Store): Store {
  return {
    ...store,
    async commit(request) {
      const result = await store.commit(request);
      const { taskId, epoch, worker } = request.lease;
      const { afterSeq } = request;
      tell({ kind: "acknowledged", taskId, epoch, worker, afterSeq, lastSeq: result.record.lastSeq });
      return result;
    },
  };
}

const counting = stormTool(tellNote);
const files = order.compact ? { maxJournalFiles: 6, keepJournalFiles: 2 } : { maxJournalFiles: 100_000 };
const atOnce = 1_000;
const engine = createEngine({
  // Small files, so that journals rotate in every life.
  store: telling(
    createFsStore({
      directory: order.directory,
      durability: order.durability,
      observer,
      limits: { rotateBytes: 8 * 1024, documentPauseMs: 20, ...files },
    }),
  ),
  tools: [counting],
  observer,
  limits: {
    maxRunning: atOnce,
    maxRunningPerOwner: atOnce,
    maxUnfinishedPerOwner: 10 * atOnce,
    // Every life ends in a kill, so three crashes in a row do not mean that the task causes them.
    maxCrashesWithoutProgress: 1_000_000,
    crashBackoffMs: 0,
    trialMs: 0,
    writeBackoffMs: 20,
    leaseTtlMs: order.leaseTtlMs,
    heartbeatMs: order.leaseTtlMs / 3,
    pollMs: 200,
  },
  onError: tellError,
});

const tasks = engine.forOwner("local:storm");
/** The run's name makes it the same call however often it is asked for, also after a death in its midst. */
async function start(run: string): Promise<void> {
  const [, records = "", batch = ""] = run.split(".");
  const input = { run, records: Number(records), batch: Number(batch) };
  const { record } = await tasks.start({ tool: counting.name, input, newTask: run, detached: true });
  tell({ kind: "started", run, taskId: record.id });
}

await engine.open();
tell({ kind: "ready" });
const orders = createInterface({ input: process.stdin });
orders.on("line", (run) => void start(run).catch(tellError));
orders.on("close", () => {
  engine.close().then(
    () => process.exit(0),
    (error: unknown) => {
      throw error;
    },
  );
});
