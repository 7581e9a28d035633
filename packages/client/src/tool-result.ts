import {
  decodeFailure,
  type FinalStatus,
  finalStatuses,
  isJsonObject,
  JsonFields,
  type JsonObject,
  metaKeys,
  type TaskError,
} from "@resumable-mcp/protocol";

/** One block of a result's content, as MCP defines them. */
export type ResultBlock = JsonObject & { readonly type: string };

/** What a tool answered, unchanged. */
export interface ToolResult {
  readonly content: readonly ResultBlock[];
  readonly structuredContent?: JsonObject;
  readonly isError: boolean;
  readonly meta: JsonObject;
}

/** The end of a call. */
export interface TaskResult extends ToolResult {
  /** Absent where the server has no tasks. */
  readonly taskId?: string;
  readonly status: FinalStatus;
  /** The task had finished before this call. */
  readonly reused: boolean;
  /** Why its task failed; absent where it did not, or the server does not say. */
  readonly error?: TaskError;
  /** The text blocks, joined by line breaks. */
  readonly text: string;
}

/** Reads what a tool's answer says about its task. */
export function toTaskResult(result: ToolResult, taskId?: string): TaskResult {
  const fallback = result.isError ? "failed" : "completed";
  const status = finalStatuses.find((known) => known === result.meta[metaKeys.status]) ?? fallback;
  const error = status === "failed" ? decodeFailure(result.structuredContent) : undefined;
  return {
    ...result,
    taskId,
    status,
    error,
    reused: result.meta[metaKeys.reused] === true,
    text: resultText(result),
  };
}

/** Joins the text blocks of a result, but for those that are for a model alone. Source: MCP, Resources, "Annotations". */
export function resultText(result: ToolResult): string {
  const texts = result.content.filter((block) => !isForModel(block)).map(({ text }) => text);
  return texts.filter((text) => typeof text === "string").join("\n");
}

function isForModel({ annotations }: ResultBlock): boolean {
  const audience = isJsonObject(annotations) ? annotations.audience : undefined;
  return Array.isArray(audience) && !audience.includes("user");
}

/** Reads the failure of a control tool, or returns `undefined` for anything else, a failed task's result included. */
export function controlFailure(result: ToolResult): { code: string; message: string } | undefined {
  if (!result.isError || result.meta[metaKeys.status] !== undefined) return undefined;
  const error = JsonFields.of(result.structuredContent?.error);
  const code = error?.text("code");
  return code === undefined ? undefined : { code, message: error?.text("message") ?? resultText(result) };
}
