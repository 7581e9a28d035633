import { isResumableError, type Json } from "@resumable-mcp/core";
import { toTaskView } from "@resumable-mcp/core/internal";
import {
  finalStatuses,
  type ItemPage,
  type StoreAdmin,
  storeErrors,
  type TaskQuery,
  type TaskSnapshot,
  type TaskSummary,
  unfinishedStatuses,
} from "@resumable-mcp/core/store";
import { decodeJournal, decodeTask, encodeTask } from "@resumable-mcp/protocol";
import { harmlessJson } from "@resumable-mcp/protocol/display";
import { oneOf, wholeNumber } from "../flags.js";
import { formatTask, formatTasks, type TextTask } from "../tasks/task-text.js";
import type { CommandOptions, CommandResult } from "./command.js";
import { formatQuotas, quotaRows } from "./quota-rows.js";

const statuses = [...unfinishedStatuses, ...finalStatuses];

/** Lists tasks, newest first: by default those that are not over. */
export async function tasksCommand({ reading }: StoreAdmin, options: CommandOptions): Promise<CommandResult> {
  const { all = false } = options;
  const query = toQuery(options);
  const page = await reading.listTasks({
    ...query,
    statuses: query.statuses ?? (all ? undefined : unfinishedStatuses),
  });
  const tasks: TextTask[] = [];
  const damaged: object[] = [];
  const notes: string[] = [];
  const addDamaged = ({ id, tool, owner }: TaskSummary, damage: string) => {
    damaged.push({ task_id: id, task_name: tool, owner, damage });
    notes.push(`damaged  ${id}  ${tool}  ${owner}  ${damage}`);
  };
  for (const summary of page.tasks) {
    try {
      const snapshot = await reading.getTask(summary.id);
      if (snapshot !== undefined) tasks.push(textTask(snapshot));
    } catch (error) {
      if (!isResumableError(error, "TASK_CORRUPT")) throw error;
      addDamaged(summary, error.message);
    }
  }
  for (const task of page.damaged ?? []) addDamaged(task, task.damage);
  if (page.nextCursor !== undefined) notes.push(`more: --cursor ${page.nextCursor}`);
  const { json, lines } = formatTasks(tasks, { all, nowMs: Date.now() });
  return { json: { ...json, damaged, next_cursor: page.nextCursor }, lines: [...lines, ...notes], ok: true };
}

/** A label is made of a caller's arguments: it is for the owner's own views. */
function textTask(snapshot: TaskSnapshot): TextTask {
  const { record, ...view } = toTaskView(snapshot);
  const { error, owner } = record;
  const facts = decodeTask(encodeTask({ ...view, record: { ...record, label: undefined } }, { error }));
  if (facts === undefined) throw new Error(`Task ${record.id} cannot be shown.`);
  return { ...facts, owner };
}

/** Which tasks the options mean. */
export function toQuery({ limit = "50", owner, status, tool, cursor }: CommandOptions): TaskQuery {
  const wanted = status?.flatMap((list) => list.split(",")).map((text) => oneOf("status", text, statuses));
  return { limit: wholeNumber("limit", limit, { min: 1, max: 1000 }), owner, tool, cursor, statuses: wanted };
}

const pageSize = 1000;

/** Shows one task: what it is, and what happened to it, then what only its store knows. */
export async function showCommand(admin: StoreAdmin, taskId: string): Promise<CommandResult> {
  const { reading } = admin;
  const snapshot = await reading.getTask(taskId);
  if (snapshot === undefined) throw storeErrors.taskNotFound(taskId);
  const { record, signals, leased } = snapshot;
  const newest = { afterSeq: Math.max(record.lastSeq - pageSize, 0), limit: pageSize };
  const { events } = await reading.readEvents(taskId, newest);
  const journal = decodeJournal({ last_seq: record.lastSeq, arguments: record.input, events });
  const { output } = record;
  const result =
    output === undefined
      ? undefined
      : { json: { is_error: false, structured_content: output }, text: JSON.stringify(output) };
  const { json, lines } = formatTask(textTask(snapshot), { journal, result });
  const stored = {
    leased,
    ...(await admin.describeTask(taskId)),
    signals,
    record,
  };
  const storedLines = harmlessJson(JSON.stringify(stored, null, 2)).split("\n");
  return { json: { ...json, ...stored }, lines: [...lines, "store", ...storedLines], ok: true };
}

/** Prints the items of a task, one JSON value a line. */
export async function itemsCommand({ reading }: StoreAdmin, taskId: string): Promise<CommandResult> {
  if ((await reading.getTask(taskId)) === undefined) throw storeErrors.taskNotFound(taskId);
  const items: Json[] = [];
  let page: ItemPage;
  do {
    page = await reading.readItems(taskId, { after: items.length, limit: pageSize });
    items.push(...page.items);
  } while (page.items.length > 0 && page.next < page.total);
  const lines = items.map((item) => harmlessJson(JSON.stringify(item)));
  return { json: items, lines, ok: true, isJsonLines: true };
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
