import { join } from "node:path";
import { Low } from "lowdb";
import { JSONFile } from "lowdb/node";
import type { CheckpointKeeper, Kept } from "./checkpoint-keeper.js";

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
