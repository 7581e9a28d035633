import type { VerifiedToken } from "../owner/subject.js";

/** What a handler is given beside its input: the part of the SDK's `ServerContext` that is used here. */
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

/** A schema that lists one JSON Schema and lets every value through. Source: Standard Schema, Standard JSON Schema. */
export interface PassingSchema {
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => { readonly value: never };
    readonly jsonSchema: {
      readonly input: () => Record<string, unknown>;
      readonly output: () => Record<string, unknown>;
    };
  };
}

/** How a tool is registered. */
export interface ToolConfig2026 {
  title?: string;
  description?: string;
  inputSchema: PassingSchema;
  outputSchema?: PassingSchema;
  annotations?: Record<string, never>;
  icons?: never[];
  _meta?: Record<string, unknown>;
}

/** What answers a request. */
export interface ConnectedServer {
  readonly transport?: object | undefined;
}

/**
 * A `McpServer` of `@modelcontextprotocol/server` 2.x, taken structurally: it may come from another copy of the SDK.
 *
 * Callbacks take `never` where the SDK's own types are generic over its schemas.
 */
export interface Server2026 {
  readonly server: ConnectedServer & {
    registerCapabilities(capabilities: {
      extensions?: Record<string, Record<string, never>>;
      resources?: { subscribe?: boolean };
    }): void;
    /** Only servers of the 2026 era have it. */
    projectCallToolResult: unknown;
    setRequestHandler(method: string, schemas: never, handler: never): void;
  };
  registerTool(name: string, config: ToolConfig2026, handler: never): unknown;
  registerResource(
    name: string,
    template: never,
    config: { title?: string; description?: string; mimeType?: string },
    read: never,
  ): unknown;
  registerPrompt(name: string, config: { title?: string; description?: string }, handler: never): unknown;
}
