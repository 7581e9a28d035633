import type { JSONRPCMessage } from "@modelcontextprotocol/sdk/types.js";
import { isJsonObject } from "@resumable-mcp/core";
import { metaKeys } from "../../meta-keys.js";
import type { ExchangeKind } from "./exchange.js";

/** What may be done with a tool's call after a crash, by the tool's name. */
export type ToolKinds = ReadonlyMap<string, ExchangeKind>;

const maxPages = 100;

/**
 * Asks a server for its tools, and learns which of them may be delivered again: those of this toolkit, and those that
 * the server annotates as read-only or idempotent. Source: MCP, Tools, "Tool Annotations".
 */
export async function readToolKinds(listTools: (cursor?: string) => Promise<JSONRPCMessage>): Promise<ToolKinds> {
  const kinds = new Map<string, ExchangeKind>();
  let cursor: string | undefined;
  for (let page = 0; page < maxPages; page++) {
    const answer = await listTools(cursor);
    const result: Record<string, unknown> = "result" in answer ? answer.result : {};
    const { tools, nextCursor } = result;
    for (const tool of Array.isArray(tools) ? tools : []) {
      if (isJsonObject(tool) && typeof tool.name === "string") kinds.set(tool.name, toolKind(tool));
    }
    if (typeof nextCursor !== "string") break;
    cursor = nextCursor;
  }
  return kinds;
}

/** Reads one listed tool. */
export function toolKind(tool: { readonly [key: string]: unknown }): ExchangeKind {
  const { _meta, annotations } = tool;
  if (isJsonObject(_meta) && _meta[metaKeys.durable] === "journal") return "journal";
  if (!isJsonObject(annotations)) return "once";
  return annotations.readOnlyHint === true || annotations.idempotentHint === true ? "again" : "once";
}
