import { isAtLeast, isLogLevel, logLevels, rpcCodes } from "@resumable-mcp/protocol";
import { z } from "zod";
import { RpcError } from "../call/rpc-error.js";
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
  if (keepsLevel(server)) return (level, sessionId) => !isIgnored(server, level, sessionId);
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
  // The SDK's own types bind schema and handler to one copy of zod; it only reads the method's literal.
  server.setRequestHandler(setLevelRequest as never, handler as never);
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

/** The SDK tells nobody the level that a client set, except by this function, which its types call private. */
function isIgnored(server: Server2025["server"], level: string, sessionId: string | undefined): boolean {
  const test: unknown = Reflect.get(server, "isMessageIgnored");
  return typeof test === "function" && test(level, sessionId) === true;
}
