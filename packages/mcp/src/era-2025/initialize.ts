import { offered, offeredByUpstream } from "../control/offered.js";
import type { ServerDefinition } from "../define-server.js";
import { knowsTasks } from "./tasks/knows-tasks.js";

/** Source: MCP, Versioning: the versions that have sessions, newest first. */
export const versions: readonly string[] = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05", "2024-10-07"];

/** What every server offers in the 2025 era. */
export const offered2025 = { ...offered, tasks: { list: {}, cancel: {}, requests: { tools: { call: {} } } } };

/** What `initialize` answers where a server has nothing but tools of ours. Source: MCP 2025-11-25, Lifecycle, "Initialization". */
export function initializeResult(
  { name, version, upstream }: Pick<ServerDefinition, "name" | "version" | "upstream">,
  requested: unknown,
  instructions: string,
) {
  const protocolVersion = versions.find((known) => known === requested) ?? "2025-11-25";
  const capabilities = { ...(knowsTasks(protocolVersion) ? offered2025 : offered), ...offeredByUpstream(upstream) };
  return { protocolVersion, capabilities, serverInfo: { name, version }, instructions };
}
