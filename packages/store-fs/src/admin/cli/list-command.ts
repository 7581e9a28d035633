import { ResumableError, type TaskQuery, type TaskStatus, type TaskSummary } from "@resumable-mcp/core";
import type { OpenStore } from "../../open-store.js";
import type { CommandOptions, CommandResult } from "./command.js";

const statuses = ["pending", "running", "paused", "input_required", "completed", "failed", "cancelled"] as const;

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
    throw wrong("limit", "--limit is a number from 1 to 1000.");
  return {
    limit: count,
    ...(owner !== undefined && { owner }),
    ...(cursor !== undefined && { cursor }),
    ...(status !== undefined && { statuses: status.map(parseStatus) }),
  };
}

function parseStatus(text: string): TaskStatus {
  const status = statuses.find((known) => known === text);
  if (status === undefined) throw wrong("status", `--status is one of ${statuses.join(", ")}.`);
  return status;
}

function wrong(option: string, message: string): ResumableError {
  return new ResumableError("INVALID_OPTION", message, { details: { option } });
}

function formatTask({ id, createdAt, status, tool, progress, total, owner }: TaskSummary): string {
  const done = total === undefined ? String(progress) : `${progress}/${total}`;
  return [createdAt, id, status.padEnd(14), tool, done, owner].join("  ");
}
