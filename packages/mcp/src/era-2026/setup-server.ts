import {
  type AuthInfo,
  bearerAuthChallengeResponse,
  type CallToolResult,
  getOAuthProtectedResourceMetadataUrl,
  type JSONRPCMessage,
  McpServer,
  OAuthError,
  OAuthErrorCode,
  PerRequestHTTPServerTransport,
  type ServerNotifier,
  SUPPORTED_PROTOCOL_VERSIONS,
} from "@modelcontextprotocol/server";
import { type Engine, isJsonObject, type JsonObject } from "@resumable-mcp/core";
import { rpcCodes } from "@resumable-mcp/protocol";
import { maskHandlers } from "../call/mask-handlers.js";
import { asRpcError, RpcError, readableError } from "../call/rpc-error.js";
import type { RegisterToolsOptions } from "../control/methods.js";
import { reserveNames } from "../control/register-tools.js";
import type { OtherServer } from "../control/router.js";
import type { ServerDefinition, Setup2026 } from "../define-server.js";
import type { VerifiedToken } from "../owner/owner.js";
import { findHandler, forSdk, giveRequestsLate, requestsTo } from "../sdk-workarounds.js";
import type { Request2026 } from "./call-2026.js";
import { revision } from "./discovery.js";
import type { Asking2026 } from "./read-message.js";

const classification = { era: "modern", revision } as const;

/** Calls a resumable tool for a handler of the server's own. */
export type CallForHandler = (tool: string, input: JsonObject, request: Request2026) => Promise<object>;

/** What a definition's `setup2026` gave its server, behind an SDK's server that answers all requests for it. */
export class SetupServer implements OtherServer<Request2026> {
  readonly mcp: McpServer;
  readonly #wire: SharedTransport;

  private constructor(mcp: McpServer) {
    this.mcp = mcp;
    this.#wire = new SharedTransport(mcp);
  }

  /** @param onOther hears of what the server's code sends outside a request. */
  static async build(
    definition: ServerDefinition,
    engine: Engine,
    options: Pick<RegisterToolsOptions<never>, "controlTools" | "prefix" | "maskThrown" | "onError">,
    parts: {
      readonly changes: ServerNotifier;
      readonly callTool: CallForHandler;
      readonly onOther: ((message: JsonObject) => void) | undefined;
    },
  ): Promise<SetupServer> {
    const { name, version, setup2026 } = definition;
    const supportedProtocolVersions = [...SUPPORTED_PROTOCOL_VERSIONS, revision];
    const mcp = new McpServer({ name, version }, { capabilities: { logging: {} }, supportedProtocolVersions });
    giveRequestsLate(mcp.server);
    reserveNames(mcp, engine, options);
    if (options.maskThrown !== undefined) maskHandlers(mcp, options.maskThrown);
    const built = new SetupServer(mcp);
    const { changes, callTool, onOther } = parts;
    const callForHandler: Setup2026["callTool"] = (tool, input, { mcpReq }) =>
      built.#wire.answerWith(mcpReq.id, (request) => callTool(tool, input, request));
    await setup2026?.(mcp, { changes, callTool: callForHandler });
    built.#wire.onOther = onOther;
    mcp.server.onerror = (error) => options.onError?.(error);
    await mcp.connect(built.#wire);
    return built;
  }

  /** What the server's code demands of the token of a request over HTTP, where that has too few scopes. The SDK asks it there. */
  async challenge({ id, method, params }: Asking2026, token: VerifiedToken | undefined): Promise<Response | undefined> {
    const authInfo = token && { authInfo: forSdk(token) };
    const challenge = await this.mcp.resolveScopeChallenge({
      request: { jsonrpc: "2.0", id, method, params },
      ...authInfo,
    });
    if (challenge === undefined) return undefined;
    const { scopes, errorDescription = "Insufficient scope" } = challenge;
    return bearerAuthChallengeResponse(new OAuthError(OAuthErrorCode.InsufficientScope, errorDescription), {
      requiredScopes: [...scopes],
      resourceMetadataUrl: metadataUrlOf(Object(token)),
    });
  }

  hasTool(name: string): boolean {
    return this.mcp.toolInputSchemaJson(name) !== undefined;
  }

  hasMethod(method: string): boolean {
    return findHandler(this.mcp.server, method) !== undefined;
  }

  ask(request: Request2026, method: string, params: JsonObject): Promise<JsonObject> {
    return this.#wire.ask(request, method, params);
  }
}

interface Asked {
  readonly request: Request2026;
  readonly finish: (answer: { readonly result: JsonObject } | { readonly error: RpcError }) => void;
  /** What the handler's call of a resumable tool came to: the SDK would take it for the result of a tool that has no task. */
  instead?: { readonly result: JsonObject } | { readonly error: RpcError };
}

/** One connection for all requests, each of which has an id of its own in it: clients choose the same ones. */
class SharedTransport extends PerRequestHTTPServerTransport {
  onOther: ((message: JsonObject) => void) | undefined;
  readonly #server: McpServer;
  readonly #asked = new Map<unknown, Asked>();
  #request: ReturnType<typeof requestsTo> = () => {};
  #lastId = 0;

