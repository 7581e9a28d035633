import { join } from "node:path";
import { ResumableError, type TaskStatus } from "@resumable-mcp/core";
import {
  finalStatuses,
  statusOf,
  type TaskQuery,
  type TaskSummary,
  unfinishedStatuses,
} from "@resumable-mcp/core/store";
import { isSafeId, taskFolder } from "../../disk/layout.js";
import { badId } from "../../disk/store-errors.js";
import { listIfExists } from "../../disk/whole-file.js";
import { bytesIn } from "../../index/store-usage.js";
import type { OpenStore } from "../../open-store.js";
import type { CommandOptions, CommandResult } from "./command.js";

const statuses = [...unfinishedStatuses, ...finalStatuses];

/** Lists tasks, newest first. */
export async function listCommand({ lists }: OpenStore, options: CommandOptions): Promise<CommandResult> {
  const page = await lists.listTasks(queryOf(options));
  const lines = page.tasks.map(formatTask);
  for (const task of page.damaged ?? []) lines.push(`${formatTask(task)}  damaged: look into quarantine/${task.id}`);
  if (page.nextCursor !== undefined) lines.push(`more: --cursor ${page.nextCursor}`);
  return { json: page, text: lines.length === 0 ? "no tasks" : lines.join("\n"), ok: true };
}

/** Which tasks the options mean. */
export function queryOf({ limit, owner, status, cursor }: CommandOptions): TaskQuery {
  const count = Number(limit);
  if (!Number.isInteger(count) || count < 1 || count > 1000)
    throw wrong("limit", "--limit must be a number from 1 to 1000.");
  return { limit: count, owner, cursor, statuses: status?.map(parseStatus) };
}

function parseStatus(text: string): TaskStatus {
  const status = statuses.find((known) => known === text);
  if (status === undefined) throw wrong("status", `--status must be one of ${statuses.join(", ")}.`);
  return status;
}

/** An option that does not have a value that it can have. */
export function wrong(option: string, message: string): ResumableError {
  return new ResumableError("INVALID_OPTION", message, { details: { option } });
}

function formatTask({ id, createdAt, status, tool, progress, total, owner }: TaskSummary): string {
  const done = total === undefined ? String(progress) : `${progress}/${total}`;
  return [createdAt, id, status.padEnd(14), tool, done, owner].join("  ");
}

const pageSize = 1000;

/** Shows one task: what it is, and what happened to it. */
export async function showCommand(store: OpenStore, taskId: string, options: CommandOptions): Promise<CommandResult> {
  if (!isSafeId(taskId)) throw badId("id");
  const { reader, context, journal } = store;
  const reading = await reader.require(taskId);
  const snapshot = reader.snapshotOf(reading);
  const newest = { afterSeq: Math.max(reading.record.lastSeq - pageSize, 0), limit: pageSize };
  const { epoch, worker, chain } = reading.view.header;
  const json = {
    status: statusOf(snapshot),
    leased: snapshot.leased,
    folder: taskFolder(context.layout, taskId),
    epoch,
    worker,
    journalFiles: chain.length + 1,
    signals: snapshot.signals,
    record: snapshot.record,
    events: options.events ? (await journal.readEvents(taskId, newest)).events : undefined,
    items: options.items ? (await journal.readItems(taskId, { after: 0, limit: pageSize })).items : undefined,
  };
  return { json, text: JSON.stringify(json, null, 2), ok: true };
}

/** Counts what a store holds, and how large its files are. */
export async function statsCommand({ context, lists }: OpenStore): Promise<CommandResult> {
  const { disk, layout } = context;
  const counts = await lists.countTasks({});
  const namesIn = (folder: string) => listIfExists(disk, folder) ?? [];
  const json = {
    store: layout.directory,
    bytes: await bytesIn(disk, layout.directory),
    ...counts,
    unfinished: namesIn(layout.open).length,
    documents: namesIn(layout.documents).flatMap((kind) => namesIn(join(layout.documents, kind))).length,
    workers: namesIn(layout.workers).length,
    quarantined: namesIn(layout.quarantine).filter((name) => disk.stat(join(layout.quarantine, name))?.isFolder).length,
  };
  const byName = (group: object) => Object.entries(group).map(([name, count]) => `  ${name}: ${count}`);
  const text = [
    `${json.total} tasks in ${json.store}, ${json.unfinished} unfinished, ${json.bytes} bytes`,
    ...byName(counts.byStatus),
    "by tool",
    ...byName(counts.byTool),
    `${json.documents} documents, ${json.workers} workers, ${json.quarantined} quarantined`,
  ].join("\n");
  return { json, text, ok: true };
}
