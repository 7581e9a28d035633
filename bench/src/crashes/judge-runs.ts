import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Json, Store } from "@resumable-mcp/core";
import { proveOneWriter, readJournalFiles } from "./one-writer.js";
import type { RunBoard } from "./run-board.js";

/** What came of the runs. */
export interface CrashVerdict {
  readonly runs: number;
  /** Commits that the store acknowledged to their writers. */
  readonly acknowledged: number;
  /** Leases under which something was written, of all tasks together. */
  readonly writers: number;
  readonly lateLines: number;
  readonly crashedAttempts: number;
  /** Folders of tasks whose creator died before it claimed the deduplication key: no caller sees them. */
  readonly unclaimed: number;
  readonly problems: readonly string[];
}

interface JudgeOptions {
  readonly directory: string;
  readonly reader: Store;
  readonly board: RunBoard;
  readonly compact: boolean;
}

/** Checks every run: one task for it, each item once and in order, the right result, one writer at a time. */
export async function judgeRuns(options: JudgeOptions): Promise<CrashVerdict> {
  const { board, directory } = options;
  const folders = await taskFolders(directory);
  const problems: string[] = [];
  const sums = { acknowledged: 0, writers: 0, lateLines: 0, crashedAttempts: 0 };
  for (const [run, tasks] of board.all) {
    const [taskId, ...others] = tasks;
    if (taskId === undefined || others.length > 0) {
      problems.push(`${run}: ${tasks.size} tasks belong to it`);
      continue;
    }
    const acknowledged = board.acknowledgedOf(taskId);
    const proof = proveOneWriter(await readJournalFiles(folders.get(taskId) ?? ""), acknowledged);
    const found = [...proof.problems, ...(await wrongOutcome(options, taskId, run))];
    problems.push(...found.map((problem) => `${run} (${taskId}): ${problem}`));
    sums.acknowledged += acknowledged.length;
    sums.writers += proof.writers;
    sums.lateLines += proof.lateLines;
    sums.crashedAttempts += proof.crashed;
  }
  const known = new Set([...board.all.values()].flatMap((tasks) => [...tasks]));
  const others = [...folders].filter(([taskId]) => !known.has(taskId));
  for (const [taskId, folder] of others) {
    if (!(await cameToNothing(directory, taskId, folder))) problems.push(`task ${taskId} belongs to no run`);
  }
  return { ...sums, runs: board.all.size, unclaimed: others.length, problems };
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

async function wrongOutcome({ reader, board, compact }: JudgeOptions, taskId: string, run: string): Promise<string[]> {
  const { expected } = board;
  const problems: string[] = [];
  const task = await reader.getTask(taskId);
  if (JSON.stringify(task?.record.output) !== JSON.stringify(expected)) {
    problems.push(`it is ${task?.record.status} with ${JSON.stringify(task?.record.output)}`);
  }
  const items = await allItems(reader, taskId);
  const wanted = Array.from({ length: expected.records }, (_, index) => JSON.stringify({ run, index }));
  const wrong = wanted.findIndex((item, index) => JSON.stringify(items[index]) !== item);
  if (wrong >= 0 || items.length !== wanted.length) {
    problems.push(`${items.length} items for ${wanted.length} records, item ${wrong} is wrong`);
  }
  const { snapshot } = await reader.readEvents(taskId, { afterSeq: 0, limit: 1 });
  if (snapshot !== undefined && !compact) problems.push("its first events were removed");
  return problems;
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
