import type { OwnedTasks } from "@resumable-mcp/core";
import { summary2025, type Task2025 } from "./task-2025.js";

const pageSize = 100;

/** A page of tasks. Source: MCP 2025-11-25, Tasks, "Task Listing". */
export type TaskPage2025 = { tasks: Task2025[]; nextCursor?: string };

/** Lists one owner's tasks, newest first. */
export async function listTasks(tasks: OwnedTasks, cursor: string | undefined): Promise<TaskPage2025> {
  const page = await tasks.list({ limit: pageSize, ...(cursor === undefined ? {} : { cursor }) });
  const { nextCursor } = page;
  return { tasks: page.tasks.map(summary2025), ...(nextCursor === undefined ? {} : { nextCursor }) };
}
