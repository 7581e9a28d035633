import type { CallToolResult, Tool } from "@modelcontextprotocol/sdk/types.js";
import type { Json, JsonObject } from "@resumable-mcp/protocol";
import { z } from "zod";
import type { ListedTool } from "../connection/link.js";
import { jsonObjectSchema } from "../state/client-state.js";
import type { ContentBlock, ToolResult } from "../tool-result.js";

const json = z.json();
const contentBlock = z.looseObject({ type: z.string() });

/** Parses a value that came over the wire; what JSON cannot hold becomes `null`. */
export function toJson(value: unknown): Json {
  const { success, data } = json.safeParse(value);
  return success ? data : null;
}

/** Parses a text that should be JSON; `undefined` where it is not. */
export function toJsonText(text: string): Json | undefined {
  try {
    return toJson(JSON.parse(text));
  } catch {
    return undefined;
  }
}

/** Parses an object that came over the wire; anything else becomes an empty one. */
export function toJsonObject(value: unknown): JsonObject {
  const { success, data } = jsonObjectSchema.safeParse(value);
  return success ? data : {};
}

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
    title: tool.title,
    description: tool.description,
  };
}

function toContentBlock(value: unknown): ContentBlock {
  const { type } = contentBlock.parse(value);
  return { ...toJsonObject(value), type };
}
