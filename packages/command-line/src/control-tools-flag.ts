import type { ServerDefinition } from "@resumable-mcp/mcp/define-server";
import { type ControlToolMode, controlToolModes } from "@resumable-mcp/protocol";
import { oneOf } from "./flags.js";

/** The flag that says which of the tools that control tasks are listed. */
export const controlToolsFlag = { "control-tools": { type: "string" } } as const;

/** How it is used. */
export const controlToolsUsage = `  --control-tools all|minimal|none
                         which tools that control tasks are listed: all, or those that a model needs to continue a
                         task; clients can call them all. none: the server has none (as the module says, or minimal)`;

/** @throws {@link CommandError} that says what the flag takes. */
export function readControlToolMode(text: string | undefined): ControlToolMode | undefined {
  return text === undefined ? undefined : oneOf("control-tools", text, controlToolModes);
}

/** The same definition, with what the flag says. @throws {@link CommandError} that says what the flag takes. */
export function withControlTools(definition: ServerDefinition, text: string | undefined): ServerDefinition {
  const controlTools = readControlToolMode(text);
  return controlTools === undefined ? definition : { ...definition, controlTools };
}
