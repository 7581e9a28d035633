import type { TaskInfo, TaskResult } from "@resumable-mcp/client";
import { continueCommand } from "../display/task-facts.js";
import type { Output } from "./output.js";

/** Prints the end of a task: its text for people, with how a failed one continues, and everything for programs. */
export function printResult(output: Output, result: TaskResult): void {
  if (output.json) {
    const { taskId, status, reused, isError, content, structuredContent } = result;
    output.object({
      type: "result",
      task_id: taskId,
      status,
      reused,
      is_error: isError,
      content,
      structured_content: structuredContent,
    });
    return;
  }
  output.line(withoutControl(resultText(result)));
  const { taskId, error } = result;
  const command = taskId === undefined ? undefined : continueCommand(taskId, error);
  if (command !== undefined) output.note(command);
}

/** A result for people: its text, else its structured content. */
export function resultText({ text, structuredContent }: TaskResult): string {
  return text === "" ? JSON.stringify(structuredContent ?? null) : text;
}

/** Keeps line breaks and tabs, and takes out what would move the cursor or change colours. */
function withoutControl(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it removes.
  return text.replaceAll(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, "");
}

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
