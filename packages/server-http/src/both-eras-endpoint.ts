import type { Engine } from "@resumable-mcp/core";
import {
  createBothErasHandler,
  createSessionHandler,
  type HttpHandler,
  type ServerDefinition,
  type SessionLimits,
  sessionLimits,
  withCrossStreamReplay,
} from "@resumable-mcp/mcp";

/** What the MCP endpoint of a server is made of. */
export interface EndpointOptions {
  readonly definition: ServerDefinition;
  readonly handoff?: boolean;
  /** Against the specification: a client that comes back gets what came after its event on all streams of its session. */
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
): HttpHandler {
  const { definition, handoff } = options;
  const toolOptions = { onError, ...(handoff === undefined ? {} : { handoff }) };
  return createBothErasHandler({
    maxBodyBytes: options.limits?.maxBodyBytes ?? sessionLimits.maxBodyBytes,
    era2025: async () => {
      const { serverFactory } = await import("@resumable-mcp/mcp/2025");
      const handler = createSessionHandler({
        engine,
        createServer: serverFactory(definition, engine, toolOptions),
        onError,
        ...(options.limits === undefined ? {} : { limits: options.limits }),
      });
      return options.crossStreamReplay === true
        ? withCrossStreamReplay(handler, { documents: engine.documents, onError })
        : handler;
    },
    era2026: async () => {
      const { createHandler2026, serverFactory2026 } = await import("@resumable-mcp/mcp/2026");
      const createServer = serverFactory2026(definition, engine, toolOptions);
      return createHandler2026({ engine, createServer, onError });
    },
  });
}
