import {
  type AuthInfo,
  createMcpHandler,
  type McpRequestContext,
  type McpServer,
  type ServerNotifier,
} from "@modelcontextprotocol/server";
import type { Engine } from "@resumable-mcp/core";
import { limits2026 } from "../limits.js";
import { lastAnswers } from "./engine-state.js";
import type { TasksHandler, WithTasksOptions } from "./handler-options.js";
import { withTasks } from "./tasks/with-tasks.js";

/** Makes the server of one request, with `registerTools2026` done. By `changes` it can tell what changed. */
export type CreateServer2026 = (context: McpRequestContext, changes: ServerNotifier) => McpServer | Promise<McpServer>;

/** How an endpoint of the 2026 era is made. */
export interface HandlerOptions2026 extends WithTasksOptions {
  readonly engine: Engine;
  readonly createServer: CreateServer2026;
}

/**
 * Serves clients of the 2026 era over HTTP.
 *
 * Refuses requests of the 2025 era, which `isLegacyRequest` of the SDK recognises. Host, Origin and tokens are
 * checked by its caller.
 *
 * Source: MCP 2026-07-28, Transports, "Streamable HTTP".
 */
export function createHandler2026(options: HandlerOptions2026): TasksHandler<AuthInfo> {
  const { engine, createServer, onError, keepAliveMs, maxSubscriptions = limits2026.maxSubscriptions } = options;
  const handler = createMcpHandler((context) => createServer(context, handler.notify), {
    legacy: "reject",
    // Who has how many is counted by `withTasks`, so that one owner cannot take all.
    maxSubscriptions,
    onerror: onError,
    keepAliveMs,
  });
  const served = withTasks(handler, engine, options);
  return {
    answer: served.answer,
    fetch: served.fetch,
    async close() {
      await lastAnswers(engine);
      await served.close();
    },
  };
}
