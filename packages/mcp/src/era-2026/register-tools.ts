import { type Engine, type JsonObject, ResumableError } from "@resumable-mcp/core";
import { tasksExtension } from "@resumable-mcp/protocol";
import { bringValidator } from "../call/json-schema-validator.js";
import type { ToolResult } from "../call/tool-result.js";
import { createToolConfigs, type RegisterToolsOptions, registerEngine } from "../control/register-tools.js";
import { passingSchema } from "../sdk-workarounds.js";
import { call2026 } from "./call-2026.js";
import { type CallEnvironment, callTool, type InputRequiredResult } from "./call-tool.js";
import type { Context2026, Server2026 } from "./server-2026.js";
import { storedSigningKey } from "./signing-key.js";
import { registerTaskMethods } from "./tasks/task-methods.js";

/** How tools are registered at a server of the 2026 era. */
export interface RegisterOptions2026 extends RegisterToolsOptions<Context2026> {
  /** Signs what clients keep between two round trips of a call; at least 32 bytes. Default: a key kept in the store. */
  readonly requestStateKey?: Uint8Array | undefined;
}

const configs = createToolConfigs(passingSchema);

/**
 * Registers an engine's tools, the tools that control their tasks, and the tasks extension at a server of the 2026 era.
 *
 * Calls of the server's other tools are left alone. An engine without `validateJsonSchema` gets the validator of
 * `createJsonSchemaValidator`. Call it before the server is connected. What serves the server
 * has to be wrapped: `withTasks` over HTTP, `withStdioTasks` over stdio.
 *
 * Source: MCP 2026-07-28, Server Features, Tools; SEP-2663.
 * @throws {@link ResumableError} `TOOL_NAME_TAKEN`.
 */
export function registerTools2026(mcp: Server2026, engine: Engine, options: RegisterOptions2026 = {}): void {
  const environment = callEnvironment(mcp, engine, options);
  const { policy } = environment;
  mcp.server.registerCapabilities({ extensions: { [tasksExtension]: {} } });
  registerEngine(mcp, engine, options, {
    call: (context, clientId) => call2026(engine, policy, context, clientId),
    runTool: (tool, input, context, clientId) => callTool(environment, tool, input, context, clientId),
    configs,
    registerTasks: () => registerTaskMethods(mcp, engine, policy),
    // What `withTasks` and `withStdioTasks` serve.
    registerSubscriptions: () => mcp.server.registerCapabilities({ resources: { subscribe: true } }),
  });
}

/**
 * Calls one of an engine's tools out of a handler of this server's own, for tools that ask for something first and then
 * become a task. The result is to be returned as it is.
 *
 * @throws {@link ResumableError} what `OwnedTasks.start` throws.
 */
export function createToolCaller(
  server: Server2026,
  engine: Engine,
  options: RegisterOptions2026 = {},
): (tool: string, input: JsonObject, context: Context2026) => Promise<ToolResult | InputRequiredResult> {
  bringValidator(engine);
  const environment = callEnvironment(server, engine, options);
  return (name, input, context) => callTool(environment, engine.tool(name), input, withoutState(context), undefined);
}

/** The state and the answers of a server's own handler are its own. */
function withoutState({ mcpReq, ...context }: Context2026): Context2026 {
  const { inputResponses: _own, ...request } = mcpReq;
  return { ...context, mcpReq: { ...request, requestState: () => undefined } };
}

function callEnvironment({ server }: Server2026, engine: Engine, options: RegisterOptions2026): CallEnvironment {
  const { requestStateKey, prefix = "" } = options;
  const key = requestStateKey === undefined ? storedSigningKey(engine.documents) : givenKey(requestStateKey);
  return { engine, policy: { ...options, server, prefix }, signingKey: key };
}

function givenKey(key: Uint8Array): () => Promise<Uint8Array> {
  if (key.byteLength >= 32) return () => Promise.resolve(key);
  const message = `requestStateKey has ${key.byteLength} bytes: 32 or more keep clients from guessing it.`;
  throw new ResumableError("INVALID_OPTION", message, { details: { option: "requestStateKey" } });
}
