import type { JsonObject } from "@resumable-mcp/core";
import { tasksExtension } from "@resumable-mcp/protocol";
import { joinInstructions } from "../control/instructions.js";
import { offered, offeredByUpstream } from "../control/offered.js";
import type { ServerDefinition } from "../define-server.js";

/** The version of the 2026 era. */
export const revision = "2026-07-28";

/** The same with what the 2026 era adds. */
export const offered2026 = { ...offered, extensions: { [tasksExtension]: {} } };

/** What `server/discover` answers. Source: MCP 2026-07-28, Basic, "Discovery". */
export function discovery(
  definition: Pick<ServerDefinition, "instructions" | "controlTools" | "prefix" | "upstream">,
  capabilities: object,
): JsonObject {
  return {
    supportedVersions: [revision],
    capabilities: { ...capabilities, ...offeredByUpstream(definition.upstream) },
    instructions: joinInstructions(definition),
  };
}

/** The methods whose results say how long they count. */
const cacheable: readonly string[] = [
  "tools/list",
  "prompts/list",
  "resources/list",
  "resources/templates/list",
  "resources/read",
  "server/discover",
];

/** Completes a result by what the 2026 era has in every one. Source: MCP 2026-07-28, Basic, "Results"; "Caching". */
export function resultOnWire(
  method: string,
  result: object,
  server: Pick<ServerDefinition, "name" | "version"> | undefined,
): JsonObject {
  const { resultType = "complete", _meta, ...rest }: JsonObject = { ...result };
  const caching = cacheable.includes(method) && resultType === "complete" ? { ttlMs: 0, cacheScope: "private" } : {};
  const { name, version } = server ?? {};
  const meta = { ...(server && { "io.modelcontextprotocol/serverInfo": { name, version } }), ...Object(_meta) };
  return { ...caching, ...rest, resultType, _meta: meta } as JsonObject;
}
