import type { TaskResult, ToolInfo } from "@resumable-mcp/client";
import type { TaskError } from "@resumable-mcp/protocol";
import { toolTitle } from "@resumable-mcp/protocol/display";
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

/** What a tool is for, after its title. */
export function toolText({ title, description }: Pick<ToolInfo, "title" | "description">): string {
  return plainText([...new Set([title ?? "", description ?? ""])].filter((part) => part !== "").join(": "));
}

/** What people call a tool. */
export function titleOf({ name, title }: Pick<ToolInfo, "name" | "title">): string {
  return plainText(toolTitle({ tool: name, title }));
}

/** The command that continues a task. */
export function resumeCommand(taskId: string): string {
  return `resumable-mcp resume ${taskId}`;
}

/** The command that saves the files that a task made. */
export function saveCommand(taskId: string): string {
  return `resumable-mcp save ${taskId}`;
}

/** What to type to continue a failed task; `undefined` where nothing continues it, or its server does not say. */
export function continueCommand(taskId: string, error: TaskError | undefined): string | undefined {
  const command = resumeCommand(taskId);
  if (error?.continues === "by_call") return `Run the same call again, or: ${command}`;
  return error?.continues === "by_resume" ? `Continue with: ${command}` : undefined;
}
