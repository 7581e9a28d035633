/** The parts of a task that are resources. */
export type TaskPart = "task" | "journal" | "items";

/** The URI of a task, or of a part of it. */
export function taskUri(taskId: string, part: TaskPart = "task"): string {
  return part === "task" ? `task://${taskId}` : `task://${taskId}/${part}`;
}

/** Reads the URI of a task; `undefined` for any other URI. */
export function parseTaskUri(uri: string): { readonly taskId: string; readonly part: TaskPart } | undefined {
  const [, taskId, suffix] = /^task:\/\/([A-Za-z0-9_-]{16,64})(?:\/(journal|items))?$/.exec(uri) ?? [];
  if (taskId === undefined) return undefined;
  return { taskId, part: suffix === "journal" || suffix === "items" ? suffix : "task" };
}
