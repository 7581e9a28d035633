import type { Answer } from "@resumable-mcp/core";
import { metaKeys, parseElicitationResult } from "@resumable-mcp/protocol";
import { z } from "zod";
import type { AskedQuestion } from "../call/call.js";
import { forSdk } from "../sdk-workarounds.js";
import type { RequestExtra, Server2025 } from "./server-2025.js";

/** Any object: `parseElicitationResult` reads the result. */
const anyResult = z.looseObject({});

/** The longest delay that timers accept: a person may think as long as they like. */
const noTimeoutMs = 2 ** 31 - 1;

/** Tells whether a client can ask its user by a form. Source: MCP, Elicitation, "Capabilities". */
export function canAsk({ server }: Server2025): boolean {
  const elicitation = server.getClientCapabilities()?.elicitation;
  if (elicitation === undefined) return false;
  return "form" in elicitation || !("url" in elicitation);
}

/**
 * Asks the user through the client.
 *
 * The request names task and question in `_meta`, so that a transport of ours can give it an id that stays the same
 * across restarts: the user is asked once. Source: MCP, Elicitation, "Creating Elicitation Requests".
 */
export async function askUser(
  extra: RequestExtra,
  taskId: string,
  { key, question, seq }: AskedQuestion,
  signal: AbortSignal,
): Promise<Answer> {
  const _meta = { [metaKeys.taskId]: taskId, [metaKeys.question]: key, [metaKeys.seq]: seq };
  const params = { message: question.message, requestedSchema: question.schema, _meta };
  const request = { method: "elicitation/create", params };
  const options = { signal, timeout: noTimeoutMs };
  const given = await extra.sendRequest(forSdk(request), forSdk(anyResult), forSdk(options));
  return parseElicitationResult(given) ?? { action: "cancel" };
}
