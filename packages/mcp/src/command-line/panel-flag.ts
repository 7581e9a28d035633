import type { ServerDefinition } from "../define-server.js";

/** The flag that says that hosts get no panel. */
export const panelFlag = { "no-panel": { type: "boolean" } } as const;

/** How it is used. */
export const panelUsage = `  --no-panel             hosts that show apps (MCP Apps) get no panel of tasks`;

/** The same definition, with what the flag says. */
export function withPanel(definition: ServerDefinition, noPanel: boolean | undefined): ServerDefinition {
  return noPanel === true ? { ...definition, panel: false } : definition;
}
