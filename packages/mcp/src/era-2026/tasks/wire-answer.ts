import { isJsonObject, type JsonObject } from "@resumable-mcp/core";
import type { RpcErrorBody } from "../../call/rpc-error.js";
import type { ToolResult } from "../../call/tool-result.js";

/** What a tool call is really answered with, where the SDK would only pass on a tool's result. */
export type WireAnswer = { readonly result: JsonObject } | { readonly error: RpcErrorBody };

/** The key under which an answer travels inside a tool's result, from the handler to the edge of the transport. */
const answerKey = "resumable-mcp/wire_answer";

/**
 * Wraps an answer for the way through the SDK, which turns every error of a tool into a result and checks every result
 * against the tool's schema, except those that are errors. {@link unwrapAnswer} restores it at the wire.
 */
export function wrapAnswer(answer: WireAnswer): ToolResult {
  return { content: [], isError: true, _meta: { [answerKey]: { ...answer } as JsonObject } };
}

/** Tells whether serialised text may hold a wrapped answer: most do not, and need no parsing. */
export function mayHoldAnswer(text: string): boolean {
  return text.includes(answerKey);
}

/** Restores a wrapped answer in a JSON-RPC response; every other message passes unchanged. */
export function unwrapAnswer<Message>(message: Message): Message | JsonObject {
  if (!isJsonObject(message) || !isJsonObject(message.result)) return message;
  const { _meta } = message.result;
  const answer = isJsonObject(_meta) ? _meta[answerKey] : undefined;
  if (!isJsonObject(_meta) || !isJsonObject(answer)) return message;
  const { jsonrpc = "2.0", id = null } = message;
  if (isJsonObject(answer.error)) return { jsonrpc, id, error: answer.error };
  const { [answerKey]: _wrapped, ...meta } = _meta;
  const result = isJsonObject(answer.result) ? answer.result : {};
  return { jsonrpc, id, result: Object.keys(meta).length === 0 ? result : { ...result, _meta: meta } };
}
