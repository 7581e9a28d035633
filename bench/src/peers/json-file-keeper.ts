import { appendFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
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
