import { isTooDeep, tooDeep } from "./json-depth.js";
import { bytesOf } from "./node-body.js";
import { refusal } from "./refusal.js";

/**
 * Reads the body of a POST as JSON, or says what is wrong with it.
 *
 * Limits: `maxBodyBytes`, also of a body that does not say its length; `maxJsonDepth`. Source: MCP, Transports,
 * "Sending Messages to the Server".
 */
export async function readJsonBody(
  request: Request,
  maxBodyBytes: number,
): Promise<{ readonly value: unknown } | Response> {
  const type = request.headers.get("content-type")?.split(";")[0]?.trim().toLowerCase();
  if (type !== "application/json")
    return refusal(415, "Unsupported Media Type: Content-Type must be application/json.");
  const text = await readText(request, maxBodyBytes);
  if (text === undefined) return refusal(413, `The body is larger than maxBodyBytes = ${maxBodyBytes}.`);
  const value = parseJson(text);
  if (value === undefined) return refusal(400, "Parse error: the body is not JSON.", { code: -32700 });
  return isTooDeep(value) ? refusal(400, `Invalid Request: the body ${tooDeep}.`) : { value };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

async function readText(request: Request, maxBytes: number): Promise<string | undefined> {
  if (Number(request.headers.get("content-length") ?? 0) > maxBytes) return undefined;
  const decoder = new TextDecoder();
  let bytes = 0;
  let text = "";
  // Cancelling would cut the connection before the refusal has arrived.
  for await (const chunk of bytesOf(request)) {
    bytes += chunk.byteLength;
    if (bytes > maxBytes) return undefined;
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}
