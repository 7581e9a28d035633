import { setTimeout as pause } from "node:timers/promises";
import type { JsonObject } from "@resumable-mcp/core";
import { inTime } from "@resumable-mcp/core/internal";
import type { Era, UpstreamSubscribed, UpstreamSubscription } from "@resumable-mcp/mcp/define-server";
import { rpcCodes, toText } from "@resumable-mcp/protocol";
import { wrapLimits } from "../limits.js";
import { Connection, EndedByDiscovery, type Heard, type ServerFacts } from "./connection.js";
import { ConnectionLost, type OpenWire } from "./peer.js";
import { untilAborted } from "./until-aborted.js";

/** What a slot tells. */
export interface SlotListener {
  /** A connection was opened, or its list of tools has changed. */
  readonly facts: (facts: ServerFacts) => void;
  /** A connection could not be opened; it is tried again. */
  readonly failed: (error: Error) => void;
  readonly heard: Heard;
  readonly note: (sentence: string) => void;
}

/** Hears which resource has changed. */
type Updated = UpstreamSubscription["updated"];

/** One server, which is started at its first use and again after its end. */
export class ServerSlot {
  readonly #open: OpenWire;
  readonly #listener: SlotListener;
  /** Who hears of which resource, also when the server is started again. */
  readonly #subscribed = new Map<string, Set<Updated>>();
  readonly #closing = new AbortController();
  #era: Era | undefined;
  #connection: Connection | undefined;
  #onlyEra: Era | undefined;
  #opening: Promise<Connection> | undefined;
  #failures = 0;
  /** It ended when it was asked for the 2026 era: it is asked for the 2025 era alone at its next start. */
  #endsByDiscovery = false;
  usedMs = performance.now();

  /** @param era which one is spoken with a server of both; else that of its first caller. */
  constructor(open: OpenWire, listener: SlotListener, era?: Era) {
    this.#open = open;
    this.#listener = listener;
    this.#era = era;
  }

  /** Whether it serves callers of this era, which the first of them decides. */
  suits(era: Era): boolean {
    this.#era ??= era;
    return this.#era === era || this.onlyEra !== undefined;
  }

  /** The server speaks no other; `undefined`: it may. */
  get onlyEra(): Era | undefined {
    return this.#onlyEra;
  }

  /** The connection, where there is one. */
  get live(): Connection | undefined {
    this.usedMs = performance.now();
    const connection = this.#connection;
    if (connection === undefined || connection.isLost) return undefined;
    // Its list of tools was read before it was known who calls.
    const isOther = this.#era !== undefined && connection.is2026 !== (this.#era === "2026");
    return isOther && connection.onlyEra === undefined ? undefined : connection;
  }

  /** It could not be started when that was tried last. */
  get isAway(): boolean {
    return this.#failures > 0;
  }

  get busy(): boolean {
    return this.#opening !== undefined || this.#subscribed.size > 0 || this.#connection?.busy === true;
  }

  /**
   * Resolves to the connection when the server is there. Limits: `waitMs`, from when it is asked.
   *
   * @throws an error that says why the server is not there, and the reason of `signal`.
   */
  async connect(signal?: AbortSignal): Promise<Connection> {
    const deadlineMs = performance.now() + wrapLimits.waitMs;
    for (;;) {
      const { live } = this;
      if (live !== undefined) return live;
      this.#opening ??= this.#start().finally(() => {
        this.#opening = undefined;
      });
      try {
        const leftMs = Math.max(0, deadlineMs - performance.now());
        return await inTime(untilAborted(this.#opening, signal), leftMs, () => Promise.reject(new Error(notYet)));
      } catch (error) {
        const isHopeless = error instanceof ConnectionLost && error.cannotStart;
        const isOver = isHopeless || performance.now() >= deadlineMs || this.#closing.signal.aborted;
        if (isOver || signal?.aborted === true) throw error;
      }
    }
  }

