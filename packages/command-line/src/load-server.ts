import { stat } from "node:fs/promises";
import { basename, extname, resolve } from "node:path";
import { isJsonObject, type Tool } from "@resumable-mcp/core";
import type { PanelPage, ServerDefinition } from "@resumable-mcp/mcp/define-server";
import { type ControlToolMode, controlToolModes } from "@resumable-mcp/protocol";
import { CommandError } from "./command-error.js";
import { oneOf } from "./flags.js";
import { importModule } from "./import-module.js";
import type { StdioValues } from "./options/server-options.js";

/**
 * Loads the server of a tools module, with what options say of it; with this panel, unless it has one of its own or wants none.
 *
 * @throws {@link CommandError} that says what is wrong with either.
 */
export async function loadDefinition(
  module: string,
  values: Pick<StdioValues, "control-tools" | "panel">,
  page: PanelPage,
): Promise<ServerDefinition> {
  const definition = await loadServer(module);
  const controlTools = readControlToolMode(values["control-tools"]) ?? definition.controlTools;
  const panel = values.panel === false ? false : (definition.panel ?? page);
  // What another server says of itself may change: nothing else is copied.
  return Object.create(definition, { controlTools: { value: controlTools }, panel: { value: panel } });
}

/** @throws {@link CommandError} that says what the option takes. */
export function readControlToolMode(text: string | undefined): ControlToolMode | undefined {
  return text === undefined ? undefined : oneOf("control-tools", text, controlToolModes);
}

/**
 * Loads a tools module, in JavaScript or TypeScript: its default export is an array of tools, or what `defineServer` returned.
 *
 * @throws {@link CommandError} that says what is wrong with the module and what it should export; where it cannot be loaded, in which file and line.
 */
export async function loadServer(path: string): Promise<ServerDefinition> {
  const file = resolve(path);
  if (!(await isFile(file))) throw new CommandError(`Cannot find the tools module ${path}. Check the path.`);
  const module = await importModule(path, file);
  if (module.default === undefined) {
    throw new CommandError(
      `The tools module ${path} has no default export. Export an array of tools, or defineServer({ … }).`,
    );
  }
  return definitionOf(module.default, path);
}

async function isFile(file: string): Promise<boolean> {
  const found = await stat(file).catch(() => undefined);
  return found?.isFile() === true;
}

function definitionOf(exported: unknown, path: string): ServerDefinition {
  const name = basename(path, extname(path));
  const definition = Array.isArray(exported) ? { name, version: "0.0.0", tools: exported } : exported;
  if (!isDefinition(definition)) {
    throw new CommandError(
      `The default export of ${path} is neither an array of tools nor a server. Export an array of tools, or defineServer({ … }).`,
    );
  }
  const { controlTools = "minimal" } = definition;
  if (!controlToolModes.includes(controlTools)) {
    const text = `controlTools of ${path} must be ${controlToolModes.join(" or ")}, not ${JSON.stringify(controlTools)}.`;
    throw new CommandError(text);
  }
  const wrong = definition.tools.findIndex((tool) => !isTool(tool));
  if (wrong >= 0)
    throw new CommandError(`Entry ${wrong} of the tools of ${path} is not a tool. Make it with defineTool({ … }).`);
  const { tools, setup, upstream } = definition;
  if (tools.length === 0 && setup === undefined && upstream === undefined) {
    throw new CommandError(`The tools module ${path} exports no tools.`);
  }
  return definition;
}

function isDefinition(value: unknown): value is ServerDefinition {
  if (typeof value !== "object" || value === null) return false;
  const { name, version, tools, setup } = value as Record<string, unknown>;
  if (typeof name !== "string" || typeof version !== "string" || !Array.isArray(tools)) return false;
  return setup === undefined || typeof setup === "function";
}

function isTool(value: unknown): value is Tool {
  if (typeof value !== "object" || value === null) return false;
  return "name" in value && "run" in value && "inputJsonSchema" in value && isJsonObject(value.inputJsonSchema);
}
