import type { JSONRPCMessage } from "@modelcontextprotocol/sdk/types.js";
import { isJsonObject } from "@resumable-mcp/core";
import { type Repeatable, repeatableOf, takesClientId } from "@resumable-mcp/protocol";
import { limits } from "../../limits.js";

/** What a session has to know of a tool. */
export interface ToolFacts {
  /** What may be done with the tool's call after a crash. */
  readonly kind: Repeatable;
  /** Whether its argument `client_id` names the caller. */
  readonly takesClientId: boolean;
}

/** What is known of a request that calls no known tool. */
export const otherRequest: ToolFacts = { kind: "once", takesClientId: false };

/** Facts about tools, by the tool's name. */
export type ToolKinds = ReadonlyMap<string, ToolFacts>;

/**
 * Asks a server for its tools, and learns which of them may be delivered again: those of this toolkit, and those that
 * the server annotates as read-only or idempotent. Source: MCP, Tools, "Tool Annotations".
 */
export async function readToolKinds(listTools: (cursor?: string) => Promise<JSONRPCMessage>): Promise<ToolKinds> {
  const kinds: (readonly [string, ToolFacts])[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < limits.maxToolPages; page++) {
    const answer = await listTools(cursor);
    const result: Record<string, unknown> = "result" in answer ? answer.result : {};
    const { tools, nextCursor } = result;
    kinds.push(...toolKindsIn(tools));
    if (typeof nextCursor !== "string") break;
    cursor = nextCursor;
  }
  return new Map(kinds);
}

/** Reads one page of a server's list of tools. Pure. */
export function toolKindsIn(tools: unknown): ToolKinds {
  const kinds = new Map<string, ToolFacts>();
  for (const tool of Array.isArray(tools) ? tools : []) {
    if (isJsonObject(tool) && typeof tool.name === "string") {
      kinds.set(tool.name, { kind: repeatableOf(tool), takesClientId: takesClientId(tool) });
    }
  }
  return kinds;
}
