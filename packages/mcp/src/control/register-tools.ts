import {
  type ContentBlock,
  type Engine,
  isResumableError,
  type JsonObject,
  type OwnedTasks,
  ResumableError,
  type Tool,
} from "@resumable-mcp/core";
import {
  type ControlToolMode,
  type ControlToolsOffer,
  controlToolOf,
  metaKeys,
  minimalControlTools,
} from "@resumable-mcp/protocol";
import type { Call } from "../call/call.js";
import { bringValidator } from "../call/json-schema-validator.js";
import { asRpcError } from "../call/rpc-error.js";
import { type ClientArgument, splitClientId } from "../call/session-client.js";
import { errorResult, type ToolResult, thrownResult } from "../call/tool-result.js";
import type { CallerRights } from "../owner/scopes.js";
import { answerBefore, openRegistry } from "../sdk-workarounds.js";
import { InvalidArguments, offeredTools, unfinishedTasksText } from "./control-tools.js";
import { type PanelOptions, registerPanel } from "./register-panel.js";
import { listTaskResources, readTaskResource, taskResources, taskTemplate } from "./task-resources.js";
import type { ToolConfigs } from "./tool-configs.js";

/** How an engine's tools are registered, in either era. `Context` is what the SDK hands to a handler. */
export interface RegisterToolsOptions<Context> {
  /** The authenticated subject of a call. Default: what the verified token says. */
  readonly owner?: ((context: Context) => string | undefined) | undefined;
  /**
   * Calls that say nothing of their caller belong to one local user, as over stdio. Only for servers that one person
   * can reach.
   */
  readonly singleUser?: boolean | undefined;
  /** Which control tools are listed. All can be called, except with `none`: then there are none. Default `minimal`. */
  readonly controlTools?: ControlToolMode | undefined;
  /** Put before the names of the control tools, where they would meet tools of the same name. */
  readonly prefix?: string | undefined;
  /** Answer long calls before the caller's time limit. Default: for hosts with a known limit. */
  readonly handoff?: boolean | undefined;
  /** What hosts that show apps show of tasks. Default: nothing. There is none where there are no control tools. */
  readonly panel?: PanelOptions | undefined;
  /** Hears of what failed unexpectedly. */
  readonly onError?: ((error: unknown) => void) | undefined;
  /**
   * Makes what callers see of what the code of a definition's `setup` threw: the server's own tools, resources and prompts.
   * Default: the error itself.
   */
  readonly maskThrown?: ((error: unknown) => unknown) | undefined;
}

/** The part of a server of either SDK that tools, resources and prompts are registered at. */
export interface ServerRegistry {
  /** The SDK's own server, which knows the handlers of requests. */
  readonly server: object;
  registerTool(name: string, config: never, handler: never): unknown;
  registerResource(name: string, template: never, config: never, read: never): unknown;
  registerPrompt(name: string, config: never, handler: never): unknown;
}

/** What differs between the eras. */
export interface EraAdapter<Context, EraCall extends Call> {
  /**
   * Makes the era-neutral call of a request.
   * @throws {@link ResumableError} `NO_OWNER`.
   */
  call(context: Context, argument?: ClientArgument): EraCall;
  /** What is known of the rights of a request's caller. */
  rightsOf(context: Context): CallerRights;
  /** Whether the client of a request shows the pages of MCP Apps. */
  showsApps(context: Context): boolean;
  /** Answers the call of a resumable tool. */
  runTool(call: EraCall, tool: Tool, input: JsonObject, context: Context): Promise<object>;
  /** Runs what answers a call, where the era's calls end before their request does. */
  whileOpen?<Result>(call: EraCall, run: (call: EraCall) => Promise<Result>): Promise<Result>;
  /** How tools are listed. */
  readonly configs: ToolConfigs;
  /** Registers what the era knows of tasks. */
  registerTasks(): void;
  /** Registers what the era knows of changed resources. */
  registerSubscriptions(tasksOf: (context: Context) => OwnedTasks): void;
}

