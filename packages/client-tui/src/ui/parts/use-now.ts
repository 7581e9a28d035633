import type { ServerInfo } from "@resumable-mcp/client";
import { useEffect, useReducer, useRef } from "react";

const tickMs = 1000;
/** After a new second, other draws get this time to show it before the clock draws by itself. */
const graceMs = 350;

/**
 * The present second, in milliseconds since 1970, renewed while it is needed.
 *
 * Every draw shows the present second, so the clock draws only where nothing else has drawn since the second began.
 */
export function useNow(needed: boolean, clock: () => number): number {
  const nowMs = secondOf(clock());
  const drawn = useRef(nowMs);
  drawn.current = nowMs;
  const [, redraw] = useReducer((count: number) => count + 1, 0);
  useEffect(() => {
    if (!needed) return;
    let timer: NodeJS.Timeout | undefined;
    const wait = () => {
      const present = clock();
      if (secondOf(present) !== drawn.current) redraw();
      timer = setTimeout(wait, secondOf(present) + tickMs + graceMs - present);
    };
    wait();
    return () => clearTimeout(timer);
  }, [needed, clock]);
  return nowMs;
}

function secondOf(timeMs: number): number {
  return Math.floor(timeMs / tickMs) * tickMs;
}

/** When each connection came to stand as it stands: states are replaced and never changed. */
export function useSince(
  servers: readonly ServerInfo[],
  clock: () => number,
): ReadonlyMap<ServerInfo["state"], number> {
  const known = useRef<ReadonlyMap<ServerInfo["state"], number>>(new Map());
  known.current = new Map(servers.map(({ state }) => [state, known.current.get(state) ?? clock()]));
  return known.current;
}
