import { isJsonObject, type JsonObject } from "@resumable-mcp/core";
import type { CallerHeaders, UpstreamResponse } from "@resumable-mcp/mcp/define-server";
import { rpcCodes } from "@resumable-mcp/protocol";
import { wrapLimits } from "../limits.js";

/** What carries the messages of a connection. */
export interface Wire {
  /** The server can ask for something in the 2025 era. */
  readonly hasSession: boolean;
  /** Why it takes no further message, though its listener may not have heard of its end yet. */
  readonly over?: string | undefined;
  /** @param headers of the request, where it is carried by HTTP and belongs to no session. */
  send(message: JsonObject, headers?: Readonly<Record<string, string>>, passed?: CallerHeaders): void;
  close(): Promise<void>;
}

/** What is known of a request without an answer. */
export interface LostHow {
  /** It did not reach the server. */
  readonly notSent?: boolean;
  /** The server refused it, in words that are not of the protocol. */
  readonly refused?: boolean;
}

/** Hears of a wire: each message, and why it ended. */
export interface WireListener {
  message(message: JsonObject): void;
  /** One request has no answer. */
  lost(id: unknown, why: string, how: LostHow): void;
  /** @param cannotStart the program was not found: to start it again is useless. */
  closed(why: string, cannotStart?: boolean): void;
}

/** Opens a wire. Its listener hears nothing before this returns. */
export type OpenWire = (listener: WireListener) => Wire;

/** The connection ended before the answer came: the server may have carried out the request, or not. */
export class ConnectionLost extends Error {
  override readonly name = "ConnectionLost";
  /** To try again is useless. */
  readonly cannotStart: boolean;
  /** The request did not reach the server. */
  readonly notSent: boolean;
  /** The server refused it. */
  readonly refused: boolean;

  constructor(why: string, { cannotStart = false, notSent = false, refused = false } = {}) {
    super(why);
    this.cannotStart = cannotStart;
    this.notSent = notSent;
    this.refused = refused;
  }
}

/** What a request may come with. */
export interface RequestOptions {
  /** Tells the server that the answer is not wanted any longer. The request then rejects with its reason. */
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((params: JsonObject) => void) | undefined;
  /** Of a request that belongs to no session. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Of the caller. */
  readonly passed?: CallerHeaders | undefined;
  /** It waits for as long as the connection lasts, and keeps the server from nothing. */
  readonly isAside?: boolean;
}

/** What a server sends of its own accord. */
export interface PeerHandlers {
  /** Answers a request of the server. */
  request(method: string, params: JsonObject, signal: AbortSignal): Promise<UpstreamResponse>;
  notification(method: string, params: JsonObject): void;
}

interface OpenRequest {
  readonly finish: (response: UpstreamResponse | Error) => void;
  readonly isAside: boolean;
}

/** One end of a connection, which is a client. Nothing that the server sends is checked beyond its form. Source: JSON-RPC 2.0. */
export class Peer {
  /** Resolves when the connection has ended, to why. */
  readonly ended: Promise<string>;
  readonly #wire: Wire;
  readonly #handlers: PeerHandlers;
  readonly #open = new Map<number, OpenRequest>();
  /** By the token of a request, which outlives its answer where that is a task. */
  readonly #progress = new Map<number, (params: JsonObject) => void>();
  /** Requests of the server that are being answered. */
  readonly #asked = new Map<unknown, AbortController>();
  #lastId = 0;
  #lost: ConnectionLost | undefined;

