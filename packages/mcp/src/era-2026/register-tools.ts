import { type Engine, type JsonObject, ResumableError, type Tool } from "@resumable-mcp/core";
import { type ControlToolName, metaKeys, tasksExtension } from "@resumable-mcp/protocol";
import { failureResult } from "../call/failure-result.js";
import { bringValidator } from "../call/json-schema-validator.js";
import { answerSchema } from "../call/listed-schema.js";
import type { ToolResult } from "../call/tool-result.js";
import { type ControlTool, controlMeta } from "../control/control-tool.js";
import { chosenControlTools } from "../control/control-tools.js";
import { unfinishedTasksText } from "../control/instructions.js";
import { namesCaller, splitClientId, withClientId } from "../owner/client-id-argument.js";
import { type CallPolicy2026, call2026 } from "./call-2026.js";
import { type CallEnvironment, callTool, type InputRequiredResult } from "./call-tool.js";
import { passingSchema } from "./passing-schema.js";
import { registerResources } from "./register-resources.js";
import type { Context2026, Server2026, ToolConfig2026 } from "./server-2026.js";
import { storedSigningKey } from "./signing-key.js";
import { registerTaskMethods } from "./tasks/task-methods.js";

/** How tools are attached to a server of the 2026 era. */
export interface RegisterOptions2026 {
  /** The authenticated subject of a call. Default: what the verified token says. */
  readonly owner?: (context: Context2026) => string | undefined;
  /**
   * Calls that say nothing of their caller belong to one local user, as over stdio. Only for servers that one person
   * can reach.
   */
  readonly singleUser?: boolean;
  /** Which control tools to offer. Default: wait_for_task, get_task, cancel_task, answer_task. */
  readonly controlTools?: readonly ControlToolName[] | "all";
  /** Put before the names of the control tools, where they would meet tools of the same name. */
  readonly prefix?: string;
  /** Answer long calls before the caller's time limit. Default: for hosts with a known limit. */
  readonly handoff?: boolean;
  /** Signs what clients keep between two legs of a call; at least 32 bytes. Default: a key kept in the store. */
  readonly requestStateKey?: Uint8Array;
  /** Hears of what failed unexpectedly. */
  readonly onError?: (error: unknown) => void;
}

type Run = (
  input: JsonObject,
  context: Context2026,
  clientId: string | undefined,
) => Promise<ToolResult | InputRequiredResult>;

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
export function registerTools2026(server: Server2026, engine: Engine, options: RegisterOptions2026 = {}): void {
  const environment = callEnvironment(server, engine, options);
  const { policy } = environment;
  server.server.registerCapabilities({ extensions: { [tasksExtension]: {} } });
  for (const tool of engine.tools) {
    const run: Run = (input, context, clientId) => callTool(environment, tool, input, context, clientId);
    register(server, tool.name, toolConfig(tool), handlerOf(run, tool.clientIdArgument === true, options.onError));
  }
  for (const tool of chosenControlTools(options.controlTools)) {
    const run: Run = (input, context, clientId) => tool.run(call2026(engine, policy, context, clientId), input);
    register(server, `${policy.prefix}${tool.name}`, controlConfig(tool), handlerOf(run, true, options.onError));
  }
  registerTaskMethods(server, engine, policy);
  registerResources(server, engine, policy);
  registerPrompt(server, engine, policy);
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
  const environment = callEnvironment(server, engine, options);
  return (name, input, context) => callTool(environment, engine.tool(name), input, withoutState(context), undefined);
}

/** The state and the answers of a server's own handler are its own. */
function withoutState({ mcpReq, ...context }: Context2026): Context2026 {
  const { inputResponses: _own, ...request } = mcpReq;
  return { ...context, mcpReq: { ...request, requestState: () => undefined } };
}

function callEnvironment({ server }: Server2026, engine: Engine, options: RegisterOptions2026): CallEnvironment {
  const { owner, handoff, requestStateKey, singleUser = false, prefix = "" } = options;
  bringValidator(engine);
  const policy: CallPolicy2026 = {
    server,
    prefix,
    singleUser,
    ...(owner === undefined ? {} : { owner }),
    ...(handoff === undefined ? {} : { handoff }),
  };
  const key = requestStateKey === undefined ? storedSigningKey(engine.documents) : givenKey(requestStateKey);
  return { engine, policy, signingKey: key };
}

function givenKey(key: Uint8Array): () => Promise<Uint8Array> {
  if (key.byteLength >= 32) return () => Promise.resolve(key);
  const message = `requestStateKey has ${key.byteLength} bytes: 32 or more keep clients from guessing it.`;
  throw new ResumableError("INVALID_OPTION", message, { details: { option: "requestStateKey" } });
}

function handlerOf(run: Run, takesClientId: boolean, onError: RegisterOptions2026["onError"]) {
  return async (input: Record<string, unknown>, context: Context2026) => {
    try {
      const { clientId, rest } = takesClientId ? splitClientId(input) : { clientId: undefined, rest: input };
      // The SDK parsed it from JSON.
      return await run(rest as JsonObject, context, clientId);
    } catch (error) {
      return failureResult(error, onError);
    }
  };
}

function toolConfig(tool: Tool): ToolConfig2026 {
  const { inputJsonSchema, clientIdArgument, outputJsonSchema, annotations, title, description, icons } = tool;
  const output = answerSchema(outputJsonSchema);
  return {
    description,
    inputSchema: passingSchema(() => (clientIdArgument === true ? withClientId(inputJsonSchema) : inputJsonSchema)),
    ...(output === undefined ? {} : { outputSchema: passingSchema(() => output) }),
    ...(title === undefined ? {} : { title }),
    ...(annotations === undefined ? {} : { annotations: annotations as Record<string, never> }),
    ...(icons === undefined ? {} : { icons: [...icons] as never[] }),
    _meta: { [metaKeys.durable]: "journal", ...(clientIdArgument === true ? namesCaller : {}) },
  };
}

function controlConfig({ title, description, annotations, inputSchema }: ControlTool): ToolConfig2026 {
  return {
    title,
    description,
    inputSchema: passingSchema(inputSchema),
    annotations: annotations as Record<string, never>,
    ...controlMeta(annotations),
  };
}

function register(
  server: Server2026,
  name: string,
  config: ToolConfig2026,
  handler: ReturnType<typeof handlerOf>,
): void {
  try {
    server.registerTool(name, config, handler as never);
  } catch (cause) {
    const message = `The server already has a tool named ${name}. Rename it, or set the option prefix if it is a control tool.`;
    throw new ResumableError("TOOL_NAME_TAKEN", message, { details: { tool: name }, cause });
  }
}

function registerPrompt(server: Server2026, engine: Engine, policy: CallPolicy2026): void {
  const description =
    "Lists the long-running tasks that are not finished yet, so that they can be resumed or cancelled.";
  const handler = async (context: Context2026) => {
    const text = await unfinishedTasksText(call2026(engine, policy, context, undefined).tasks);
    return { messages: [{ role: "user", content: { type: "text", text } }] };
  };
  try {
    server.registerPrompt("unfinished_tasks", { title: "Unfinished tasks", description }, handler as never);
  } catch {
    // The server has a prompt of that name, and its own wins.
  }
}
