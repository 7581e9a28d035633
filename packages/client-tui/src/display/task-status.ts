import type { TaskResult } from "@resumable-mcp/client";
import type { TaskError } from "@resumable-mcp/protocol";
import { withCommands } from "../advice.js";
import { plainText } from "./plain-text.js";
import { contentText } from "./result-text.js";

export { statusMark, statusWord, taskName, toolTitle } from "@resumable-mcp/protocol/display";

/** A result on one line: of a task that was cancelled or failed, the words of its server. */
export function resultPreview(result: TaskResult | undefined): string | undefined {
  if (result === undefined) return undefined;
  const { status, structuredContent } = result;
  const shown = contentText(result);
  const isData = structuredContent !== undefined && (status === "completed" || shown === "");
  const text = isData ? JSON.stringify(structuredContent) : withCommands(shown);
  return plainText(text) === "" ? undefined : plainText(text);
}

/** The command that continues a task. */
export function resumeCommand(taskId: string): string {
  return `resumable-mcp resume ${taskId}`;
}

/** What to type to continue a failed task; `undefined` where nothing continues it, or its server does not say. */
export function continueCommand(taskId: string, error: TaskError | undefined): string | undefined {
  const command = resumeCommand(taskId);
  if (error?.continues === "by_call") return `Run the same call again, or: ${command}`;
  return error?.continues === "by_resume" ? `Continue with: ${command}` : undefined;
}
