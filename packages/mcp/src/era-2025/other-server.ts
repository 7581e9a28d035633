import { isJsonObject, type JsonObject } from "@resumable-mcp/core";
import { inTime } from "@resumable-mcp/core/internal";
import { rpcCodes } from "@resumable-mcp/protocol";
import { RpcError, readableError } from "../call/rpc-error.js";
import type { OtherServer } from "../control/router.js";
import { limits } from "../limits.js";
import type { JSONRPCMessage, MessageExtraInfo, RequestId, Transport, TransportSendOptions } from "../sdk-2025.js";
import { findHandler, forSdk, isRegisteredTool, requestsTo } from "../sdk-workarounds.js";
import type { Request2025 } from "./call-2025.js";
import { KnownTools, readToolKinds, type ToolFacts } from "./session/tool-kinds.js";

/** A server instance that a session can be connected to. */
export interface ConnectableServer {
  connect(transport: Transport): Promise<void>;
  close(): Promise<void>;
}

interface Asked {
  readonly request: Request2025 | undefined;
  readonly finish: (answer: { readonly result: JsonObject } | { readonly error: RpcError }) => void;
}

/** What is asked of a server that is connected to one session, or to one connection over stdio. */
export interface OtherServerOptions {
  readonly sessionId?: string | undefined;
  /** Sends what belongs to no request. */
  readonly send: (message: JSONRPCMessage) => Promise<void>;
}

/**
 * The SDK's server of one session, or of one connection over stdio, which its author's code was given: it answers what is not ours.
 *
 * Each request has an id of its own in it. What belongs to a request goes to that, whatever its client calls it.
 */
export class OtherServer2025 implements Transport, OtherServer<Request2025> {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: <Message extends JSONRPCMessage>(message: Message, extra?: MessageExtraInfo) => void;
  readonly sessionId?: string;
  readonly #server: ConnectableServer;
  readonly #options: OtherServerOptions;
  readonly #asked = new Map<RequestId, Asked>();
  readonly #tools = new KnownTools(() => this.#readTools());
  #request: ReturnType<typeof requestsTo> = () => {};
  #lastId = 0;
  #closed = false;

  private constructor(server: ConnectableServer, options: OtherServerOptions) {
    this.#server = server;
    this.#options = options;
    if (options.sessionId !== undefined) this.sessionId = options.sessionId;
  }

  static async connect(server: ConnectableServer, options: OtherServerOptions): Promise<OtherServer2025> {
    const other = new OtherServer2025(server, options);
    await server.connect(other);
    return other;
  }

  async start(): Promise<void> {
    this.#request = requestsTo(this.#server, this);
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    const error = new RpcError(rpcCodes.refused, "The session was closed.");
    for (const { finish } of [...this.#asked.values()]) finish({ error });
    this.onclose?.();
  }

  /** The tools that the server lists itself may change at any time. */
  async factsOf(name: string): Promise<ToolFacts | undefined> {
    const kinds = this.#tools.known ?? (await inTime(this.#tools.kinds(), limits.toolListTimeoutMs, () => undefined));
    return kinds?.get(name);
  }

  hasTool(name: string): boolean {
    return isRegisteredTool(this.#server, name);
  }

  hasMethod(method: string): boolean {
    const low: unknown = Reflect.get(this.#server, "server") ?? this.#server;
    return typeof low === "object" && low !== null && findHandler(low, method) !== undefined;
  }

  /** @param request `undefined`: of our own, whose messages reach no client. */
  ask(request: Request2025 | undefined, method: string, params: JsonObject): Promise<JsonObject> {
    if (this.#closed) return Promise.reject(new RpcError(rpcCodes.refused, "The session was closed."));
    const id = ++this.#lastId;
    return new Promise((resolve, reject) => {
      let stop = () => {};
      const cancel = () => {
        const cancelled = { requestId: id, reason: String(request?.ending.reason) };
        this.receive({ jsonrpc: "2.0", method: "notifications/cancelled", params: cancelled });
        finish({ error: new RpcError(rpcCodes.internalError, "The request was cancelled.") });
      };
      const finish: Asked["finish"] = (answer) => {
        this.#asked.delete(id);
        stop();
        if ("result" in answer) resolve(answer.result);
        else reject(answer.error);
      };
      this.#asked.set(id, { request, finish });
      if (request !== undefined) stop = request.ending.whenEnded(cancel);
      this.#request({ jsonrpc: "2.0", id, method, params }, request && extraOf(request));
    });
  }

  /** Takes what a client sends that is not a request. */
  receive(message: JSONRPCMessage, extra?: MessageExtraInfo): void {
    this.onmessage?.(message, extra);
  }

  async send(message: JSONRPCMessage, { relatedRequestId: related }: TransportSendOptions = {}): Promise<void> {
    if (!("method" in message)) return this.#respond(message);
    if (message.method === "notifications/tools/list_changed") this.#tools.forget();
    if (related === undefined) return this.#options.send(message);
    // What was cancelled, or is a request of our own, has no client.
    await this.#asked.get(related)?.request?.relay?.(message);
  }

  #respond(message: { readonly id?: RequestId | undefined }): void {
    const asked = message.id === undefined ? undefined : this.#asked.get(message.id);
    const { result, error }: JsonObject = forSdk(message);
    asked?.finish(isJsonObject(result) ? { result } : { error: readableError(error) });
  }

  #readTools() {
    return readToolKinds((cursor) => this.ask(undefined, "tools/list", cursor === undefined ? {} : { cursor }));
  }
}

/** What the SDK gives a handler next to the message. */
function extraOf({ authInfo, requestInfo, closeSSEStream }: Request2025): MessageExtraInfo {
  return forSdk({ authInfo, requestInfo, closeSSEStream });
}
