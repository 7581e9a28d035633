import type { TaskInfo } from "@resumable-mcp/client";

/** A task as `--json` prints it: the names of the wire, with the server. */
export function taskJson(task: TaskInfo): object {
  return {
    task_id: task.id,
    task_name: task.tool,
    server: task.server,
    status: task.status,
    interrupted: task.interrupted,
    progress: task.progress,
    total: task.total,
    progress_percent: task.percent,
    message: task.message,
    attempt: task.attempt,
    generation: task.generation,
    item_count: task.itemCount,
    last_seq: task.lastSeq,
    created_at: task.createdAt,
    updated_at: task.updatedAt,
    finished_at: task.finishedAt,
    questions:
      task.questions.length === 0
        ? undefined
        : task.questions.map(({ key, message, schema }) => ({ key, message, schema })),
    error: task.error,
  };
}
