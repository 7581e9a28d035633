import type { Engine } from "@resumable-mcp/core";
import {
  createBothErasHandler,
  createSessionHandler,
  type EndpointHandler,
  type ServerDefinition,
  type SessionLimits,
  sessionLimits,
} from "@resumable-mcp/mcp";

/** What the MCP endpoint of a server is made of. */
export interface EndpointOptions {
  readonly definition: ServerDefinition;
  readonly handoff?: boolean;
  /**
   * Calls of the 2026 era that say nothing of their caller belong to one user. Only for servers that one person can
   * reach: that era has no sessions to tell callers apart by.
   */
  readonly singleUser?: boolean;
  /** Against the specification: a reconnect sends again from all streams of the session. */
  readonly crossStreamReplay?: boolean;
  readonly limits?: Partial<SessionLimits>;
}

/**
 * Makes the MCP endpoint of a server: sessions for clients of the 2025 era, tasks for those of the 2026 era.
 *
 * A process pays for an era, and the SDK that speaks it, when its first request comes.
 */
export function bothErasEndpoint(
  options: EndpointOptions,
  engine: Engine,
  onError: (error: unknown) => void,
): EndpointHandler {
  const { definition, handoff, singleUser = false } = options;
  const attach = { onError, ...(handoff === undefined ? {} : { handoff }) };
  return createBothErasHandler({
    maxBodyBytes: options.limits?.maxBodyBytes ?? sessionLimits.maxBodyBytes,
    legacy: async () => {
      const { serverFactory } = await import("@resumable-mcp/mcp/legacy");
      return createSessionHandler({
        engine,
        createServer: serverFactory(definition, engine, attach),
        crossStreamReplay: options.crossStreamReplay ?? false,
        onError,
        ...(options.limits === undefined ? {} : { limits: options.limits }),
      });
    },
    modern: async () => {
      const { createModernHandler, modernServerFactory } = await import("@resumable-mcp/mcp/modern");
      const createServer = modernServerFactory(definition, engine, { ...attach, singleUser });
      return createModernHandler({ engine, createServer, singleUser, onError });
    },
  });
}
