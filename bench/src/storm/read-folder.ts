import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { FinalTask } from "@resumable-mcp/simulation/history";
import { createFsStore } from "@resumable-mcp/store-fs";
import { openFsAdmin } from "@resumable-mcp/store-fs/admin";
import type { Acknowledged } from "../kills/life.js";
import { finalTask } from "../kills/storm-history.js";
import { damageOf, wrongArtifacts } from "./damage-of.js";
import type { StoredTasks } from "./judge.js";
import { type JournalFile, proveOneWriter, readJournalFiles } from "./one-writer.js";

/** Which folder is read, and what is known of it. */
interface ReadOptions {
  readonly directory: string;
  readonly whole: boolean;
  /** Commits of each task that the store acknowledged to their writers. */
  readonly acknowledged: ReadonlyMap<string, readonly Acknowledged[]>;
}

/** Reads all tasks of a folder, and proves from the files of each journal that it had one writer at a time. */
export async function readFolder({ directory, whole, acknowledged }: ReadOptions): Promise<StoredTasks> {
  const problems = [...(await damageOf(openFsAdmin(directory)))];
  const sums = { acknowledged: 0, writers: 0, lateLines: 0, unseen: 0 };
  const reader = createFsStore({ directory });
  const tasks: FinalTask[] = [];
  const claimed = await claimedTasks(directory);
  try {
    for (const [id, folder] of await taskFolders(directory)) {
      const files = await readJournalFiles(folder);
      if (!claimed.has(id) && (await cameToNothing(directory, id, files))) {
        sums.unseen += 1;
        continue;
      }
      const ofTask = acknowledged.get(id) ?? [];
      const proof = proveOneWriter(files, ofTask);
      problems.push(...proof.problems.map((problem) => `${id}: ${problem}`));
      const task = await finalTask(reader, id);
      if (task !== undefined) {
        tasks.push(task);
        problems.push(...(await wrongArtifacts(reader, task.record)));
      }
      if (whole && task?.followed[0]?.kind === "snapshot") problems.push(`${id}: its first events were removed`);
      sums.acknowledged += ofTask.length;
      sums.writers += proof.writers;
      sums.lateLines += proof.lateLines;
    }
  } finally {
    await reader.close();
  }
  const lines = [
    `${sums.acknowledged} acknowledged commits by ${sums.writers} writers, one at a time for each task`,
    `${sums.lateLines} lines appended after their epoch was over, which count for nothing`,
    `${sums.unseen} tasks whose creator died before a caller could see them`,
  ];
  return { tasks, problems, lines };
}

/** The task was prepared and never claimed: it is listed nowhere, and has no other events. */
async function cameToNothing(directory: string, taskId: string, files: readonly JournalFile[]): Promise<boolean> {
  const events = files.flatMap(({ entries }) => entries.flatMap((entry) => entry.events.map(({ type }) => type)));
  const open = await readdir(join(directory, "open"));
  return events.join() === "created" && !open.includes(taskId);
}

async function claimedTasks(directory: string): Promise<ReadonlySet<string>> {
  const claimed = new Set<string>();
  const names = await readdir(join(directory, "keys"), { recursive: true, withFileTypes: true });
  // What is still being written when its process dies stays as a draft, which no process reads.
  for (const name of names.filter((entry) => entry.isFile() && !entry.name.startsWith("."))) {
    const text = await readFile(join(name.parentPath, name.name), "utf8");
    const taskId = /"taskId":"([^"]*)"/.exec(text)?.[1];
    if (taskId !== undefined) claimed.add(taskId);
  }
  return claimed;
}

/** Every task's folder, by the task's id. */
async function taskFolders(directory: string): Promise<ReadonlyMap<string, string>> {
  const folders = new Map<string, string>();
  for (const shard of await readdir(join(directory, "tasks"))) {
    for (const id of await readdir(join(directory, "tasks", shard))) {
      folders.set(id, join(directory, "tasks", shard, id));
    }
  }
  return folders;
}
