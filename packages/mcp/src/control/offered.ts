import type { JsonObject } from "@resumable-mcp/core";
import type { Upstream } from "../define-server.js";

/** What every server offers in either era. */
export const offered = {
  logging: {},
  tools: { listChanged: true },
  resources: { listChanged: true, subscribe: true },
  prompts: { listChanged: true },
};

/** What a server offers of what only some upstreams have. */
export function offeredByUpstream(upstream: Upstream | undefined): JsonObject {
  return upstream?.capabilities.completions === undefined ? {} : { completions: {} };
}
