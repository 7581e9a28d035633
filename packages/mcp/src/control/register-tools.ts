import { type Engine, ResumableError, type Tool } from "@resumable-mcp/core";
import { openRegistry } from "../sdk-workarounds.js";
import { offeredTools } from "./control-tools.js";
import type { RegisterToolsOptions } from "./methods.js";
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

/** Handles what is answered before it is asked. */
export function unreached(): never {
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
