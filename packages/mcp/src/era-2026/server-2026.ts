import type { ServerRegistry } from "../control/register-tools.js";
import type { VerifiedToken } from "../owner/owner.js";

/** What a handler is given next to its input: the part of the SDK's `ServerContext` that is used here. */
export interface Context2026 {
  readonly mcpReq: {
    readonly id: string | number;
    readonly _meta?: object;
    readonly envelope?: object;
    readonly inputResponses?: Record<string, unknown>;
    requestState(): unknown;
    readonly signal: AbortSignal;
    notify(notification: { method: string; params: Record<string, unknown> }): Promise<void>;
  };
  /** Absent on stdio. */
  readonly http?: { readonly authInfo?: VerifiedToken; readonly req?: object };
}

/** What answers a request. */
export interface ConnectedServer {
  readonly transport?: object | undefined;
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
