import { rpcCodes, rpcErrorResponse } from "@resumable-mcp/protocol";
import { HttpAnswer } from "./http-answer.js";

/** JSON-RPC numbers that go with an HTTP status; MCP, Transports, "Streamable HTTP". */
const codesOfStatus: { readonly [status: number]: number } = {
  400: rpcCodes.invalidRequest,
  404: rpcCodes.notAccepted,
  413: rpcCodes.invalidRequest,
  500: rpcCodes.internalError,
};

/** An answer that refuses a request: the status for HTTP, and a JSON-RPC error with a sentence for people. */
export function refusal(
  status: number,
  message: string,
  options: { readonly code?: number; readonly headers?: Record<string, string>; readonly id?: string | number } = {},
): HttpAnswer {
  const code = options.code ?? codesOfStatus[status] ?? rpcCodes.refused;
  return HttpAnswer.json(rpcErrorResponse(options.id ?? null, code, message), status, options.headers);
}
