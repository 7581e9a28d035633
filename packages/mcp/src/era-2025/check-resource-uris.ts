import { isJsonObject, type JsonObject } from "@resumable-mcp/core";
import { rpcCodes } from "@resumable-mcp/protocol";
import { z } from "zod";
import { RpcError } from "../call/rpc-error.js";
import { handleRequest, handlerOf } from "../sdk-workarounds.js";
import type { RequestExtra, Server2025 } from "./server-2025.js";

const readRequest = z.looseObject({ method: z.literal("resources/read") });
const maxShownLength = 100;

/**
 * Refuses requests for resources whose URI is none: SDK 1.x calls that an internal error of the server.
 *
 * Source: MCP 2025-11-25, Resources, "Error Handling".
 */
export function checkResourceUris({ server }: Server2025): void {
  const read = handlerOf<RequestExtra>(server, "resources/read");
  if (read === undefined) return;
  const readChecked = (request: JsonObject, extra: RequestExtra): Promise<object> => {
    const uri = isJsonObject(request.params) ? request.params.uri : undefined;
    if (typeof uri !== "string" || URL.canParse(uri)) return read(request, extra);
    const shown = JSON.stringify(uri.slice(0, maxShownLength));
    throw new RpcError(rpcCodes.invalidParams, `Invalid params: uri: ${shown} is not a URI.`);
  };
  handleRequest(server, readRequest, readChecked);
}
