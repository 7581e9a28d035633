import type { PanelPage, ServerDefinition } from "@resumable-mcp/mcp/define-server";

/** The flag that says that hosts get no panel. */
export const panelFlag = { "no-panel": { type: "boolean" } } as const;

/** How it is used. */
export const panelUsage = `  --no-panel             hosts that show apps (MCP Apps) get no panel of tasks`;

/** The same definition, with what the flag says; else with this page, unless it has one of its own or wants none. */
export function withPanel(
  definition: ServerDefinition,
  noPanel: boolean | undefined,
  page: PanelPage,
): ServerDefinition {
  return { ...definition, panel: noPanel === true ? false : (definition.panel ?? page) };
}
