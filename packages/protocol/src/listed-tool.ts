import { isJsonObject } from "@resumable-mcp/core";
import { metaKeys } from "./meta-keys.js";

/**
 * Whether a call may be sent again after a break: `journal` joins its task; `again` repeats it without harm, by the tool's
 * own annotations; `once` must not run twice. Source: MCP, Tools, "Tool Annotations".
 */
export type Repeatable = "journal" | "again" | "once";

/** Reads from a listed tool whether its call may be sent again. */
export function repeatableOf({
  _meta,
  annotations,
}: {
  readonly _meta?: unknown;
  readonly annotations?: unknown;
}): Repeatable {
  if (isJsonObject(_meta) && _meta[metaKeys.durable] === "journal") return "journal";
  if (!isJsonObject(annotations)) return "once";
  return annotations.readOnlyHint === true || annotations.idempotentHint === true ? "again" : "once";
}

/** Tells whether a listed tool says that its argument `client_id` names the caller. */
export function takesClientId({ _meta }: { readonly _meta?: unknown }): boolean {
  return isJsonObject(_meta) && _meta[metaKeys.clientId] === "argument";
}
