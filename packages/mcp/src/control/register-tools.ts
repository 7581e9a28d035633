import { type Engine, ResumableError, type Tool } from "@resumable-mcp/core";
import { type Call, paramsOf } from "../call/call.js";
import { answerBefore, openRegistry } from "../sdk-workarounds.js";
import { offeredTools } from "./control-tools.js";
import { tellLocal } from "./instructions.js";
import type { EraAdapter, RegisterToolsOptions } from "./methods.js";
import { ownMethods } from "./own-methods.js";
import { unfinishedPrompt } from "./resource-methods.js";
import { taskTemplates } from "./task-resources.js";

/** The part of a server of either SDK that tools, resources and prompts are registered at. */
export interface ServerRegistry {
  /** The SDK's own server, which knows the handlers of requests. */
  readonly server: object;
  registerTool(name: string, config: never, handler: never): unknown;
  registerResource(name: string, template: never, config: never, read: never): unknown;
  registerPrompt(name: string, config: never, handler: never): unknown;
}

/**
 * Registers an engine's tools, the tools that control their tasks, resources and the prompt at a server of either era that its
 * author made. Its registry gets their names alone: requests for them are answered before it.
 *
 * @throws {@link ResumableError} `TOOL_NAME_TAKEN`.
 */
export function registerEngine<Context, Known, EraCall extends Call>(
  server: ServerRegistry,
  engine: Engine,
  options: RegisterToolsOptions<Known>,
  adapter: EraAdapter<Known, EraCall> & { toRequest(context: Context): Known; configOf?(tool: Tool): object },
): void {
  const hasOwnPrompt = !reserveNames(server, engine, options, adapter.configOf);
  for (const [name, method] of Object.entries(ownMethods(engine, options, { ...adapter, hasOwnPrompt }))) {
    answerBefore<Context>(server.server, name, (request, context, next) =>
      method(paramsOf(request), adapter.toRequest(context), next),
    );
  }
  for (const method of ["initialize", "server/discover"]) {
    answerBefore<Context>(server.server, method, async (_request, context, next) => {
      const { token, locality } = adapter.rightsOf(adapter.toRequest(context));
      return token === undefined && locality.local ? tellLocal(await next()) : next();
    });
  }
}

/**
 * Reserves the names of what is answered before a server.
 *
 * @param configOf what the SDK needs to know of a tool, besides its name.
 * @returns whether the server had no prompt of ours: its own wins.
 * @throws {@link ResumableError} `TOOL_NAME_TAKEN`.
 */
export function reserveNames(
  server: ServerRegistry,
  engine: Engine,
  { controlTools = "minimal", prefix = "" }: Pick<RegisterToolsOptions<never>, "controlTools" | "prefix">,
  configOf: (tool: Tool) => object = () => ({}),
): boolean {
  const registry = openRegistry(server);
  for (const tool of engine.tools) reserveTool(server, tool.name, configOf(tool));
  for (const { name } of offeredTools(controlTools)) reserveTool(server, `${prefix}${name}`);
  for (const { name, uriTemplate } of taskTemplates) {
    const neverMatching = { match: () => null, variableNames: [], toString: () => uriTemplate };
    const template = { uriTemplate: neverMatching, completeCallback: () => undefined };
    registry.registerResource(name, template, {}, unreached);
  }
  try {
    registry.registerPrompt(unfinishedPrompt, {}, unreached);
    return true;
  } catch {
    return false;
  }
}

function unreached(): never {
  throw new Error("Requests for what resumable-mcp registers are answered before this server.");
}

function reserveTool(server: ServerRegistry, name: string, config: object = {}): void {
  try {
    openRegistry(server).registerTool(name, config, unreached);
  } catch (cause) {
    const message = `The server already has a tool named ${name}. Rename it, or set the option prefix if it is a control tool.`;
    throw new ResumableError("TOOL_NAME_TAKEN", message, { details: { tool: name }, cause });
  }
}
