import { toolKind } from "@resumable-mcp/mcp";
import { isObject } from "./json-rpc.js";

/** What may be done with a tool's call after a crash, by the tool's name. */
export type ToolKinds = ReadonlyMap<string, ReturnType<typeof toolKind>>;

/** Reads one page of a server's list of tools. Source: MCP, Tools, "Tool Annotations". */
export function kindsIn(tools: unknown): ToolKinds {
  const kinds = new Map<string, ReturnType<typeof toolKind>>();
  for (const tool of Array.isArray(tools) ? tools : []) {
    if (isObject(tool) && typeof tool.name === "string") kinds.set(tool.name, toolKind(tool));
  }
  return kinds;
}
