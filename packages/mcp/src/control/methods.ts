import type { JsonObject, Tool } from "@resumable-mcp/core";
import type { ControlToolMode } from "@resumable-mcp/protocol";
import type { Call } from "../call/call.js";
import type { ClientArgument } from "../call/session-client.js";
import type { OperatorScopes } from "../owner/operator.js";
import type { CallerRights } from "../owner/scopes.js";
import type { PanelOptions } from "./panel.js";

/** How an engine's tools are offered, in either era. `Context` is what the SDK hands to a handler. */
export interface RegisterToolsOptions<Context> extends OperatorScopes {
  /** The authenticated subject of a call. Default: what the verified token says. */
  readonly owner?: ((context: Context) => string | undefined) | undefined;
  /**
   * Calls that say nothing of their caller belong to one local user, as over stdio. Only for servers that one person
   * can reach.
   */
  readonly singleUser?: boolean | undefined;
  /** Which control tools are listed. All can be called, except with `none`: then there are none. Default `minimal`. */
  readonly controlTools?: ControlToolMode | undefined;
  /** Put before the names of the control tools, where they would meet tools of the same name: it may change when tools do. */
  readonly prefix?: string | undefined;
  /** Answer long calls before the caller's time limit. Default: for hosts with a known limit. */
  readonly handoff?: boolean | undefined;
  /** What hosts that show apps show of tasks. Default: nothing. There is none where there are no control tools. */
  readonly panel?: PanelOptions | undefined;
  /** Hears of what failed unexpectedly. */
  readonly onError?: ((error: unknown) => void) | undefined;
  /**
   * Makes what callers see of what the code of a definition's `setup` threw: the server's own tools, resources and prompts.
   * Default: the error itself.
   */
  readonly maskThrown?: ((error: unknown) => unknown) | undefined;
}

/** What differs between the eras. `Context` is what is known of a request. */
export interface EraAdapter<Context, EraCall extends Call> {
  /**
   * Makes the era-neutral call of a request.
   * @throws {@link ResumableError} `NO_OWNER`.
   */
  call(context: Context, argument?: ClientArgument): EraCall;
  /** What is known of the rights of a request's caller. */
  rightsOf(context: Context): CallerRights;
  /** Whether the client of a request shows the pages of MCP Apps. */
  showsApps(context: Context): boolean;
  /** Answers the call of a resumable tool. */
  runTool(call: EraCall, tool: Tool, input: JsonObject, context: Context): Promise<object>;
  /** Runs what answers a call, where the era's calls end before their request does. */
  whileOpen?<Result>(call: EraCall, run: (call: EraCall) => Promise<Result>): Promise<Result>;
  /** Whether the server's author gave it a tool of this name. */
  hasOwnTool(name: string, context: Context): boolean;
  /** The server's author gave it a prompt of the name of ours, which wins. */
  readonly hasOwnPrompt?: boolean;
}

/**
 * Answers a request. `next` is what the rest of the server answers to the same request: what its author gave it. Both throw
 * {@link RpcError}, or an error of the SDK.
 */
export type Method<Context> = (
  params: JsonObject,
  context: Context,
  next: () => Promise<JsonObject>,
) => Promise<object>;

/** Methods by their names. */
export type Methods<Context> = Readonly<Record<string, Method<Context>>>;
