import { rpcCodes, rpcErrorResponse } from "@resumable-mcp/protocol";
import type { RpcMessage, RpcRequest } from "../wire/json-rpc.js";

// What the supervisor answers in the place of a server.

/** The response to a request whose server does not stay alive. */
export function failed({ id }: RpcRequest, tool: string | undefined, why: string): RpcMessage {
  const message = `${why} The server's log says more.`;
  if (tool === undefined) return rpcErrorResponse(id, rpcCodes.internalError, message);
  const structuredContent = { error: { code: "CRASH_LOOP", message } };
  return {
    jsonrpc: "2.0",
    id,
    result: { content: [{ type: "text", text: message }], structuredContent, isError: true },
  };
}

/** The response to a request over the limit. */
export function tooMany({ id }: RpcRequest, maxPending: number): RpcMessage {
  const message = `There are maxPending = ${maxPending} requests in flight. Wait until one is answered.`;
  return rpcErrorResponse(id, rpcCodes.refused, message);
}

/** The response to a request with the id of another one in flight: an answer could be to either. Source: JSON-RPC 2.0, "id". */
export function idInUse({ id }: RpcRequest): RpcMessage {
  const message = `Invalid Request: a request in flight has the id ${JSON.stringify(id)} too. Give each request an id of its own.`;
  return rpcErrorResponse(id, rpcCodes.invalidRequest, message);
}
