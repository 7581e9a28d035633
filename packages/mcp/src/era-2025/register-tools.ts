import type { Engine } from "@resumable-mcp/core";
import { isAtLeast, isLogLevel, logLevels, rpcCodes, showsApps } from "@resumable-mcp/protocol";
import { z } from "zod";
import { RpcError } from "../call/rpc-error.js";
import { runToolCall } from "../call/run-tool-call.js";
import { traceRequests } from "../call/traced-requests.js";
import type { RegisterToolsOptions } from "../control/methods.js";
import { panelNames } from "../control/panel.js";
import { registerEngine } from "../control/register-tools.js";
import { handleRequest, isIgnoredLevel, isRegisteredTool } from "../sdk-workarounds.js";
import { call2025, type Environment2025, rightsOf2025 } from "./call-2025.js";
import { createClosedSignal, hasNoneOf, type RequestExtra, type Server2025 } from "./server-2025.js";
import { takeSubscriptions } from "./take-subscriptions.js";
import { registerTasks } from "./tasks/register-tasks.js";

/** How tools are registered at a server of the 2025 era. */
export interface RegisterOptions extends RegisterToolsOptions<RequestExtra> {}

/**
 * Registers an engine's tools, and the tools that control their tasks, at a server of the 2025 era.
 *
 * Calls of the server's other tools are left alone. An engine without `validateJsonSchema` gets the validator of
 * `createJsonSchemaValidator`. Call it before the server is connected.
 *
 * Source: MCP 2025-11-25, Server Features, Tools.
 * @throws {@link ResumableError} `TOOL_NAME_TAKEN`.
 * @example
 * const engine = createEngine({ store: createMemoryStore(), tools: [countWords] });
 * registerTools(server, engine, { controlTools: "all" });
 */
export function registerTools(server: Server2025, engine: Engine, options: RegisterOptions = {}): void {
  const environment: Environment2025 = {
    mcp: server,
    engine,
    options,
    wantsLog: createLogFilter(server),
    closedSignal: createClosedSignal(server),
  };
  registerEngine(server, engine, options, {
    call: (extra, argument) => call2025(environment, extra, argument),
    rightsOf: (extra) => rightsOf2025(options, extra),
    showsApps: () => showsApps(server.server.getClientCapabilities()),
    runTool: runToolCall,
    hasOwnTool: (name) => isRegisteredTool(server, name),
    toRequest: (extra: RequestExtra) => extra,
  });
  registerTasks(environment);
  takeSubscriptions(environment, (extra) => call2025(environment, extra).tasks);
  traceRequests(
    server,
    ({ requestId, _meta: meta, requestInfo, sessionId }: RequestExtra) => {
      const isStdio = requestInfo === undefined && sessionId === undefined;
      return { requestId, meta, isStdio, headers: requestInfo && Reflect.get(requestInfo, "headers") };
    },
    panelNames(options),
  );
}

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
function createLogFilter(mcp: Server2025): (level: string, sessionId: string | undefined) => boolean {
  const { server } = mcp;
  if (!hasNoneOf(mcp, ["logging/setLevel"])) return (level, sessionId) => !isIgnoredLevel(server, level, sessionId);
  let least: string = "debug";
  server.registerCapabilities({ logging: {} });
  const handler = ({ params }: z.output<typeof setLevelRequest>) => {
    const { level } = params;
    if (!isLogLevel(level))
      throw new RpcError(rpcCodes.invalidParams, `The level must be one of ${logLevels.join(", ")}.`);
    least = level;
    return {};
  };
  handleRequest(server, setLevelRequest, handler);
  return (level) => isAtLeast(level, least);
}
