import type { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import type { Tool } from "@resumable-mcp/core";

/** A server as its author describes it; what a tools module may export. */
export interface ServerDefinition {
  readonly name: string;
  readonly version: string;
  /** Told to models before they use the tools. */
  readonly instructions?: string;
  readonly tools: readonly Tool[];
  /** Adds whatever else the server offers: ordinary tools, resources, prompts. Runs once a connection. */
  readonly setup?: (server: McpServer) => void | Promise<void>;
}

/**
 * Describes a server for the command-line programs.
 *
 * @example
 * export default defineServer({ name: "words", version: "1.0.0", tools: [countWords] });
 */
export function defineServer(definition: ServerDefinition): ServerDefinition {
  return definition;
}
