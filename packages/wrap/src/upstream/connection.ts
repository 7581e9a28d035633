import { isJsonObject, type JsonObject } from "@resumable-mcp/core";
import { inTime } from "@resumable-mcp/core/internal";
import type { UpstreamResponse } from "@resumable-mcp/mcp/define-server";
import { rpcCodes } from "@resumable-mcp/protocol";
import { checkpointExtension, readCheckpoint } from "../call/checkpoint.js";
import { wrapLimits } from "../limits.js";
import { ConnectionLost, type OpenWire, Peer, type RequestOptions } from "./peer.js";

declare const RESUMABLE_MCP_VERSION: string;

/** What a server says of itself. */
export interface ServerFacts {
  readonly name: string;
  readonly version: string;
  readonly instructions?: string | undefined;
  readonly capabilities: JsonObject;
  /** The entries of its list of tools, as they are. */
  readonly tools: readonly JsonObject[];
}

/** A call that is under way, which answers what the server asks in the meantime. */
export interface OpenCall {
  readonly owner: string;
  ask(method: string, params: JsonObject, signal: AbortSignal): Promise<UpstreamResponse>;
  log(params: JsonObject): void;
  /** Resolves when what the server reported until now is durable: to true; to false when the call is over before that. */
  committed(): Promise<boolean>;
}

/** Rejects with the reason of the signal when that comes first. */
export function untilAborted<Value>(promise: Promise<Value>, signal: AbortSignal | undefined): Promise<Value> {
  if (signal === undefined) return promise;
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    if (signal.aborted) abort();
    signal.addEventListener("abort", abort);
    promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", abort));
  });
}

/** Hears what a connection's server sends outside of calls. */
export type Heard = (method: string, params: JsonObject) => void;

/** One connection to a server of the 2025 era, from `initialize` to its end. */
export class Connection {
  readonly #peer: Peer;
  readonly #calls = new Set<OpenCall>();
  #hasUnkept = false;
  #facts: ServerFacts | undefined;

  private constructor(open: OpenWire, heard: Heard) {
    this.#peer = new Peer(open, {
      request: async (method, params, signal) => {
        if (method === "ping") return this.#pong();
        const call = this.#latest();
        if (call !== undefined) return call.ask(method, params, signal);
        return {
          error: { code: rpcCodes.methodNotFound, message: `No call is under way that could answer ${method}.` },
        };
      },
      notification: (method, params) => {
        if (method === "notifications/message") this.#latest()?.log(params);
        // Of a call that is over.
        else if (method === "notifications/progress") this.#hasUnkept ||= readCheckpoint(params) !== undefined;
        else heard(method, params);
      },
    });
  }

  /**
   * Opens a connection, and reads what the server offers. Limits: `startMs`.
   *
   * @throws an error that says why there is none.
   */
  static async open(open: OpenWire, heard: Heard, signal: AbortSignal): Promise<Connection> {
    const connection = new Connection(open, heard);
    try {
      const opened = await inTime(
        untilAborted(
          connection.#initialize().then(() => true),
          signal,
        ),
        wrapLimits.startMs,
        () => false,
      );
      if (!opened) throw new Error(`The server did not answer within ${wrapLimits.startMs / 1_000} seconds.`);
      return connection;
    } catch (error) {
      void connection.close();
      throw error;
    }
  }

  get facts(): ServerFacts {
    if (this.#facts === undefined) throw new Error("The server has not answered initialize.");
    return this.#facts;
  }

  get busy(): boolean {
    return this.#peer.busy;
  }

  get isLost(): boolean {
    return this.#peer.isLost;
  }

  /** Resolves when it has ended, to why. */
  get ended(): Promise<string> {
    return this.#peer.ended;
  }

  request(method: string, params: JsonObject, options?: RequestOptions): Promise<UpstreamResponse> {
    return this.#peer.request(method, params, options);
  }

  /** The same, for a request of a call, which answers what the server asks until its own answer comes. */
  async call(
    { method, params }: { readonly method: string; readonly params: JsonObject },
    open: OpenCall,
    options: RequestOptions,
  ): Promise<UpstreamResponse> {
    this.#calls.add(open);
    try {
      return await this.#peer.request(method, params, options);
    } finally {
      this.#calls.delete(open);
    }
  }

  /** Reads the list of tools again. */
  async readTools(): Promise<void> {
    this.#facts = { ...this.facts, tools: await this.#listTools() };
  }

  close(): Promise<void> {
    return this.#peer.close();
  }

  /** A server that pings after a checkpoint learns by the answer that it is durable. */
  async #pong(): Promise<UpstreamResponse> {
    const kept = await Promise.all(Array.from(this.#calls, (call) => call.committed()));
    const isKept = !this.#hasUnkept && kept.every((each) => each);
    this.#hasUnkept = false;
    if (isKept) return { result: {} };
    return {
      error: { code: rpcCodes.refused, message: "A checkpoint before this ping was not kept: its call is over." },
    };
  }

  /** A server does not say for which call it asks: for the one that was made last, where all are of one owner. */
  #latest(): OpenCall | undefined {
    const calls = [...this.#calls];
    return new Set(calls.map(({ owner }) => owner)).size > 1 ? undefined : calls.at(-1);
  }

  async #initialize(): Promise<void> {
    const { serverInfo, instructions, capabilities } = await this.#result("initialize", {
      protocolVersion: "2025-11-25",
      capabilities: { elicitation: {}, sampling: {}, roots: {}, experimental: { [checkpointExtension]: {} } },
      clientInfo: { name: "resumable-mcp-wrap", version: RESUMABLE_MCP_VERSION },
    });
    this.#peer.notify("notifications/initialized");
    const { name, version } = isJsonObject(serverInfo) ? serverInfo : {};
    const offered = isJsonObject(capabilities) ? capabilities : {};
    this.#facts = {
      name: String(name ?? "unnamed"),
      version: String(version ?? "0"),
      instructions: typeof instructions === "string" ? instructions : undefined,
      capabilities: offered,
      tools: offered.tools === undefined ? [] : await this.#listTools(),
    };
  }

  async #listTools(): Promise<readonly JsonObject[]> {
    const tools: JsonObject[] = [];
    let cursor: string | undefined;
    for (let page = 0; page < wrapLimits.maxToolPages; page += 1) {
      const list = await this.#result("tools/list", cursor === undefined ? {} : { cursor });
      tools.push(...(Array.isArray(list.tools) ? list.tools : []).filter(isJsonObject));
      if (typeof list.nextCursor !== "string") break;
      cursor = list.nextCursor;
    }
    return tools;
  }

  async #result(method: string, params: JsonObject): Promise<JsonObject> {
    const response = await this.#peer.request(method, params);
    if ("result" in response) return response.result;
    throw new ConnectionLost(`The server refused ${method}: ${response.error.message}`);
  }
}
