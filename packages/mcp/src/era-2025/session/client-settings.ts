import type { JSONRPCMessage, JSONRPCRequest, MessageExtraInfo } from "@modelcontextprotocol/sdk/types.js";
import type { JsonObject } from "@resumable-mcp/core";
import { isLogLevel } from "@resumable-mcp/protocol";
import { limits } from "../../limits.js";
import { type SessionDocument, withSubscription } from "./session-document.js";

/** Sends a request of the session's own to the server behind. */
export type Ask = (method: string, params: JsonObject, extra?: MessageExtraInfo) => Promise<JSONRPCMessage>;

/**
 * What a session's client has set: its log level and its subscriptions. They are kept in the session's document, since any
 * process may receive them: the one that carries the standalone stream repeats them to its own server.
 */
export class ClientSettings {
  readonly #document: SessionDocument;
  readonly #ask: Ask;
  /** The log level that the server of this process has. */
  #level: string | undefined;
  /** Subscriptions that it has. */
  readonly #subscribed = new Set<string>();

  constructor(document: SessionDocument, ask: Ask) {
    this.#document = document;
    this.#ask = ask;
  }

  /** What is wrong with a request that could not be kept: without that, updates would end with this process. */
  problemOf({ method, params }: JSONRPCRequest): string | undefined {
    const uri = params?.uri;
    if (method !== "resources/subscribe" || typeof uri !== "string") return undefined;
    const { maxKeptParamLength, maxSubscriptionsPerSession: max } = limits;
    if (uri.length > maxKeptParamLength) {
      return `The URI has ${uri.length} characters; the limit maxKeptParamLength is ${maxKeptParamLength}.`;
    }
    const others = (this.#document.value.subscriptions ?? []).filter((one) => one !== uri);
    if (others.length < max) return undefined;
    return `This session has reached its limit maxSubscriptionsPerSession = ${max}. Unsubscribe from a resource first.`;
  }

  /** Notes a request before it is carried out. Durability: as of `change`. */
  async noteRequest({ method, params }: JSONRPCRequest): Promise<void> {
    const level = method === "logging/setLevel" ? params?.level : undefined;
    if (!isLogLevel(level)) return;
    this.#level = level;
    await this.#document.change((facts) => ({ ...facts, logLevel: { level } }));
  }

  /** Notes what the server behind answered to a request. Durability: as of `change`. */
  async noteAnswer({ method, params }: JSONRPCRequest, response: JSONRPCMessage | undefined): Promise<void> {
    const isOpen = method === "resources/subscribe";
    const uri = params?.uri;
    if (!isOpen && method !== "resources/unsubscribe") return;
    if (typeof uri !== "string" || uri.length > limits.maxKeptParamLength) return;
    if (response === undefined || !("result" in response)) return;
    this.#noteSubscription(uri, isOpen);
    // Also where nothing seems to change: another process may have written since.
    await this.#document.change((facts) => withSubscription(facts, uri, isOpen));
  }

  /** Gives a server that was just made the log level, if the client has set one. */
  async repeatLevel(extra?: MessageExtraInfo): Promise<void> {
    const { logLevel } = this.#document.value;
    if (logLevel === undefined || logLevel.level === this.#level) return;
    this.#level = String(logLevel.level);
    await this.#ask("logging/setLevel", logLevel, extra);
  }

  /**
   * Gives the server of this process the subscriptions that the document has, and returns those that are new to it: something
   * may have changed before.
   */
  async repeatSubscriptions(extra: MessageExtraInfo | undefined): Promise<readonly string[]> {
    const stored = new Set(this.#document.value.subscriptions);
    const added: string[] = [];
    for (const uri of stored) {
      if (this.#subscribed.has(uri)) continue;
      this.#noteSubscription(uri, true);
      if ("result" in (await this.#ask("resources/subscribe", { uri }, extra))) added.push(uri);
    }
    for (const uri of [...this.#subscribed]) {
      if (stored.has(uri)) continue;
      this.#noteSubscription(uri, false);
      await this.#ask("resources/unsubscribe", { uri }, extra);
    }
    return added;
  }

  #noteSubscription(uri: string, isOpen: boolean): void {
    if (isOpen) this.#subscribed.add(uri);
    else this.#subscribed.delete(uri);
  }
}
