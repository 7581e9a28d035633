import { appendFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { InMemoryEventStore } from "@modelcontextprotocol/sdk/examples/shared/inMemoryEventStore.js";
import type { JSONRPCMessage } from "@modelcontextprotocol/sdk/types.js";
import { Low } from "lowdb";
import { JSONFile } from "lowdb/node";
import type { Checkpoint, CheckpointKeeper } from "./checkpoint-keeper.js";

/**
 * The original design: one JSON file with all tasks, rewritten whole at each change, and a data file. It syncs nothing
 * and replaces nothing atomically: a crash may leave half a file.
 */
export function createJsonFileKeeper(directory: string): CheckpointKeeper {
  const tasks: Record<string, Checkpoint | null> = {};
  const path = join(directory, "checkpoints.json");
  const data = (taskId: string) => join(directory, `${taskId}.data`);
  const rewrite = () => writeFile(path, JSON.stringify(tasks));
  return {
    async begin(taskId) {
      tasks[taskId] = null;
      await writeFile(data(taskId), "");
      await rewrite();
    },
    async keep(taskId, checkpoint) {
      tasks[taskId] = checkpoint;
      await appendFile(data(taskId), `${checkpoint.message}\n`);
      await rewrite();
    },
    close: async () => {},
  };
}

/** lowdb as it comes, with one file for everything. It replaces the file atomically and syncs nothing. */
export async function createLowdbKeeper(directory: string): Promise<CheckpointKeeper> {
  type Tasks = Record<string, { readonly latest?: Checkpoint; readonly count: number }>;
  // Its own preset keeps nothing on the disk while tests run.
  const database = new Low<{ readonly tasks: Tasks }>(new JSONFile(join(directory, "db.json")), { tasks: {} });
  await database.read();
  const { tasks } = database.data;
  return {
    async begin(taskId) {
      tasks[taskId] = { count: 0 };
      await database.write();
    },
    async keep(taskId, latest) {
      tasks[taskId] = { latest, count: (tasks[taskId]?.count ?? 0) + 1 };
      await database.write();
    },
    close: async () => {},
  };
}

/**
 * The SDK's in-memory event store: a stream for each task, a progress notification for each checkpoint. Survives nothing.
 */
export function createSdkEventKeeper(store = new InMemoryEventStore()): CheckpointKeeper {
  return {
    begin: async () => {},
    async keep(taskId, checkpoint) {
      await store.storeEvent(taskId, messageOf(taskId, checkpoint));
    },
    close: async () => {},
  };
}

function messageOf(progressToken: string, { progress, total, message, state }: Checkpoint): JSONRPCMessage {
  return {
    jsonrpc: "2.0",
    method: "notifications/progress",
    params: { progressToken, progress, total, message, _meta: { state } },
  };
}
