import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Json, Store } from "@resumable-mcp/core";
import type { Acknowledged } from "./life.js";
import { proveOneWriter, readJournalFiles } from "./one-writer.js";

/** What is known of the runs of a storm. */
export interface JudgedRuns {
  readonly directory: string;
  readonly reader: Store;
  /** Every run, with the tasks that were named for it: one is right. */
  readonly runs: ReadonlyMap<string, ReadonlySet<string>>;
  /** Commits of each task that the store acknowledged to their writers. */
  readonly acknowledged: ReadonlyMap<string, readonly Acknowledged[]>;
  /** How many records each run has. */
  readonly records: number;
  /** The store may remove the first events of a journal. */
  readonly compact: boolean;
}

/** Checks every run: one task for it, each item once and in order, the right result, one writer at a time. */
export async function judgeRuns(
  judged: JudgedRuns,
): Promise<{ readonly lines: readonly string[]; readonly problems: readonly string[] }> {
  const { runs, directory } = judged;
  const folders = await taskFolders(directory);
  const problems: string[] = [];
  const sums = { acknowledged: 0, writers: 0, lateLines: 0, crashed: 0 };
  for (const [run, tasks] of runs) {
    const [taskId, ...others] = tasks;
    if (taskId === undefined || others.length > 0) {
      problems.push(`${run}: ${tasks.size} tasks belong to it`);
      continue;
    }
    const acknowledged = judged.acknowledged.get(taskId) ?? [];
    const proof = proveOneWriter(await readJournalFiles(folders.get(taskId) ?? ""), acknowledged);
    const found = [...proof.problems, ...(await wrongOutcome(judged, taskId, run))];
    problems.push(...found.map((problem) => `${run} (${taskId}): ${problem}`));
    sums.acknowledged += acknowledged.length;
    sums.writers += proof.writers;
    sums.lateLines += proof.lateLines;
    sums.crashed += proof.crashed;
  }
  const known = new Set([...runs.values()].flatMap((tasks) => [...tasks]));
  const others = [...folders].filter(([taskId]) => !known.has(taskId));
  for (const [taskId, folder] of others) {
    if (!(await cameToNothing(directory, taskId, folder))) problems.push(`task ${taskId} belongs to no run`);
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

async function wrongOutcome({ reader, records, compact }: JudgedRuns, taskId: string, run: string): Promise<string[]> {
  const problems: string[] = [];
  const task = await reader.getTask(taskId);
  if (JSON.stringify(task?.record.output) !== JSON.stringify({ records, sum: (records * (records - 1)) / 2 })) {
    problems.push(`it is ${task?.record.status} with ${JSON.stringify(task?.record.output)}`);
  }
  problems.push(...wrongItems(await allItems(reader, taskId), run, records));
  const { snapshot } = await reader.readEvents(taskId, { afterSeq: 0, limit: 1 });
  if (snapshot !== undefined && !compact) problems.push("its first events were removed");
  return problems;
}

/** Says which item of a run is not what it has to be. */
export function wrongItems(items: readonly unknown[], run: string, records: number): readonly string[] {
  const expected = Array.from({ length: records }, (_, index) => JSON.stringify({ run, index }));
  const wrong = expected.findIndex((item, index) => JSON.stringify(items[index]) !== item);
  if (wrong < 0 && items.length === records) return [];
  return [`${items.length} items for ${records} records, item ${wrong} is wrong`];
}

async function allItems(reader: Store, taskId: string): Promise<readonly Json[]> {
  const items: Json[] = [];
  for (;;) {
    const page = await reader.readItems(taskId, { after: items.length, limit: 1_000 });
    items.push(...page.items);
    if (page.items.length === 0 || items.length >= page.total) return items;
  }
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
