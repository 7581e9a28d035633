import type { ServerRegistry } from "../control/register-tools.js";

/** What a handler is given next to its input: the part of the SDK's `RequestHandlerExtra` that is used here. */
export interface RequestExtra {
  readonly signal: AbortSignal;
  readonly sessionId?: string;
  readonly _meta?: object;
  readonly requestId: string | number;
  readonly authInfo?: AuthFacts;
  readonly requestInfo?: object;
  readonly sendNotification: (notification: never) => Promise<void>;
  // The SDK's signature is generic in its own schema type, which differs between copies of zod.
  sendRequest(request: never, schema: never, options?: never): Promise<unknown>;
}

/** What a verified token says. Source: MCP, Authorization. */
export interface AuthFacts {
  readonly token: string;
  readonly clientId: string;
  readonly scopes: string[];
  readonly expiresAt?: number;
  readonly extra?: Record<string, unknown>;
}

/** Source: MCP 2025-11-25, Tasks, "Capabilities". */
export type TasksCapability = {
  list?: object;
  cancel?: object;
  requests?: { tools?: { call?: object } };
};

/**
 * A `McpServer` of `@modelcontextprotocol/sdk` 1.x, taken structurally: it may come from another copy of the SDK.
 */
export interface Server2025 extends ServerRegistry {
  readonly server: {
    readonly transport?: object | undefined;
    onclose?: (() => void) | undefined;
    getClientCapabilities(): { readonly elicitation?: object | undefined } | undefined;
    getClientVersion(): { readonly name: string } | undefined;
    registerCapabilities(capabilities: {
      logging?: object;
      resources?: { subscribe?: boolean };
      tasks?: TasksCapability;
    }): void;
    assertCanSetRequestHandler(method: string): void;
    setRequestHandler(schema: never, handler: never): void;
    notification(notification: never): Promise<void>;
  };
}

/**
 * Makes what gives a signal that aborts when the connection that a server has now is closed: whatever watches on behalf of
 * its client ends with it, not at the next change of a task that may never change again.
 */
export function createClosedSignal({ server }: Server2025): () => AbortSignal {
  let known: AbortSignal | undefined;
  return () => {
    if (known !== undefined) return known;
    if (server.transport === undefined) return AbortSignal.abort("closed");
    const closed = new AbortController();
    const before = server.onclose;
    server.onclose = () => {
      known = undefined;
      server.onclose = before;
      closed.abort("closed");
      before?.();
    };
    known = closed.signal;
    return known;
  };
}

/** Tells whether a server has no handlers of its own for these methods. */
export function hasNoHandler({ server }: Server2025, methods: readonly string[]): boolean {
  try {
    for (const method of methods) server.assertCanSetRequestHandler(method);
    return true;
  } catch {
    return false;
  }
}
