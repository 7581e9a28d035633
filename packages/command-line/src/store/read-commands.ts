import type { TaskStatus } from "@resumable-mcp/core";
import {
  finalStatuses,
  readStatus,
  type StoreAdmin,
  type TaskPage,
  type TaskQuery,
  type TaskSummary,
  taskNotFound,
  unfinishedStatuses,
} from "@resumable-mcp/core/store";
import { harmlessJson } from "@resumable-mcp/protocol/display";
import { type CommandOptions, type CommandResult, wrong } from "./command.js";
import { formatQuotas, quotaRows } from "./quota-rows.js";

const statuses = [...unfinishedStatuses, ...finalStatuses];

/** Lists tasks, newest first: by default those that are not over. */
export async function tasksCommand({ reading }: StoreAdmin, options: CommandOptions): Promise<CommandResult> {
  const query = toQuery(options);
  const statuses = options.all ? undefined : unfinishedStatuses;
  const page = await reading.listTasks({ ...query, statuses: query.statuses ?? statuses });
  const lines = page.tasks.map(formatTask);
  for (const task of page.damaged ?? []) lines.push(`${formatTask(task)}  damaged: ${task.damage}`);
  if (page.nextCursor !== undefined) lines.push(`more: --cursor ${page.nextCursor}`);
  return { json: withoutLabels(page), lines: lines.length === 0 ? ["no tasks"] : lines, ok: true };
}

/** A label is made of a caller's arguments: it is for the owner's own views. */
function withoutLabels(page: TaskPage): TaskPage {
  const shown = <Task extends TaskSummary>({ label: _label, ...task }: Task) => task;
  return { ...page, tasks: page.tasks.map(shown), damaged: page.damaged?.map(shown) };
}

/** Which tasks the options mean. */
export function toQuery({ limit = "50", owner, status, tool, cursor }: CommandOptions): TaskQuery {
  const count = Number(limit);
  if (!Number.isInteger(count) || count < 1 || count > 1000)
    throw wrong("limit", "--limit must be a number from 1 to 1000.");
  return { limit: count, owner, tool, cursor, statuses: status?.flatMap((list) => list.split(",")).map(parseStatus) };
}

function parseStatus(text: string): TaskStatus {
  const status = statuses.find((known) => known === text);
  if (status === undefined) throw wrong("status", `--status must be one of ${statuses.join(", ")}.`);
  return status;
}

function formatTask({ id, createdAt, status, tool, progress, total, owner }: TaskSummary): string {
  const done = total === undefined ? String(progress) : `${progress}/${total}`;
  return [createdAt, id, status.padEnd(14), tool, done, owner].join("  ");
}

const pageSize = 1000;

/** Shows one task: what it is, and what happened to it. */
export async function showCommand(admin: StoreAdmin, taskId: string, options: CommandOptions): Promise<CommandResult> {
  const { reading } = admin;
  const snapshot = await reading.getTask(taskId);
  if (snapshot === undefined) throw taskNotFound(taskId);
  const { record, signals, leased } = snapshot;
  const newest = { afterSeq: Math.max(record.lastSeq - pageSize, 0), limit: pageSize };
  const json = {
    status: readStatus(snapshot),
    leased,
    ...(await admin.describeTask(taskId)),
    signals,
    record,
    events: options.events ? (await reading.readEvents(taskId, newest)).events : undefined,
    items: options.items ? (await reading.readItems(taskId, { after: 0, limit: pageSize })).items : undefined,
  };
  return { json, lines: harmlessJson(JSON.stringify(json, null, 2)).split("\n"), ok: true };
}

/** Counts what a store holds, how large it is, and what quotas would refuse. */
export async function statsCommand(admin: StoreAdmin, options: CommandOptions): Promise<CommandResult> {
  const counts = await admin.reading.countTasks({});
  const sizes = await admin.measure();
  const { bytes, unfinished, documents, workers, quarantined } = sizes;
  const quotas = await quotaRows(admin, { ...sizes, total: counts.total }, options);
  const json = { store: admin.place, bytes, ...counts, unfinished, documents, workers, quarantined, quotas };
  const byName = (group: object) => Object.entries(group).map(([name, count]) => `  ${name}: ${count}`);
  const last = `${documents} documents, ${workers} workers`;
  const lines = [
    `${json.total} tasks in ${json.store}, ${unfinished} unfinished, ${bytes} bytes`,
    ...byName(counts.byStatus),
    "by tool",
    ...byName(counts.byTool),
    quarantined === undefined ? last : `${last}, ${quarantined} quarantined`,
    ...formatQuotas(quotas),
  ];
  return { json, lines, ok: true };
}