  constructor(open: OpenWire, handlers: PeerHandlers) {
    this.#handlers = handlers;
    let end: (why: string) => void = () => {};
    this.ended = new Promise((resolve) => {
      end = resolve;
    });
    this.#wire = open({
      message: (message) => this.#take(message),
      lost: (id, why, how) => this.#open.get(Number(id))?.finish(new ConnectionLost(why, how)),
      closed: (why, cannotStart) => {
        this.#lose(new ConnectionLost(why, { cannotStart: cannotStart === true }));
        end(why);
      },
    });
  }

  /** Requests that wait for an answer. */
  get busy(): boolean {
    return [...this.#open.values()].some(({ isAside }) => !isAside);
  }

  get isLost(): boolean {
    return this.#lost !== undefined || this.#wire.over !== undefined;
  }

  get hasSession(): boolean {
    return this.#wire.hasSession;
  }

  /** @throws {@link ConnectionLost}, and the reason of `signal`. */
  request(method: string, params: JsonObject, options: RequestOptions = {}): Promise<UpstreamResponse> {
    const { signal, onProgress, headers, passed, isAside = false } = options;
    if (this.#lost !== undefined) return Promise.reject(this.#lost);
    const { over } = this.#wire;
    if (over !== undefined) return Promise.reject(new ConnectionLost(over, { notSent: true }));
    this.#lastId += 1;
    const id = this.#lastId;
    return new Promise((resolve, reject) => {
      const cancel = () => {
        this.notify("notifications/cancelled", { requestId: id, reason: "The caller cancelled the call." }, passed);
        finish(signal?.reason instanceof Error ? signal.reason : new Error(String(signal?.reason)));
      };
      const finish: OpenRequest["finish"] = (response) => {
        this.#open.delete(id);
        signal?.removeEventListener("abort", cancel);
        const forget = () => this.#progress.delete(id);
        if (signal === undefined || signal.aborted || !isTask(response)) forget();
        else signal.addEventListener("abort", forget, { once: true });
        if (response instanceof Error) reject(response);
        else resolve(response);
      };
      this.#open.set(id, { finish, isAside });
      if (onProgress !== undefined) this.#progress.set(id, onProgress);
      const meta = onProgress === undefined ? params._meta : { ...Object(params._meta), progressToken: id };
      const sent = { ...params, ...(meta !== undefined && { _meta: meta }) };
      this.#wire.send({ jsonrpc: "2.0", id, method, params: sent }, headers, passed);
      if (signal?.aborted === true) cancel();
      else signal?.addEventListener("abort", cancel);
    });
  }

  notify(method: string, params: JsonObject = {}, passed?: CallerHeaders): void {
    if (this.#lost === undefined) this.#wire.send({ jsonrpc: "2.0", method, params }, undefined, passed);
  }

  close(): Promise<void> {
    return this.#wire.close();
  }

  #lose(lost: ConnectionLost): void {
    this.#lost ??= lost;
    for (const { finish } of [...this.#open.values()]) finish(lost);
    for (const asked of this.#asked.values()) asked.abort(lost);
  }

  #take({ id, method, params = {}, result, error }: JsonObject): void {
    const given = isJsonObject(params) ? params : {};
    if (typeof method === "string" && id !== undefined) void this.#answer(id, method, given);
    else if (method === "notifications/progress" && this.#progress.has(Number(given.progressToken)))
      this.#progress.get(Number(given.progressToken))?.(given);
    else if (method === "notifications/cancelled") this.#asked.get(given.requestId)?.abort("cancelled");
    else if (typeof method === "string") this.#handlers.notification(method, given);
    else this.#open.get(Number(id))?.finish(responseOf(result, error));
  }

  async #answer(id: JsonObject[string], method: string, params: JsonObject): Promise<void> {
    if (this.#asked.size >= wrapLimits.maxAsked) return this.#wire.send({ jsonrpc: "2.0", id, ...tooMany });
    const asked = new AbortController();
    this.#asked.set(id, asked);
    const response = await this.#handlers.request(method, params, asked.signal).catch(toError);
    this.#asked.delete(id);
    // A request that the server cancelled, or whose connection has ended, has no answer.
    if (this.#lost === undefined && !asked.signal.aborted) this.#wire.send({ jsonrpc: "2.0", id, ...response });
  }
}

/** Source: MCP 2025-11-25, Tasks, "Progress". */
function isTask(response: UpstreamResponse | Error): boolean {
  return "result" in response && isJsonObject(response.result.task);
}

function responseOf(result: unknown, error: unknown): UpstreamResponse {
  if (isJsonObject(result)) return { result };
  const { code, message, data }: JsonObject = isJsonObject(error) ? error : {};
  return {
    error: {
      code: typeof code === "number" ? code : rpcCodes.internalError,
      message: typeof message === "string" ? message : "The server answered without a result and without an error.",
      ...(data !== undefined && { data }),
    },
  };
}

const tooMany = {
  error: {
    code: rpcCodes.refused,
    message: `More than ${wrapLimits.maxAsked} requests wait for an answer (maxAsked).`,
  },
};

function toError(error: unknown): UpstreamResponse {
  return { error: { code: rpcCodes.internalError, message: error instanceof Error ? error.message : String(error) } };
}
