import { isResumableError } from "@resumable-mcp/core";
import { isForCaller } from "@resumable-mcp/core/internal";
import { rpcCodes } from "@resumable-mcp/protocol";
import { randomToken } from "../owner/random-token.js";
import { RpcError } from "./rpc-error.js";

/**
 * Makes what hides what the handlers of a server's own tools, resources and prompts throw, and tells the operator of it.
 *
 * @param tell hears of each error with the id that its caller is given.
 */
export function createThrownMask(tell: (error: unknown, id: string) => void): (error: unknown) => unknown {
  return (error) => {
    const code = rpcCode(error);
    // It says where the user of the client is to go.
    if (isResumableError(error) || isForCaller(error) || code === rpcCodes.urlRequired) return error;
    const id = randomToken(16);
    tell(error, id);
    const message = `The tool failed. The server's log says why, under ${id}.`;
    return code === undefined ? new Error(message) : new RpcError(code, message);
  };
}

/** The code of JSON-RPC that an error has. */
export function rpcCode(error: unknown): number | undefined {
  const code: unknown = typeof error === "object" && error !== null ? Reflect.get(error, "code") : undefined;
  return typeof code === "number" && code >= -32_768 && code <= -32_000 ? code : undefined;
}
