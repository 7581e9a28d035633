import { ResumableError } from "../errors.js";
import { isStandardSchema } from "../schema.js";
import type { Tool } from "../tool.js";
import type { EngineOptions } from "./engine.js";

/**
 * Makes the table of an engine's tools, by name.
 *
 * @throws {@link ResumableError} `TOOL_NAME_TAKEN`, `INVALID_OPTION`.
 */
export function createToolTable({ tools, validateJsonSchema }: EngineOptions): ReadonlyMap<string, Tool> {
  const table = new Map<string, Tool>();
  for (const tool of tools) {
    if (table.has(tool.name)) {
      throw new ResumableError("TOOL_NAME_TAKEN", `Two tools are named ${tool.name}. Rename one of them.`, {
        details: { tool: tool.name },
      });
    }
    if (!isStandardSchema(tool.input) && validateJsonSchema === undefined) {
      throw new ResumableError(
        "INVALID_OPTION",
        `The input of tool ${tool.name} is plain JSON Schema, which needs a validator: pass validateJsonSchema to createEngine.`,
        { details: { option: "validateJsonSchema" } },
      );
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
