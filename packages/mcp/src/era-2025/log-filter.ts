import { isAtLeast, isLogLevel, logLevels, rpcCodes } from "@resumable-mcp/protocol";
import { z } from "zod";
import { RpcError } from "../call/rpc-error.js";
import { forSdk, isIgnoredLevel } from "../sdk-workarounds.js";
import type { Server2025 } from "./server-2025.js";

const setLevelRequest = z.looseObject({
  method: z.literal("logging/setLevel"),
  params: z.looseObject({ level: z.unknown() }).default({ level: undefined }),
});

/**
 * Makes the filter for a server's log messages: below the level that the client asked for nothing is sent.
 *
 * A server without the capability gets it here; one that has it already keeps the level itself.
 * Source: MCP, Utilities, "Logging".
 */
export function createLogFilter({ server }: Server2025): (level: string, sessionId: string | undefined) => boolean {
  if (keepsLevel(server)) return (level, sessionId) => !isIgnoredLevel(server, level, sessionId);
  let least: string = "debug";
  server.registerCapabilities({ logging: {} });
  const handler = ({ params }: z.output<typeof setLevelRequest>) => {
    const { level } = params;
    if (!isLogLevel(level))
      throw new RpcError({
        code: rpcCodes.invalidParams,
        message: `The level must be one of ${logLevels.join(", ")}.`,
      });
    least = level;
    return {};
  };
  server.setRequestHandler(forSdk(setLevelRequest), forSdk(handler));
  return (level) => isAtLeast(level, least);
}

function keepsLevel(server: Server2025["server"]): boolean {
  try {
    server.assertCanSetRequestHandler("logging/setLevel");
    return false;
  } catch {
    return true;
  }
}