  constructor(server: McpServer) {
    super({ classification });
    this.#server = server;
  }

  override async start(): Promise<void> {
    await super.start();
    this.#request = requestsTo(this.#server, this);
  }

  ask(request: Request2026, method: string, params: JsonObject): Promise<JsonObject> {
    const id = ++this.#lastId;
    const { ending, http } = request;
    const { authInfo } = http ?? {};
    return new Promise((resolve, reject) => {
      let stop = () => {};
      const cancel = () => {
        const params = { requestId: id, reason: "The client left." };
        this.#receive({ jsonrpc: "2.0", method: "notifications/cancelled", params });
        finish({ error: new RpcError(rpcCodes.internalError, "The request was cancelled.") });
      };
      const finish: Asked["finish"] = (answer) => {
        this.#asked.delete(id);
        stop();
        if ("result" in answer) resolve(answer.result);
        else reject(answer.error);
      };
      this.#asked.set(id, { request, finish });
      if (ending.reason !== undefined) return cancel();
      stop = ending.whenEnded(cancel);
      const extra = { classification, toWeb: http?.toWeb, ...(authInfo && { authInfo }) };
      this.#request({ jsonrpc: "2.0", id, method, params }, extra);
    });
  }

  /** Answers a request with what a call of a resumable tool comes to, as it is. */
  async answerWith(id: unknown, call: (request: Request2026) => Promise<object>): Promise<CallToolResult> {
    const asked = this.#asked.get(id);
    if (asked === undefined) throw new RpcError(rpcCodes.internalError, "The request was answered before.");
    try {
      const result = { ...(await call(asked.request)) };
      asked.instead = { result };
      return { content: [], ...result };
    } catch (error) {
      asked.instead = { error: asRpcError(error) };
      throw error;
    }
  }

  override async send(message: JSONRPCMessage, options?: { readonly relatedRequestId?: string | number }) {
    const { method, id, result, error }: JsonObject = { ...message } as JsonObject;
    if (typeof method === "string") {
      const related = this.#asked.get(options?.relatedRequestId);
      if (related === undefined) this.onOther?.({ ...message } as JsonObject);
      else await related.request.notify(forSdk(message));
      return;
    }
    const asked = this.#asked.get(id);
    if (asked === undefined) return;
    const { instead } = asked;
    const answer = isJsonObject(result) ? { result } : { error: readableError(error) };
    // A handler may have caught what its call came to, and answer for itself.
    const isOwn = instead !== undefined && "error" in instead && isJsonObject(result) && result.isError !== true;
    asked.finish(isOwn ? answer : (instead ?? answer));
  }

  override async close(): Promise<void> {
    this.onclose?.();
  }

  #receive(message: object): void {
    this.onmessage?.(forSdk(message), { classification });
  }
}

/** Where a client reads how to get a token. Source: RFC 9728. */
function metadataUrlOf({ resourceMetadataUrl, resource }: Pick<AuthInfo, "resourceMetadataUrl" | "resource">) {
  const isWeb = resource?.protocol === "https:" || resource?.protocol === "http:";
  return resourceMetadataUrl ?? (isWeb ? getOAuthProtectedResourceMetadataUrl(resource) : undefined);
}
