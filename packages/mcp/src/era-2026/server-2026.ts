import { isJsonObject } from "@resumable-mcp/core";
import { endingOf } from "../call/ending.js";
import { makeCarrier } from "../call/result-delivered.js";
import type { RegisterToolsOptions } from "../control/methods.js";
import type { ServerRegistry } from "../control/register-tools.js";
import { findLocality, ownerOfSubject, ownerOfToken, type VerifiedToken } from "../owner/owner.js";
import { type ConnectedServer, forSdk } from "../sdk-workarounds.js";
import type { Request2026 } from "./call-2026.js";

/** What a handler is given next to its input: the part of the SDK's `ServerContext` that is used here. */
export interface Context2026 {
  readonly mcpReq: {
    readonly id: string | number;
    readonly _meta?: object;
    readonly envelope?: object;
    readonly inputResponses?: Record<string, unknown>;
    requestState(): unknown;
    readonly signal: AbortSignal;
    readonly notify: (notification: { method: string; params: Record<string, unknown> }) => Promise<void>;
  };
  /** Absent on stdio. */
  readonly http?: { readonly authInfo?: VerifiedToken; readonly req?: object };
}

/**
 * A `McpServer` of `@modelcontextprotocol/server` 2.x, taken structurally: it may come from another copy of the SDK.
 */
export interface Server2026 extends ServerRegistry {
  readonly server: ConnectedServer & {
    registerCapabilities(capabilities: {
      extensions?: Record<string, Record<string, never>>;
      resources?: { subscribe?: boolean };
    }): void;
    /** Only servers of the 2026 era have it. */
    projectCallToolResult: unknown;
    setRequestHandler(method: string, schemas: never, handler: never): void;
  };
}

/** How tools are registered at a server of the 2026 era. */
export interface RegisterOptions2026 extends RegisterToolsOptions<Context2026> {
  /** Signs what clients keep between two round trips of a call; at least 32 bytes. Default: a key kept in the store. */
  readonly requestStateKey?: Uint8Array | undefined;
}

/** A request of a server's handler, in the words of this package. */
export function toRequest(
  { server }: Server2026,
  { owner }: Pick<RegisterOptions2026, "owner">,
  context: Context2026,
): Request2026 {
  const { mcpReq, http } = context;
  const locality = findLocality(http?.req);
  const isNear = http === undefined || locality.local;
  return {
    id: mcpReq.id,
    meta: { ...mcpReq.envelope, ...mcpReq._meta },
    requestState: mcpReq.requestState(),
    inputResponses: isJsonObject(mcpReq.inputResponses) ? mcpReq.inputResponses : undefined,
    ending: endingOf(mcpReq.signal),
    notify: forSdk(mcpReq.notify),
    carry: makeCarrier(server, mcpReq.id, isNear ? "local" : "remote"),
    authenticated: () => (owner === undefined ? ownerOfToken(http?.authInfo) : ownerOfSubject(owner(context))),
    http: http && {
      authInfo: http.authInfo,
      locality,
      headers: Object(Reflect.get(Object(http.req), "headers")),
      toWeb: () => forSdk(http.req),
    },
  };
}

/** The other way round, for the function that names the owner: the SDK makes no context for subscriptions. */
export function toContext({ id, meta, ending, notify, http }: Request2026): Context2026 {
  const mcpReq = {
    id,
    _meta: meta,
    envelope: meta,
    requestState: () => undefined,
    signal: ending.signal,
    notify: forSdk(notify),
  };
  if (http === undefined) return { mcpReq };
  const { authInfo } = http;
  return { mcpReq, http: { ...(authInfo && { authInfo }), req: http.toWeb() } };
}
