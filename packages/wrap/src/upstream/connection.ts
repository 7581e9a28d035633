import { isJsonObject, type JsonObject } from "@resumable-mcp/core";
import { inTime } from "@resumable-mcp/core/internal";
import type { Era, UpstreamResponse } from "@resumable-mcp/mcp/define-server";
import { envelopeKeys, rpcCodes, toText } from "@resumable-mcp/protocol";
import { checkpointExtension, readCheckpoint } from "../call/checkpoint.js";
import { wrapLimits } from "../limits.js";
import type { OpenCall } from "./open-call.js";
import { ConnectionLost, type OpenWire, Peer, type RequestOptions } from "./peer.js";
import { discover, Requests2026 } from "./requests-2026.js";
import { untilAborted } from "./until-aborted.js";

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

/** The server ended when it was asked for the 2026 era: it may be one that ends at a request that it does not know. */
export class EndedByDiscovery extends Error {}

/** Hears what a connection's server sends outside of calls. */
export type Heard = (method: string, params: JsonObject) => void;

const clientInfo = { name: "resumable-mcp-wrap", version: RESUMABLE_MCP_VERSION };

/** One connection to a server of either era, from the first request to its end. */
export class Connection {
  readonly #peer: Peer;
  readonly #calls = new Set<OpenCall>();
  readonly #requests2026: Requests2026;
  #is2026 = false;
  #onlyEra: Era | undefined;
  #isStale = false;
  #held = 0;
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
        else if (
          method === "notifications/elicitation/complete" &&
          [...this.#calls].some((call) => call.opened(params))
        )
          return;
        // Of a call that is over.
        else if (method === "notifications/progress") this.#hasUnkept ||= readCheckpoint(params) !== undefined;
        else if (method !== "notifications/subscriptions/acknowledged")
          heard(method, this.#is2026 ? { ...params, _meta: {} } : params);
      },
    });
    this.#requests2026 = new Requests2026(this.#peer, {
      clientInfo,
      findTool: (name) => this.#facts?.tools.find((tool) => tool.name === name),
      onMissed: heard,
    });
  }

  /**
   * Opens a connection, finds the era that the server speaks, and reads what it offers. Limit: `discoverMs`.
   *
   * @param era which one to speak with a server of both, or the only one that it is asked for. @param startMs how long that may take.
   * @throws an error that says why there is none; {@link EndedByDiscovery} where one may be opened with `only 2025`.
   */
  static async open(
    open: OpenWire,
    heard: Heard,
    signal: AbortSignal,
    { era, startMs }: { readonly era: Era | "only 2025"; readonly startMs: number },
  ): Promise<Connection> {
    const connection = new Connection(open, heard);
    const ways = {
      "2025": () => connection.#with2025(),
      "2026": () => connection.#findEra(),
      "only 2025": () => connection.#only2025(),
    };
    return connection.#openAs(ways[era], signal, startMs);
  }

  get facts(): ServerFacts {
    if (this.#facts === undefined) throw new Error("The server has not said what it is.");
    return this.#facts;
  }

  get busy(): boolean {
    return this.#held > 0 || this.#peer.busy;
  }

  /** Keeps the server for a call, which may have no request open. Returns what ends that. */
  hold(): () => void {
    this.#held += 1;
    return () => {
      this.#held -= 1;
      if (this.#isStale && this.#held === 0) void this.close();
    };
  }

  /** It serves no further calls. */
  get isLost(): boolean {
    return this.#peer.isLost || this.#isStale;
  }

  get is2026(): boolean {
    return this.#is2026;
  }

  /** The server speaks no other; `undefined`: it may. */
  get onlyEra(): Era | undefined {
    return this.#onlyEra;
  }

  /** The server makes a task of a call that asks for one. Source: MCP 2025-11-25, Tasks, "Capability Negotiation". */
  get makesTasks(): boolean {
    const { tasks }: JsonObject = this.facts.capabilities;
    return Object(Object(Object(tasks).requests).tools).call !== undefined;
  }

  /** Resolves when it has ended, to why. */
  get ended(): Promise<string> {
    return this.#peer.ended;
  }

  request(method: string, params: JsonObject, options?: RequestOptions): Promise<UpstreamResponse> {
    return this.#is2026
      ? this.#requests2026.request(method, params, options)
      : this.#peer.request(method, withoutEnvelope(params), options);
  }

  /** The same, for a request of a call, which answers what the server asks until its own answer comes. */
  async call(
    { method, params }: { readonly method: string; readonly params: JsonObject },
    open: OpenCall,
    options: RequestOptions,
  ): Promise<UpstreamResponse> {
    this.#calls.add(open);
    try {
      return await (this.#is2026
        ? this.#requests2026.call(method, params, options)
        : this.#peer.request(method, params, options));
    } catch (error) {
      // No session says that the server was started again, maybe as another version.
      this.#isStale ||= this.#is2026 && error instanceof ConnectionLost;
      throw error;
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

  /** @throws an error that says why there is none. */
  async #openAs(begin: () => Promise<JsonObject>, signal: AbortSignal, startMs: number): Promise<Connection> {
    try {
      const begun = this.#begin(begin).then(() => true);
      const opened = await inTime(untilAborted(begun, signal), startMs, () => false);
      if (!opened) throw new Error(`The server did not answer within ${startMs / 1_000} seconds.`);
      return this;
    } catch (error) {
      void this.close();
      throw error;
    }
  }

  async #begin(begin: () => Promise<JsonObject>): Promise<void> {
    const { serverInfo, instructions, capabilities } = await begin();
    const { name, version } = isJsonObject(serverInfo) ? serverInfo : {};
    const offered = isJsonObject(capabilities) ? capabilities : {};
    this.#facts = {
      name: toText(name ?? "unnamed"),
      version: toText(version ?? "0"),
      instructions: typeof instructions === "string" ? instructions : undefined,
      capabilities: offered,
      tools: offered.tools === undefined ? [] : await this.#listTools(),
    };
    if (this.#is2026) this.#requests2026.listen(offered);
  }

  /**
   * Asks in the way of the 2026 era, then in that of the 2025 era: where the server refuses, and where it is silent, for servers may
   * leave a request before `initialize` without an answer. Source: MCP 2026-07-28, Basic, "Versioning".
   *
   * @throws {@link EndedByDiscovery}
   */
  async #findEra(): Promise<JsonObject> {
    const asked = discover(this.#requests2026);
    try {
      const said = await inTime(asked, wrapLimits.discoverMs, () => undefined);
      return said === undefined ? await this.#only2025() : this.#speak2026(said);
    } catch (error) {
      if (!(error instanceof ConnectionLost)) throw error;
      if (this.#peer.isLost && !error.cannotStart && !error.notSent) throw new EndedByDiscovery(error.message);
      // One that starts slowly has both before it.
      const late = error.refused ? await inTime(asked, wrapLimits.discoverMs, () => undefined) : undefined;
      if (late === undefined) throw error;
      return this.#speak2026(late);
    }
  }

  /** Without a session a server of both eras can ask for nothing in the 2025 era: it counts as one of the 2026 era. */
  async #with2025(): Promise<JsonObject> {
    const refusal = (error: unknown) => {
      if (error instanceof ConnectionLost && error.refused && !this.#peer.isLost) return error;
      throw error;
    };
    const said2025 = await this.#initialize().catch(refusal);
    if (!(said2025 instanceof Error) && this.#peer.hasSession) return said2025;
    const said = await discover(this.#requests2026);
    if (said !== undefined) {
      this.#onlyEra = "2026";
      return this.#speak2026(said);
    }
    if (said2025 instanceof Error) throw said2025;
    this.#onlyEra = "2025";
    return said2025;
  }

  #only2025(): Promise<JsonObject> {
    this.#onlyEra = "2025";
    return this.#initialize();
  }

  #speak2026({ _meta, ...said }: JsonObject): JsonObject {
    this.#is2026 = true;
    return { ...said, serverInfo: Object(_meta)["io.modelcontextprotocol/serverInfo"] };
  }

  async #initialize(): Promise<JsonObject> {
    const said = await this.#result("initialize", {
      protocolVersion: "2025-11-25",
      capabilities: {
        elicitation: { form: {}, url: {} },
        sampling: {},
        roots: {},
        experimental: { [checkpointExtension]: {} },
      },
      clientInfo,
    });
    this.#peer.notify("notifications/initialized");
    return said;
  }

  async #listTools(): Promise<readonly JsonObject[]> {
    const tools: JsonObject[] = [];
    let cursor: string | undefined;
    for (let page = 0; page < wrapLimits.maxListPages; page += 1) {
      const list = await this.#result("tools/list", cursor === undefined ? {} : { cursor });
      tools.push(...(Array.isArray(list.tools) ? list.tools : []).filter(isJsonObject));
      if (typeof list.nextCursor !== "string") break;
      cursor = list.nextCursor;
    }
    return tools;
  }

  async #result(method: string, params: JsonObject): Promise<JsonObject> {
    const response = await this.request(method, params);
    if ("result" in response) return response.result;
    throw new ConnectionLost(`The server refused ${method}: ${response.error.message}`, { refused: true });
  }
}

/** Without what only a server of the 2026 era knows. */
function withoutEnvelope({ _meta, ...params }: JsonObject): JsonObject {
  const { [envelopeKeys.clientCapabilities]: _capabilities, ...meta } = isJsonObject(_meta) ? _meta : {};
  return Object.keys(meta).length === 0 ? params : { ...params, _meta: meta };
}
