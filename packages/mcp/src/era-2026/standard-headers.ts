import type { JsonObject } from "@resumable-mcp/core";
import { repeatedParts, toText } from "@resumable-mcp/protocol";
import { RpcError } from "../call/rpc-error.js";
import type { HttpRequest } from "../http/http-request.js";

/** A header and the body disagree. Source: MCP 2026-07-28, Transports, "Standard Headers". */
const headerMismatch = -32_020;

/** Other texts that are numbers to us, as an empty one, are not to programs in between. */
const decimal = /^-?\d+(\.\d+)?$/;

/**
 * Checks that the headers of a request repeat what its body says, which programs in between rely on.
 *
 * @param schema of the input of a tool of ours that is called: its properties may have headers of their own.
 *
 * Source: MCP 2026-07-28, Transports, "Standard Headers"; SEP-2243.
 * @throws {@link RpcError} -32020.
 */
export function checkHeaders(
  request: Pick<HttpRequest, "header">,
  method: string,
  params: JsonObject,
  schema: JsonObject | undefined,
): void {
  for (const header of ["MCP-Protocol-Version", "Mcp-Method"]) {
    if (request.header(header.toLowerCase()) === undefined) throw mismatch(`the required ${header} header is absent`);
  }
  for (const { header, place, value } of repeatedParts(method, params, schema))
    checkHeader(request, header, value, place);
}

function checkHeader(request: Pick<HttpRequest, "header">, name: string, value: unknown, place: string): void {
  const sent = request.header(name.toLowerCase())?.trim();
  const body = `the body has ${place}=${JSON.stringify(value)}`;
  if (sent === undefined) throw mismatch(`${body}, but the required ${name} header is absent`);
  const text = decoded(sent);
  if (text === undefined) throw mismatch(`the ${name} header is not valid Base64`, sent);
  const isSame = typeof value === "number" ? decimal.test(text) && Number(text) === value : text === toText(value);
  if (!isSame) throw mismatch(`${body}, but the ${name} header names ${JSON.stringify(text)}`, sent);
}

function mismatch(body: string, header = "(missing)"): RpcError {
  const message = `Bad Request: the request headers and body disagree: ${body}`;
  return new RpcError(headerMismatch, message, { mismatch: { header, body } });
}

/** What a header holds; text that no header may hold is sent as Base64. `undefined` where that is malformed. */
function decoded(sent: string): string | undefined {
  const base64 = /^=\?base64\?(.*)\?=$/.exec(sent)?.[1];
  if (base64 === undefined) return sent;
  const bytes = Buffer.from(base64, "base64");
  if (bytes.toString("base64") !== base64) return undefined;
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
