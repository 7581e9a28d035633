import { appendFile, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Low } from "lowdb";
import { JSONFile } from "lowdb/node";
import type { Checkpoint, CheckpointKeeper, Kept } from "./checkpoint-keeper.js";

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
    async read(taskId) {
      const all: Record<string, Checkpoint | null> = JSON.parse(await readFile(path, "utf8"));
      const lines = (await readFile(data(taskId), "utf8")).split("\n");
      return { latest: all[taskId] ?? undefined, count: lines.length - 1 };
    },
    close: async () => {},
  };
}

interface Everything {
  readonly tasks: Record<string, Kept>;
}

/** lowdb as it comes, with one file for everything. It replaces the file atomically and syncs nothing. */
export async function createLowdbKeeper(directory: string): Promise<CheckpointKeeper> {
  // Its own preset keeps nothing on the disk while tests run.
  const path = join(directory, "db.json");
  const database = new Low<Everything>(new JSONFile(path), { tasks: {} });
  await database.read();
  const { tasks } = database.data;
  return {
    async begin(taskId) {
      tasks[taskId] = { latest: undefined, count: 0 };
      await database.write();
    },
    async keep(taskId, latest) {
      tasks[taskId] = { latest, count: (tasks[taskId]?.count ?? 0) + 1 };
      await database.write();
    },
    async read(taskId) {
      const again = new Low<Everything>(new JSONFile(path), { tasks: {} });
      await again.read();
      return again.data.tasks[taskId] ?? { latest: undefined, count: 0 };
    },
    close: async () => {},
  };
}
