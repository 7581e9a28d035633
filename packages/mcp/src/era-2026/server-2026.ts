import type { RegisterToolsOptions, ServerRegistry } from "../control/register-tools.js";
import type { VerifiedToken } from "../owner/owner.js";
import type { ConnectedServer } from "../sdk-workarounds.js";

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
