import type { TaskInfo, TaskResult } from "@resumable-mcp/client";
import { continueCommand } from "../display/task-status.js";
import type { Output } from "./output.js";

/** Prints the end of a task: its text for people, with how a failed one continues, and everything for programs. */
export function printResult(output: Output, result: TaskResult): void {
  const { taskId, status, reused, isError, content, structuredContent, error } = result;
  const facts = { task_id: taskId, status, reused, is_error: isError, content, structured_content: structuredContent };
  output.result({ type: "result", ...facts }, [withoutControl(resultText(result))]);
  const command = taskId && continueCommand(taskId, error);
  if (command && !output.json) output.note(command);
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
  const { id, tool, server, status, interrupted, progress, total, percent, message, attempt, generation } = task;
  const questions = task.questions.map(({ key, message: text, schema }) => ({ key, message: text, schema }));
  return {
    ...{ task_id: id, task_name: tool, server, status, interrupted, progress, total, progress_percent: percent },
    ...{ message, attempt, generation, item_count: task.itemCount, last_seq: task.lastSeq },
    ...{ created_at: task.createdAt, updated_at: task.updatedAt, finished_at: task.finishedAt },
    questions: questions.length === 0 ? undefined : questions,
    error: task.error,
  };
}
