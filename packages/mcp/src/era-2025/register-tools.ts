import type { Engine } from "@resumable-mcp/core";
import { runToolCall } from "../call/run-tool-call.js";
import { createToolConfigs, type RegisterToolsOptions, registerEngine } from "../control/register-tools.js";
import { exactSchema } from "../sdk-workarounds.js";
import { call2025, type Environment2025 } from "./call-2025.js";
import { createLogFilter } from "./log-filter.js";
import { createClosedSignal, type RequestExtra, type Server2025 } from "./server-2025.js";
import { takeSubscriptions } from "./take-subscriptions.js";
import { registerTasks } from "./tasks/register-tasks.js";

/** How tools are registered at a server of the 2025 era. */
export interface RegisterOptions extends RegisterToolsOptions<RequestExtra> {}

const configs = createToolConfigs(exactSchema);

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
 * registerTools(server, engine, { owner: (extra) => extra.authInfo?.clientId });
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
    call: (extra, clientId) => call2025(environment, extra, clientId),
    runTool: runToolCall,
    configs,
    registerTasks: () => registerTasks(environment),
    registerSubscriptions: (tasksOf) => takeSubscriptions(environment, tasksOf),
  });
}
