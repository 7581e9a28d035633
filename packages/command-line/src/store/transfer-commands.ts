import { createReadStream, createWriteStream } from "node:fs";
import { mkdtemp, open, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { isResumableError } from "@resumable-mcp/core";
import type { StoreAdmin, StoreWriting } from "@resumable-mcp/core/store";
import { harmlessText } from "@resumable-mcp/protocol/display";
import type { CommandOptions, CommandResult, Console } from "./command.js";
import { toQuery } from "./read-commands.js";
import { formatRefused } from "./refused.js";
import { readLines } from "./transfer/export-line.js";
import { exportTasks } from "./transfer/export-tasks.js";
import { checkExport, emptyReport, importTasks } from "./transfer/import-tasks.js";

const pageSize = 1000;

/** Writes tasks to a file, or to standard output. */
export async function exportCommand(
  admin: StoreAdmin,
  options: CommandOptions,
  taskIds: readonly string[],
  console: Console,
): Promise<CommandResult> {
  const isNamed = taskIds.length > 0;
  // What tasks were given and have made is for their owners: the store's folder is closed to others, too.
  const { to = "-" } = options;
  const file = to === "-" ? undefined : await open(to, "wx", 0o600);
  const write = (line: Buffer) => file?.appendFile(line) ?? console.write(line);
  try {
    const isWhole = !isNamed && options.owner === undefined && options.status === undefined;
    const {
      tasks,
      documents,
      refused: all,
    } = await exportTasks(admin, isNamed ? taskIds : listed(admin, options), isWhole, write);
    await file?.sync();
    // A listed task that is not there any more was deleted meanwhile.
    const refused = isNamed ? all : all.filter(({ code }) => code !== "TASK_NOT_FOUND");
    const notes = [
      ...(refused.length === 0 ? [] : [`${refused.length} not`]),
      ...(documents === 0 ? [] : [`and ${documents} documents`]),
    ];
    const counts = `${[`${tasks} tasks exported`, ...notes].join(", ")}.`;
    const text = `${counts} The file does not hold what these tasks do in this store from now on: stop the servers of one of the two stores.`;
    if (!options.json) for (const task of refused) console.error(harmlessText(formatRefused(task)));
    return {
      json: { tasks, documents, refused },
      lines: [text],
      ok: refused.length === 0,
      isAside: file === undefined,
    };
  } finally {
    await file?.close();
  }
}

/** The tasks that the options mean, and then those that cannot be read: nothing says that they are not meant. */
async function* listed(admin: StoreAdmin, options: CommandOptions): AsyncGenerator<string> {
  const query = toQuery({ ...options, limit: String(pageSize) });
  for (let cursor = options.cursor; ; ) {
    const page = await admin.reading.listTasks({ ...query, cursor });
    for (const { id } of page.tasks) yield id;
    cursor = page.nextCursor;
    if (cursor === undefined) break;
  }
  yield* admin.unlistedIds();
}

/** What is not a file can be read once only, and is kept in one meanwhile: for its user alone, since it holds secrets. */
async function withFile(path: string, { input }: Console, use: (file: string) => Promise<void>): Promise<void> {
  if (path !== "-" && (await stat(path)).isFile()) return use(path);
  const folder = await mkdtemp(join(tmpdir(), "resumable-mcp-import-"));
  try {
    const file = join(folder, "tasks.jsonl");
    const chunks = path === "-" ? input : createReadStream(path);
    await pipeline(chunks, createWriteStream(file, { flags: "wx", mode: 0o600 }));
    await use(file);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Reads tasks from a file, or from standard input. Of a file that a store did not write, or that was cut short, nothing is imported. */
export async function importCommand(writing: StoreWriting, path: string, console: Console): Promise<CommandResult> {
  const report = emptyReport();
  const error = await withFile(path, console, async (file) => {
    await checkExport(readLines(createReadStream(file)));
    await importTasks(writing, readLines(createReadStream(file)), report);
  }).then(() => undefined, explain);
  const refusals = report.refused.map(formatRefused);
  const { documents } = report;
  const counts = `${report.imported.length} tasks imported, ${report.present.length} were there, ${refusals.length} refused; ${documents.imported} documents imported, ${documents.present} were there`;
  const json = { ...report, error };
  const lines = [counts, ...refusals, ...(error ? [`${error.code}: ${error.message}`] : [])];
  return { json, lines, ok: refusals.length === 0 && error === undefined };
}

/** What was imported before the store failed stays, and is reported. */
function explain(error: unknown): { readonly code: string; readonly message: string } {
  if (!isResumableError(error)) throw error;
  return { code: error.code, message: error.message };
}
