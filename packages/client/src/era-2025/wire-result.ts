import type { CallToolResult, Tool } from "@modelcontextprotocol/sdk/types.js";
import { z } from "zod";
import type { ListedTool } from "../connection/link.js";
import { toJsonObject } from "../json.js";
import type { ResultBlock, ToolResult } from "../tool-result.js";

const contentBlock = z.looseObject({ type: z.string() });

/** Takes a result out of the SDK's types. */
export function toToolResult(result: CallToolResult): ToolResult {
  return {
    content: result.content.map(toContentBlock),
    isError: result.isError === true,
    meta: toJsonObject(result._meta),
    structuredContent: result.structuredContent === undefined ? undefined : toJsonObject(result.structuredContent),
  };
}

/** Takes a listed tool out of the SDK's types. */
export function toListedTool(tool: Tool): ListedTool {
  return {
    name: tool.name,
    inputSchema: toJsonObject(tool.inputSchema),
    annotations: toJsonObject(tool.annotations),
    meta: toJsonObject(tool._meta),
    needsTask: tool.execution?.taskSupport === "required",
    title: tool.title,
    description: tool.description,
  };
}

function toContentBlock(value: unknown): ResultBlock {
  const { type } = contentBlock.parse(value);
  return { ...toJsonObject(value), type };
}
