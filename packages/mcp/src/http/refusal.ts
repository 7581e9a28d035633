import { HttpAnswer } from "./http-answer.js";

/** JSON-RPC numbers that go with an HTTP status; MCP, Transports, "Streamable HTTP". */
const rpcCodes: { readonly [status: number]: number } = { 400: -32600, 404: -32001, 413: -32600, 500: -32603 };
const otherRpcCode = -32000;

/** An answer that refuses a request: the status for HTTP, and a JSON-RPC error with a sentence for people. */
export function refusal(
  status: number,
  message: string,
  options: { readonly code?: number; readonly headers?: Record<string, string>; readonly id?: string | number } = {},
): HttpAnswer {
  const code = options.code ?? rpcCodes[status] ?? otherRpcCode;
  return HttpAnswer.json({ jsonrpc: "2.0", id: options.id ?? null, error: { code, message } }, status, options.headers);
}
