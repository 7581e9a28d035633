import { type Engine, type JsonObject, ResumableError } from "@resumable-mcp/core";
import { tasksExtension } from "@resumable-mcp/protocol";
import { bringValidator } from "../call/json-schema-validator.js";
import type { ToolResult } from "../call/tool-result.js";
import { traceRequests } from "../call/traced-requests.js";
import { panelNames } from "../control/register-panel.js";
import { registerEngine } from "../control/register-tools.js";
import { createToolConfigs } from "../control/tool-configs.js";
import { passingSchema } from "../sdk-workarounds.js";
import { call2026, clientFacts, type Environment2026, rightsOf } from "./call-2026.js";
import { callTool, type InputRequiredResult } from "./call-tool.js";
import { storedSigningKey } from "./engine-state.js";
import type { Context2026, RegisterOptions2026, Server2026 } from "./server-2026.js";
import { registerTaskMethods } from "./tasks/task-methods.js";
import { untilDrained } from "./until-drained.js";

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
  const environment = environmentOf(mcp, engine, options);
  mcp.server.registerCapabilities({ extensions: { [tasksExtension]: {} } });
  registerEngine(mcp, engine, options, {
    call: (context: Context2026, argument) => call2026(environment, context, argument),
    rightsOf: (context) => rightsOf(options, context),
    showsApps: ({ mcpReq }) => clientFacts(mcpReq.envelope).apps,
    runTool: (call, tool, input, context) => callTool(environment, call, tool, input, context),
    whileOpen: untilDrained,
    configs,
    registerTasks: () => registerTaskMethods(environment),
    // What `withTasks` and `withStdioTasks` serve.
    registerSubscriptions: () => mcp.server.registerCapabilities({ resources: { subscribe: true } }),
  });
  traceRequests(
    mcp,
    ({ mcpReq: { id: requestId, _meta: meta }, http }: Context2026) => {
      const headers = http?.req && Reflect.get(http.req, "headers");
      return { requestId, meta, isStdio: http === undefined, headers };
    },
    panelNames(options),
  );
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
  const environment = environmentOf(server, engine, options);
  return async (name, input, { mcpReq, ...rest }) => {
    // The state and the answers of a server's own handler are its own.
    const { inputResponses: _own, ...request } = mcpReq;
    const context = { ...rest, mcpReq: { ...request, requestState: () => undefined } };
    const given = call2026(environment, context);
    return untilDrained(given, (call) => callTool(environment, call, engine.tool(name), input, context));
  };
}

function environmentOf(mcp: Server2026, engine: Engine, options: RegisterOptions2026): Environment2026 {
  const { requestStateKey } = options;
  return { mcp, engine, options, signingKey: requestStateKey ? givenKey(requestStateKey) : storedSigningKey(engine) };
}

function givenKey(key: Uint8Array): () => Promise<Uint8Array> {
  if (key.byteLength >= 32) return () => Promise.resolve(key);
  const message = `requestStateKey has ${key.byteLength} bytes. Use 32 or more, so that clients cannot guess it.`;
  throw new ResumableError("INVALID_OPTION", message, { details: { option: "requestStateKey" } });
}
