import type {
  CallToolResult,
  InputRequiredResult,
  McpServer as McpServer2026,
  ServerContext,
  ServerNotifier,
} from "@modelcontextprotocol/server";
import type { Engine, Json, JsonObject, Tool } from "@resumable-mcp/core";
import type { Documents } from "@resumable-mcp/core/store";
import type { ControlToolMode } from "@resumable-mcp/protocol";
import type { McpServer } from "./sdk-2025.js";

/**
 * The panel's page: one HTML document without anything from elsewhere, or what loads it where it is first read. All sessions
 * share it.
 */
export type PanelPage = string | (() => Promise<string>);

/** What the panel says of a server. */
export interface PanelServer {
  readonly name: string;
  readonly version: string;
}

/** What a client speaks: with a session, or without one. A server that speaks both is spoken to in the era of its caller. */
export type Era = "2025" | "2026";

/** Headers by their names in lower case. */
export type CallerHeaders = Readonly<Record<string, string>>;

/** What is asked of another server, and for whom. */
export interface UpstreamRequest {
  readonly owner: string;
  readonly era: Era;
  readonly method: string;
  readonly params: JsonObject;
  readonly signal: AbortSignal;
}

/** What it answers. Source: JSON-RPC 2.0, "Response object". */
export type UpstreamResponse =
  | { readonly result: JsonObject }
  | { readonly error: { readonly code: number; readonly message: string; readonly data?: Json } };

/** A notification of another server that is for all clients. */
export interface UpstreamChange {
  readonly method: string;
  readonly params: JsonObject;
}

/** A resource of another server, and who hears when it changes. */
export interface UpstreamSubscription extends Pick<UpstreamRequest, "owner" | "era" | "signal"> {
  readonly uri: string;
  /** @param uri of the resource, or of one in it. */
  readonly updated: (uri: string) => void;
}

/** What ends a subscription, or why there is none. */
export type UpstreamSubscribed = { readonly end: () => void } | Extract<UpstreamResponse, { readonly error: unknown }>;

/** A client that waits for a call, as another server reaches it. */
export interface UpstreamClient {
  readonly capabilities: JsonObject;
  /** @param key of the request, where its server gave it one. */
  request(method: string, params: JsonObject, signal: AbortSignal, key?: string): Promise<UpstreamResponse>;
  /** Tells it of what it was asked; absent where its era has no such notifications. */
  notify?(method: string, params: JsonObject): void;
}

/** Another server: its tools are tools of ours, and all else that it offers passes through. */
export interface Upstream {
  /** Its tools, as they are now. */
  readonly tools: readonly Tool[];
  /** What it offers in addition to tools. Source: MCP, Lifecycle, "Capability Negotiation". */
  readonly capabilities: JsonObject;
  /** Why none of its tools are known: it has never started; `undefined`: they are. */
  readonly notStarted: string | undefined;
  /** Gives it what a server keeps across restarts. */
  keepIn(documents: Documents): void;
  /** Asks it for everything but calls of tools. */
  ask(request: UpstreamRequest): Promise<UpstreamResponse>;
  /** Hears of a resource, until the end of that. */
  subscribe(subscription: UpstreamSubscription): Promise<UpstreamSubscribed>;
  /** The headers of callers that calls of its tools take along: those with other values are other calls. */
  readonly passes: readonly string[];
  /** A call that came in this era is about to begin a task. Returns what tells which, or that there is none. */
  expect(owner: string, era: Era, headers?: CallerHeaders): (taskId: string | undefined) => void;
  /** A client waits for the call of a task, and answers what the server asks of clients in the meantime. Returns what ends that. */
  join(taskId: string, client: UpstreamClient): () => void;
  /** Hears when what it offers has changed. Returns what ends that. */
  watch(listener: (change: UpstreamChange) => void): () => void;
  close(): Promise<void>;
}

/** A server as its author describes it; what a tools module may export. */
export interface ServerDefinition {
  readonly name: string;
  readonly version: string;
  /** Shown to models before they use the tools. */
  readonly instructions?: string | undefined;
  readonly tools: readonly Tool[];
  /**
   * Which of the tools that control tasks `tools/list` shows. `minimal`: those that a model needs to continue a task. Listed or
   * not, all of them can be called, except with `none`: then the server has none. Default `minimal`.
   */
  readonly controlTools?: ControlToolMode;
  /**
   * The page that shows and controls tasks inside hosts that show apps (MCP Apps): `false`: none. Default: that of
   * `@resumable-mcp/panel` in the command-line programs, else none. Without control tools (`none`) there is no panel.
   */
  readonly panel?: PanelPage | false;
  /**
   * Callers see of what the code of tools throws only that it failed; errors of the toolkit, `ToolError`, and errors made with
   * `forCaller` are shown. Default: over HTTP where callers may be strangers.
   */
  readonly maskErrors?: boolean;
  /** Put before the names of the control tools, where they would meet tools of the same name. */
  readonly prefix?: string;
  /** The server whose tools these are. It answers everything else, and there is no `setup`. */
  readonly upstream?: Upstream;
  /**
   * Adds whatever else the server offers: ordinary tools, resources, prompts. Runs once a connection. It needs the package
   * `@modelcontextprotocol/sdk`.
   */
  readonly setup?: (server: McpServer) => void | Promise<void>;
  /**
   * The same for clients of the 2026 era. Over HTTP it runs once: one server answers the requests of all clients, and what is
   * known of a client stands in the context of each handler.
   */
  readonly setup2026?: (server: McpServer2026, setup: Setup2026) => void | Promise<void>;
}

/** What a server of the 2026 era can use for what it adds. */
export interface Setup2026 {
  /** Tells clients that listen of changes. */
  readonly changes: ServerNotifier;
  /**
   * Calls one of the resumable tools out of a handler of the server's own, for tools that ask for something first and
   * then become a task. The result is to be returned as it is.
   */
  callTool(tool: string, input: JsonObject, context: ServerContext): Promise<CallToolResult | InputRequiredResult>;
}

/**
 * Describes a server for the command-line programs.
 *
 * @example
 * export default defineServer({ name: "words", version: "1.0.0", tools: [countWords] });
 */
export function defineServer(definition: ServerDefinition): ServerDefinition {
  return definition;
}

/** Lets an engine have the tools of another server, as they are then. */
export function serveUpstream(engine: Engine, { upstream }: ServerDefinition): void {
  if (upstream === undefined) return;
  upstreams.set(engine, upstream);
  upstream.keepIn(engine.documents);
  upstream.watch(({ method }) => {
    if (method === "notifications/tools/list_changed") engine.replaceTools(upstream.tools);
  });
}

const upstreams = new WeakMap<Engine, Upstream>();

/** The server whose tools an engine has. */
export function findUpstream(engine: Engine): Upstream | undefined {
  return upstreams.get(engine);
}
