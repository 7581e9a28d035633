import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Store } from "@resumable-mcp/core";
import { openFsAdmin } from "@resumable-mcp/store-fs/admin";
import { damageOf } from "./damage-of.js";
import type { Acknowledged } from "./life.js";
import { proveOneWriter, readJournalFiles } from "./one-writer.js";

/** What is known of the journals of a storm. */
export interface JudgedJournals {
  readonly directory: string;
  readonly reader: Store;
  /** The tasks that callers know. */
  readonly tasks: ReadonlySet<string>;
  /** Commits of each task that the store acknowledged to their writers. */
  readonly acknowledged: ReadonlyMap<string, readonly Acknowledged[]>;
  /** The store may remove the first events of a journal. */
  readonly compact: boolean;
}

/** Checks what no caller sees: no damage, one writer at a time in the files of each journal, and no task that belongs to no call. */
export async function judgeJournals(
  judged: JudgedJournals,
): Promise<{ readonly lines: readonly string[]; readonly problems: readonly string[] }> {
  const { tasks, directory, reader, compact } = judged;
  const folders = await taskFolders(directory);
  const problems = [...(await damageOf(openFsAdmin(directory)))];
  const sums = { acknowledged: 0, writers: 0, lateLines: 0, crashed: 0 };
  for (const taskId of tasks) {
    const folder = folders.get(taskId);
    // What callers lost is for the rules to say.
    if (folder === undefined) continue;
    const acknowledged = judged.acknowledged.get(taskId) ?? [];
    const proof = proveOneWriter(await readJournalFiles(folder), acknowledged);
    problems.push(...proof.problems.map((problem) => `${taskId}: ${problem}`));
    const { snapshot } = await reader.readEvents(taskId, { afterSeq: 0, limit: 1 });
    if (snapshot !== undefined && !compact) problems.push(`${taskId}: its first events were removed`);
    sums.acknowledged += acknowledged.length;
    sums.writers += proof.writers;
    sums.lateLines += proof.lateLines;
    sums.crashed += proof.crashed;
  }
  const others = [...folders].filter(([taskId]) => !tasks.has(taskId));
  for (const [taskId, folder] of others) {
    if (!(await cameToNothing(directory, taskId, folder))) problems.push(`task ${taskId} belongs to no call`);
  }
  const lines = [
    `${sums.acknowledged} acknowledged commits by ${sums.writers} writers, one at a time for each task`,
    `${sums.lateLines} lines appended after their epoch was over, which count for nothing`,
    `${sums.crashed} crashed attempts in the journals`,
    `${others.length} tasks whose creator died before a caller could see them`,
  ];
  return { lines, problems };
}

/** The task was prepared and never claimed: it is listed nowhere, belongs to no call, and has no other events. */
async function cameToNothing(directory: string, taskId: string, folder: string): Promise<boolean> {
  const files = await readJournalFiles(folder);
  const events = files.flatMap(({ entries }) => entries.flatMap((entry) => entry.events.map(({ type }) => type)));
  const open = await readdir(join(directory, "open"));
  return events.join() === "created" && !open.includes(taskId) && !(await claimedTasks(directory)).has(taskId);
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