/** Registers an engine's tools, the tools that control their tasks, resources and the prompt at a server of either era. */
export function registerEngine<Context, EraCall extends Call>(
  server: ServerRegistry,
  engine: Engine,
  { controlTools = "minimal", prefix = "", onError, panel: given }: RegisterToolsOptions<Context>,
  adapter: EraAdapter<Context, EraCall>,
): void {
  bringValidator(engine);
  const { configs } = adapter;
  const offer: ControlToolsOffer = { listed: controlTools, prefix };
  const panel = controlTools === "none" ? undefined : given;
  const answerCall = async (
    context: Context,
    argument: ClientArgument,
    answer: (call: EraCall) => Promise<object>,
  ): Promise<object> => {
    try {
      const call = adapter.call(context, argument);
      return await (adapter.whileOpen === undefined ? answer(call) : adapter.whileOpen(call, answer));
    } catch (error) {
      return failureResult(error, onError, controlTools === "none" ? undefined : prefix);
    }
  };
  const register = <Registered>(
    name: string,
    config: object,
    resumable: Tool | undefined,
    tool: Registered,
    answer: (call: EraCall, tool: Registered, input: JsonObject, context: Context) => Promise<object>,
  ): void => {
    const handler = (input: JsonObject, context: Context): Promise<object> => {
      const { rest, ...argument } = splitClientId(input, resumable);
      return answerCall(context, argument, (call) => answer(call, tool, rest, context));
    };
    registerTool(server, name, config, handler);
  };
  for (const tool of engine.tools) {
    register(tool.name, configs.ofTool(tool), tool, tool, adapter.runTool);
  }
  for (const tool of offeredTools(controlTools)) {
    register(`${prefix}${tool.name}`, configs.ofControlTool(tool), undefined, tool, (call, { run }, input) =>
      run(call, input),
    );
  }
  const showsApps = (context: Context): boolean => panel !== undefined && adapter.showsApps(context);
  answerBefore<Context>(server.server, "tools/list", async (_request, context, next) =>
    shownList(await next(), offer, showsApps(context)),
  );
  for (const method of ["initialize", "server/discover"]) {
    answerBefore<Context>(server.server, method, async (_request, context, next) => {
      const { token, locality } = adapter.rightsOf(context);
      return token === undefined && locality.local ? tellLocal(await next()) : next();
    });
  }
  adapter.registerTasks();
  const tasksOf = (context: Context): OwnedTasks => adapter.call(context).tasks;
  registerResources(server, engine, tasksOf);
  adapter.registerSubscriptions(tasksOf);
  registerPrompt(server, tasksOf, controlTools === "none" ? undefined : prefix);
  if (panel !== undefined) registerPanel({ mcp: server, engine, offer, panel, showsApps, answer: answerCall, onError });
}

/**
 * A list of tools without the control tools that are only called. What there is of those stands in `_meta`: a client finds
 * them by that, also in a session that it takes up, where it sees no capabilities. docs/decisions/0014.
 *
 * @param withAll the client shows apps, which call tools that the host has to see.
 */
function shownList(list: JsonObject, offer: ControlToolsOffer, withAll: boolean): JsonObject {
  const isShown = (tool: unknown) => {
    const control = controlToolOf(String(Reflect.get(Object(tool), "name")), offer);
    return control === undefined || withAll || offer.listed === "all" || minimalControlTools.includes(control);
  };
  const tools = Array.isArray(list.tools) ? list.tools.filter(isShown) : [];
  return { ...list, tools, _meta: { ...Object(list._meta), [metaKeys.controlTools]: { ...offer } } };
}

/** Tells a client that it need not name itself: its requests are those of this machine's user. Pure. */
export function tellLocal(result: JsonObject): JsonObject {
  return { ...result, _meta: { ...Object(result._meta), [metaKeys.local]: true } };
}

function registerTool(server: ServerRegistry, name: string, config: object, handler: unknown): void {
  try {
    openRegistry(server).registerTool(name, config, handler);
  } catch (cause) {
    const message = `The server already has a tool named ${name}. Rename it, or set the option prefix if it is a control tool.`;
    throw new ResumableError("TOOL_NAME_TAKEN", message, { details: { tool: name }, cause });
  }
}

/** Makes the result of a call that threw, and tells the server's author of what was not expected. */
function failureResult(
  error: unknown,
  onError: ((error: unknown) => void) | undefined,
  prefix: string | undefined,
): ToolResult {
  if (error instanceof InvalidArguments) return errorResult("INVALID_VALUE", error.message);
  if (!isResumableError(error)) onError?.(error);
  return thrownResult(error, prefix);
}

/** Offers an owner's tasks as resources. Source: MCP, Server Features, Resources. */
function registerResources<Context>(
  server: ServerRegistry,
  engine: Engine,
  tasksOf: (context: Context) => OwnedTasks,
): void {
  const list = async (context: Context) => {
    try {
      return await listTaskResources(tasksOf(context));
    } catch (error) {
      if (isResumableError(error, "NO_OWNER")) return { resources: [] };
      throw error;
    }
  };
  const read = async (uri: URL, _variables: object, context: Context) => {
    try {
      return await readTaskResource(engine, tasksOf(context), uri.href);
    } catch (error) {
      throw asRpcError(error);
    }
  };
  for (const resource of taskResources) {
    const template = taskTemplate(resource, resource.part === "task" ? list : undefined);
    openRegistry(server).registerResource(resource.name, template, resource.config, read);
  }
}

function registerPrompt<Context>(
  server: ServerRegistry,
  tasksOf: (context: Context) => OwnedTasks,
  prefix: string | undefined,
): void {
  const description =
    "Lists the long-running tasks that are not finished yet, so that they can be resumed or cancelled.";
  // Without an argument schema the SDKs pass the request's context first.
  const handler = async (context: Context) => {
    try {
      const text = await unfinishedTasksText(tasksOf(context), prefix);
      return { messages: [{ role: "user", content: { type: "text", text } satisfies ContentBlock }] };
    } catch (error) {
      throw asRpcError(error);
    }
  };
  try {
    openRegistry(server).registerPrompt("unfinished_tasks", { title: "Unfinished tasks", description }, handler);
  } catch {
    // The server has a prompt of that name, and its own wins.
  }
}
