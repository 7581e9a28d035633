import type { ServerInfo } from "@resumable-mcp/client";
import { useRef } from "react";

/** When each connection came to stand as it stands: states are replaced and never changed. */
export function useSince(
  servers: readonly ServerInfo[],
  clock: () => number,
): ReadonlyMap<ServerInfo["state"], number> {
  const known = useRef<ReadonlyMap<ServerInfo["state"], number>>(new Map());
  known.current = new Map(servers.map(({ state }) => [state, known.current.get(state) ?? clock()]));
  return known.current;
}
