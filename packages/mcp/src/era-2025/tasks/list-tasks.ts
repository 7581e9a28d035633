import type { OwnedTasks } from "@resumable-mcp/core";
import { type LegacyTask, legacySummary } from "./task-2025.js";

const pageSize = 100;

/** A page of tasks. Source: MCP 2025-11-25, Tasks, "Task Listing". */
export type LegacyTaskPage = { tasks: LegacyTask[]; nextCursor?: string };

/** Lists one owner's tasks, newest first. */
export async function listTasks(tasks: OwnedTasks, cursor: string | undefined): Promise<LegacyTaskPage> {
  const page = await tasks.list({ limit: pageSize, ...(cursor === undefined ? {} : { cursor }) });
  const { nextCursor } = page;
  return { tasks: page.tasks.map(legacySummary), ...(nextCursor === undefined ? {} : { nextCursor }) };
}
