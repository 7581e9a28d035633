import { isJsonObject, type JsonObject } from "@resumable-mcp/core";

/** What a user does with a question. Source: MCP, Elicitation, "Response Actions". */
export const answerActions = ["accept", "decline", "cancel"] as const;

/** How a user answers a question. */
export type QuestionAnswer =
  | { readonly action: "accept"; readonly content: JsonObject }
  | { readonly action: "decline" | "cancel" };

/** Reads the result of an elicitation; `undefined` when the value is not one. */
export function parseElicitationResult(value: unknown): QuestionAnswer | undefined {
  if (!isJsonObject(value)) return undefined;
  const action = answerActions.find((known) => known === value.action);
  const { content = {} } = value;
  if (action === undefined || !isJsonObject(content)) return undefined;
  return action === "accept" ? { action, content } : { action };
}

/** The id by which a client of the 2025 era knows a question: the same in every process. */
export function questionId(taskId: string, key: string): string {
  return `ask:${taskId}:${key}`;
}

/** Reads such an id; `undefined` for any other id. */
export function parseQuestionId(wireId: string): { readonly taskId: string; readonly key: string } | undefined {
  const [, taskId, key] = /^ask:([A-Za-z0-9_-]{1,64}):(.*)$/s.exec(wireId) ?? [];
  return taskId === undefined || key === undefined ? undefined : { taskId, key };
}
