import type { TaskInfo } from "@resumable-mcp/client";
import type { TaskQuestion } from "@resumable-mcp/protocol";
import { plainText } from "../display/plain-text.js";
import { progressNumbers } from "../display/progress-line.js";
import { statusMark, statusWord, taskName } from "../display/task-status.js";
import { asObject } from "../json.js";
import { exampleWords, kindText, requiredKeys } from "./tool-arguments.js";

/** One task as a line without a title: `+ ID count_to completed 100% (10/10)`. */
export function taskLine(task: TaskInfo): string {
  const { id, status, interrupted, message = "" } = task;
  const state = [statusWord(status, interrupted), progressNumbers(task), plainText(message)];
  return [statusMark(status, interrupted), id, plainText(taskName(task)), ...state]
    .filter((word) => word !== "")
    .join("  ");
}

/** What an answer to a question needs, and the command for it. */
export function answerRows(
  taskId: string,
  question: TaskQuestion,
): readonly (readonly [name: string, value: string])[] {
  const { schema } = question;
  const fields = Object.entries(asObject(schema.properties) ?? {}).map(([name, value]) => {
    const kind = [kindText(asObject(value) ?? {}), requiredKeys(schema).includes(name) ? "required" : "optional"];
    return ["  field", `${name}: ${kind.filter((part) => part !== "").join(", ")}`] as const;
  });
  return [...fields, ["  answer", answerCommand(taskId, question)]];
}

/** The command that answers a question, with an example of each of its fields. */
export function answerCommand(taskId: string, { key, schema }: TaskQuestion): string {
  return plainText(`resumable-mcp answer ${taskId} ${key} ${exampleWords(schema)}`).trimEnd();
}
