import { isTooDeep, mayBeTooDeep, rpcCodes, tooDeep } from "@resumable-mcp/protocol";
import type { HttpAnswer } from "./http-answer.js";
import type { HttpRequest } from "./http-request.js";
import { refusal } from "./refusal.js";

/**
 * Reads the body of a POST as JSON, or says what is wrong with it.
 *
 * Limits: `maxBodyBytes`, also of a body that does not say its length; `maxJsonDepth`. Source: MCP, Transports,
 * "Sending Messages to the Server".
 */
export async function readJsonBody(
  request: HttpRequest,
  maxBodyBytes: number,
): Promise<{ readonly value: unknown } | HttpAnswer> {
  const type = request.header("content-type")?.split(";")[0]?.trim().toLowerCase();
  if (type !== "application/json")
    return refusal(415, "Unsupported Media Type: Content-Type must be application/json.");
  const text = await request.text(maxBodyBytes);
  if (text === undefined) return refusal(413, `The body is larger than maxBodyBytes = ${maxBodyBytes}.`);
  const value = parseJson(text);
  if (value === undefined) return refusal(400, "Parse error: the body is not JSON.", { code: rpcCodes.parseError });
  if (mayBeTooDeep(text) && isTooDeep(value)) return refusal(400, `Invalid Request: the body ${tooDeep}.`);
  return { value };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
