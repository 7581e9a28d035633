import { isJsonObject } from "@resumable-mcp/core";
import { envelopeKeys } from "@resumable-mcp/protocol";

/**
 * Whether a message says its version in `_meta`, as each request of the 2026 era does. Pure.
 *
 * Source: MCP 2026-07-28, Basic, "Versioning".
 */
export function claimsVersion(message: unknown): boolean {
  const params = isJsonObject(message) ? message.params : undefined;
  const meta = isJsonObject(params) ? params._meta : undefined;
  return isJsonObject(meta) && envelopeKeys.protocolVersion in meta;
}
