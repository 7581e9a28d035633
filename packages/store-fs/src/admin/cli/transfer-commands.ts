import { createReadStream } from "node:fs";
import { open } from "node:fs/promises";
import { isResumableError } from "@resumable-mcp/core";
import { listIfExists } from "../../disk/whole-file.js";
import type { OpenStore } from "../../open-store.js";
import { readLines } from "../transfer/export-line.js";
import { exportTasks, type Refused } from "../transfer/export-tasks.js";
import { type ImportReport, importTasks } from "../transfer/import-tasks.js";
import type { CommandOptions, CommandResult, Console } from "./command.js";
import { queryOf } from "./read-commands.js";

const pageSize = 1000;

/** Writes tasks to a file, or to standard output. */
export async function exportCommand(
  store: OpenStore,
  options: CommandOptions,
  taskIds: readonly string[],
  console: Console,
): Promise<CommandResult> {
  const isNamed = taskIds.length > 0;
  // What tasks were given and have made is for their owners: the store's folder is closed to others, too.
  const file = options.to === "-" ? undefined : await open(options.to, "wx", 0o600);
  const write = (line: Buffer) => file?.appendFile(line) ?? console.write(line);
  try {
    const { tasks, refused: all } = await exportTasks(store, isNamed ? taskIds : listed(store, options), write);
    await file?.sync();
    // A listed task that is not there any more was deleted meanwhile.
    const refused = isNamed ? all : all.filter(({ code }) => code !== "TASK_NOT_FOUND");
    const counts = `${tasks} tasks exported${refused.length === 0 ? "" : `, ${refused.length} not`}.`;
    const text = `${counts} The file does not hold what these tasks do in this store from now on: stop the servers of one of the two stores.`;
    if (!options.json) for (const task of refused) console.error(formatRefused(task));
    return { json: { tasks, refused }, text, ok: refused.length === 0, isAside: file === undefined };
  } finally {
    await file?.close();
  }
}

/** A task that could not be exported, or imported, for people. */
function formatRefused({ taskId, code, message }: Refused): string {
  return `${code === "TASK_CORRUPT" ? "damaged" : "refused"}  ${taskId}  ${code}: ${message}`;
}

/** The tasks that the options mean, and then those that cannot be read: nothing says that they are not meant. */
async function* listed(store: OpenStore, options: CommandOptions): AsyncGenerator<string> {
  const query = queryOf({ ...options, limit: String(pageSize) });
  for (let cursor = options.cursor; ; ) {
    const page = await store.lists.listTasks({ ...query, cursor });
    for (const { id } of page.tasks) yield id;
    cursor = page.nextCursor;
    if (cursor === undefined) break;
  }
  yield* unreadable(store);
}

/** Damaged tasks that no list has: unfinished ones, and those that were set aside before. */
async function* unreadable({ context, finished, reader }: OpenStore): AsyncGenerator<string> {
  const setAside = listIfExists(context.disk, context.layout.quarantine) ?? [];
  const read = reader.scan();
  for (const id of new Set([...finished.openIds(), ...setAside])) {
    const isDamaged = await read(id).then(
      () => false,
      (error: unknown) => isResumableError(error, "TASK_CORRUPT"),
    );
    if (isDamaged) yield id;
  }
}

/** Reads tasks from a file, or from standard input. */
export async function importCommand(store: OpenStore, path: string, console: Console): Promise<CommandResult> {
  const report: ImportReport = { imported: [], present: [], refused: [] };
  const chunks = path === "-" ? console.input : createReadStream(path);
  const error = await importTasks(store, readLines(chunks), report).then(() => undefined, explain);
  const refusals = report.refused.map(formatRefused);
  const counts = `${report.imported.length} tasks imported, ${report.present.length} were there, ${refusals.length} refused`;
  const json = { ...report, error };
  const text = [counts, ...refusals, ...(error ? [`${error.code}: ${error.message}`] : [])].join("\n");
  return { json, text, ok: refusals.length === 0 && error === undefined };
}

/** What was imported before stays, and is reported. */
function explain(error: unknown): { readonly code: string; readonly message: string } {
  if (!isResumableError(error)) throw error;
  return { code: error.code, message: error.message };
}
