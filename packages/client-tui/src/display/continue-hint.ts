import type { TaskError } from "@resumable-mcp/client";

/** The command that continues a task. */
export function resumeCommand(taskId: string): string {
  return `resumable-mcp resume ${taskId}`;
}

/** What to type to continue a failed task; `undefined` where nothing continues it, or its server does not say. */
export function continueHint(taskId: string, error: TaskError | undefined): string | undefined {
  const command = resumeCommand(taskId);
  if (error?.continues === "by_call") return `Run the same call again, or: ${command}`;
  return error?.continues === "by_resume" ? `Continue with: ${command}` : undefined;
}
