import { createEngine, type EngineOptions, type Store } from "@resumable-mcp/core";
import type { EngineLimits, LimitRules, RunAttempt } from "@resumable-mcp/core/engine";
import type { Observer } from "@resumable-mcp/core/store";
import { type ServerDefinition, serveUpstream } from "@resumable-mcp/mcp/define-server";
import { createThrownMask, serveStdioEras } from "@resumable-mcp/mcp/stdio";
import { createEngineTelemetry } from "@resumable-mcp/telemetry";
import { supervisorLimits } from "./limits.js";
import { type StdioServer, serveHost, type WriteMessage } from "./serve-host.js";

/** How a server is served over stdio. */
export interface ServeStdioOptions {
  readonly definition: ServerDefinition;
  readonly store: Store;
  readonly handoff?: boolean;
  readonly engineLimits?: Partial<EngineLimits>;
  /** Limits of single tools and owners. */
  readonly limitRules?: LimitRules;
  /** How long running tasks may take to reach a checkpoint when the host has disconnected. Default 10 s. */
  readonly drainTimeoutMs?: number;
  readonly onError?: (error: unknown) => void;
  /** The host sees of what the code of tools throws only that it failed, and `onError` why. Default: what the definition says; else not. */
  readonly maskErrors?: boolean | undefined;
  /** Hears what becomes of the unfinished tasks when the store is opened. */
  readonly onOpened?: NonNullable<EngineOptions["onOpened"]>;
  /** Runs the code of each attempt: an exception that nothing catches can tell its task by it. */
  readonly runAttempt?: RunAttempt;
  /** Hears of what happens at named points, for tracing and for fault injection. */
  readonly observer?: Observer;
}

/**
 * Serves tools to the host at the other end of stdin and stdout, in whichever era it speaks, until stdin ends.
 *
 * From here on nothing but messages goes to stdout: what tools print goes to stderr. The store is opened by the first
 * message that needs it. Source: MCP 2025-11-25 and 2026-07-28, Transports, "stdio".
 *
 * @returns a promise that resolves when the host has disconnected and everything is released.
 */
export function serveStdio(options: ServeStdioOptions): Promise<void> {
  const { definition, onError = () => {} } = options;
  return serveHost({ definition, onError, makeServer: (write) => createStdioServer(options, write) });
}

/** Makes an engine and its server for one host. */
export function createStdioServer(options: ServeStdioOptions, write: WriteMessage): StdioServer {
  const { definition, store, handoff, engineLimits, limitRules, observer, onOpened, runAttempt } = options;
  const { onError = () => {}, drainTimeoutMs = 10_000 } = options;
  const { tools } = definition;
  const { maskErrors = definition.maskErrors ?? false } = options;
  const tell = (error: unknown, id: string) => onError(new Error(`Error ${id}: ${stackOf(error)}`, { cause: error }));
  const engine = createEngine({
    ...{ store, tools, onError, observer, limits: engineLimits, limitRules, onOpened, maskErrors, runAttempt },
    telemetry: createEngineTelemetry(),
    onToolError: maskErrors ? (error, { taskId }) => tell(error, taskId) : undefined,
  });
  serveUpstream(engine, definition);
  const maskThrown = maskErrors ? createThrownMask(tell) : undefined;
  const { receive, close } = serveStdioEras({ definition, engine, write, onError, handoff, maskThrown });
  return {
    receive,
    release: (leave) => engine.drain({ timeoutMs: drainTimeoutMs, leave }),
    async close() {
      await engine.drain({ timeoutMs: drainTimeoutMs });
      await close();
      await engine.close();
      await definition.upstream?.close();
    },
  };
}

/** In one line, as a log has it. */
function stackOf(error: unknown): string {
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return text.replace(/\s*\n\s*/g, " ").slice(0, supervisorLimits.maxStackLength);
}