  /** Hears of a resource until the end of that, also when the server is started again. Limits: `maxSubscribed`, those of `connect`. */
  async subscribe(uri: string, updated: Updated, signal: AbortSignal): Promise<UpstreamSubscribed> {
    const heard = this.#subscribed.get(uri) ?? new Set();
    if (heard.size === 0 && this.#subscribed.size >= wrapLimits.maxSubscribed) return tooMany;
    this.#subscribed.set(uri, heard.add(updated));
    const end = () => {
      if (!heard.delete(updated) || heard.size > 0) return;
      this.#subscribed.delete(uri);
      void this.#connection?.request("resources/unsubscribe", { uri }).catch(() => {});
    };
    try {
      const response = await (await this.connect(signal)).request("resources/subscribe", { uri }, { signal });
      if ("result" in response) return { end };
      end();
      return response;
    } catch (error) {
      end();
      throw error;
    }
  }

  async close(): Promise<void> {
    this.#closing.abort(new Error("The gateway stops."));
    await this.#opening?.catch(() => {});
    await this.#connection?.close();
  }

  async #start(): Promise<Connection> {
    const { signal } = this.#closing;
    const delayMs = Math.min(wrapLimits.restartDelayMs * 2 ** (this.#failures - 1), wrapLimits.maxRestartDelayMs);
    if (this.#failures > 0) await pause(delayMs, undefined, { signal });
    signal.throwIfAborted();
    const before = this.#connection;
    const connection = await this.#openConnection(signal);
    this.#connection = connection;
    // One that is spoken to in the 2025 era is not asked for the other: the same version speaks what it spoke.
    const isSame = before !== undefined && versionOf(before) === versionOf(connection);
    this.#onlyEra = connection.onlyEra ?? (isSame ? this.#onlyEra : undefined);
    void before?.close();
    void connection.ended.then((why) => {
      if (signal.aborted || this.#connection !== connection) return;
      this.#listener.note(`${why} It is started again when it is needed.`);
      if (this.#subscribed.size > 0) void this.connect().catch(() => {});
    });
    if (signal.aborted) void connection.close();
    if (before !== undefined) for (const uri of this.#subscribed.keys()) void this.#subscribeAgain(connection, uri);
    this.#listener.facts(connection.facts);
    return connection;
  }

  /** What changed in the meantime is not known. */
  async #subscribeAgain(connection: Connection, uri: string): Promise<void> {
    await connection.request("resources/subscribe", { uri }).catch(() => {});
    this.#updated(uri);
  }

  /** A server may tell of a resource in the one that was subscribed to. Source: MCP, Resources, "Subscriptions". */
  #updated(uri: string): void {
    const found = this.#subscribed.has(uri) ? [uri] : [...this.#subscribed.keys()].filter((one) => uri.startsWith(one));
    for (const one of found) for (const updated of this.#subscribed.get(one) ?? []) updated(uri);
  }

  async #openConnection(signal: AbortSignal): Promise<Connection> {
    try {
      const heard: Heard = (method, params) => this.#heard(method, params);
      const connection = await Connection.open(this.#open, heard, signal, {
        era: this.#endsByDiscovery ? "only 2025" : (this.#era ?? "2026"),
        startMs: this.#connection === undefined ? wrapLimits.firstStartMs : wrapLimits.startMs,
      });
      this.#failures = 0;
      this.#endsByDiscovery = false;
      return connection;
    } catch (error) {
      const isFirst = this.#failures === (this.#endsByDiscovery ? 1 : 0);
      this.#endsByDiscovery = error instanceof EndedByDiscovery;
      this.#failures += 1;
      // The next start tells whether it ends at any.
      if (this.#endsByDiscovery) throw error;
      if (isFirst && !signal.aborted) this.#listener.note(String(Reflect.get(Object(error), "message")));
      this.#listener.failed(error instanceof Error ? error : new Error(String(error)));
      throw error;
    }
  }

  #heard(method: string, params: JsonObject): void {
    const connection = this.#connection;
    if (method === "notifications/tools/list_changed")
      connection?.readTools().then(
        () => this.#listener.facts(connection.facts),
        (error: unknown) => this.#listener.note(`The list of tools could not be read again: ${String(error)}`),
      );
    else if (method === "notifications/resources/updated") this.#updated(toText(params.uri));
    else this.#listener.heard(method, params);
  }
}

function versionOf({ facts }: Connection): string {
  return JSON.stringify([facts.name, facts.version]);
}

const notYet = `The server is still starting after ${wrapLimits.waitMs / 1_000} seconds.`;

const tooMany = {
  error: {
    code: rpcCodes.refused,
    message: `More than ${wrapLimits.maxSubscribed} resources of one server are subscribed to (maxSubscribed). End another subscription first.`,
  },
};

/** Says that a server, which is named, did not answer, and why. */
export function noAnswer(name: string, error: unknown): Extract<UpstreamSubscribed, { error: unknown }> {
  const why = error instanceof Error ? error.message : String(error);
  const code = error instanceof ConnectionLost ? rpcCodes.internalError : rpcCodes.refused;
  return { error: { code, message: `${name} does not answer: ${why}` } };
}
