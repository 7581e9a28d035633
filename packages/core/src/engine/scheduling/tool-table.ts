import { ResumableError } from "../../errors.js";
import type { Tool } from "../../tool/tool.js";

/**
 * Makes the table of an engine's tools, by name.
 *
 * @throws {@link ResumableError} `TOOL_NAME_TAKEN`.
 */
export function createToolTable(tools: readonly Tool[]): ReadonlyMap<string, Tool> {
  const table = new Map<string, Tool>();
  for (const tool of tools) {
    if (table.has(tool.name)) {
      throw new ResumableError("TOOL_NAME_TAKEN", `Two tools are named ${tool.name}. Rename one of them.`, {
        details: { tool: tool.name },
      });
    }
    table.set(tool.name, tool);
  }
  return table;
}

/**
 * Finds a tool.
 *
 * @throws {@link ResumableError} `UNKNOWN_TOOL`, naming the tools there are.
 */
export function requireTool(tools: ReadonlyMap<string, Tool>, name: string): Tool {
  const tool = tools.get(name);
  if (tool !== undefined) return tool;
  const known = [...tools.keys()];
  throw new ResumableError(
    "UNKNOWN_TOOL",
    `There is no tool ${JSON.stringify(name)}. Known tools: ${known.join(", ")}.`,
    { details: { tool: name, known } },
  );
}
