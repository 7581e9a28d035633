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
