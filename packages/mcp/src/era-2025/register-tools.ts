import type { CallToolResult } from "@modelcontextprotocol/sdk/types.js";
import { type Engine, type Json, type JsonObject, ResumableError, type Tool } from "@resumable-mcp/core";
import { type ControlToolName, metaKeys } from "@resumable-mcp/protocol";
import type { Call } from "../call/call.js";
import { failureResult } from "../call/failure-result.js";
import { bringValidator } from "../call/json-schema-validator.js";
import { answerSchema } from "../call/listed-schema.js";
import { runToolCall } from "../call/run-tool-call.js";
import type { ToolResult } from "../call/tool-result.js";
import { type ControlTool, controlMeta } from "../control/control-tool.js";
import { chosenControlTools } from "../control/control-tools.js";
import { unfinishedTasksText } from "../control/instructions.js";
import { namesCaller, splitClientId, withClientId } from "../owner/client-id-argument.js";
import { type CallPolicy, call2025 } from "./call-2025.js";
import { exactSchema } from "./exact-schema.js";
import { createLogFilter } from "./log-filter.js";
import { oncePer } from "./once-per.js";
import { registerResources } from "./register-resources.js";
import type { RequestExtra, Server2025 } from "./server-2025.js";
import { registerTasks } from "./tasks/register-tasks.js";
import { takeTaskCalls } from "./tasks/task-calls.js";

/** How tools are attached. */
export interface RegisterOptions {
  /** The authenticated subject of a call. Default: what the verified token says. */
  readonly owner?: (extra: RequestExtra) => string | undefined;
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
  /** Hears of what failed unexpectedly. */
  readonly onError?: (error: unknown) => void;
}

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
  const { owner, handoff, singleUser, prefix = "" } = options;
  bringValidator(engine);
  const policy: CallPolicy = {
    prefix,
    wantsLog: createLogFilter(server),
    ...(owner === undefined ? {} : { owner }),
    ...(handoff === undefined ? {} : { handoff }),
    ...(singleUser === undefined ? {} : { singleUser }),
    ...(options.onError === undefined ? {} : { onError: options.onError }),
  };
  const serve = (run: (call: Call, input: JsonObject) => Promise<ToolResult>, takesClientId: boolean): Handler => {
    return async (input, extra) => {
      try {
        const { clientId, rest } = takesClientId ? splitClientId(input) : { clientId: undefined, rest: input };
        return asCallToolResult(await run(call2025(server, engine, policy, extra, clientId), rest as JsonObject));
      } catch (error) {
        return asCallToolResult(failureResult(error, options.onError));
      }
    };
  };
  for (const tool of engine.tools) {
    const run = (call: Call, input: Json) => runToolCall(call, tool, input);
    register(server, tool.name, toolConfig(tool), serve(run, tool.clientIdArgument === true));
  }
  for (const tool of chosenControlTools(options.controlTools)) {
    register(server, `${prefix}${tool.name}`, controlConfig(tool), serve(tool.run, true));
  }
  if (registerTasks(server, engine, policy)) takeTaskCalls(server, engine, policy);
  registerResources(server, engine, policy);
  registerPrompt(server, (extra) => call2025(server, engine, policy, extra, undefined));
}

type Handler = Parameters<Server2025["registerTool"]>[2];
type Config = Parameters<Server2025["registerTool"]>[1];

const toolConfig = oncePer((tool: Tool): Config => {
  const { inputJsonSchema, clientIdArgument, outputJsonSchema, annotations, title, description } = tool;
  const output = answerSchema(outputJsonSchema);
  return {
    description,
    inputSchema: exactSchema(() => (clientIdArgument === true ? withClientId(inputJsonSchema) : inputJsonSchema)),
    ...(output === undefined ? {} : { outputSchema: exactSchema(() => output) }),
    ...(title === undefined ? {} : { title }),
    ...(annotations === undefined ? {} : { annotations: annotations as Record<string, never> }),
    _meta: { [metaKeys.durable]: "journal", ...(clientIdArgument === true ? namesCaller : {}) },
  };
});

const controlConfig = oncePer(({ title, description, annotations, inputSchema }: ControlTool): Config => {
  return {
    title,
    description,
    inputSchema: exactSchema(inputSchema),
    annotations: annotations as Record<string, never>,
    ...controlMeta(annotations),
  };
});

function register(server: Server2025, name: string, config: Config, handler: Handler): void {
  try {
    server.registerTool(name, config, handler);
  } catch (cause) {
    const message = `The server already has a tool named ${name}. Rename it, or set the option prefix if it is a control tool.`;
    throw new ResumableError("TOOL_NAME_TAKEN", message, { details: { tool: name }, cause });
  }
}

function registerPrompt(server: Server2025, callOf: (extra: RequestExtra) => Call): void {
  const description =
    "Lists the long-running tasks that are not finished yet, so that they can be resumed or cancelled.";
  try {
    server.registerPrompt("unfinished_tasks", { title: "Unfinished tasks", description }, async (extra) => {
      // Without an argument schema the SDK passes the request's context first.
      const text = await unfinishedTasksText(callOf(extra as RequestExtra).tasks);
      return { messages: [{ role: "user", content: { type: "text", text } }] };
    });
  } catch {
    // The server has a prompt of that name, and its own wins.
  }
}

/** Content blocks are the author's own; the SDK checks them on the way out. */
function asCallToolResult(result: ToolResult): CallToolResult {
  return result as unknown as CallToolResult;
}
