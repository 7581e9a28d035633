import type { JsonObject } from "@resumable-mcp/core";
import { isAtLeast } from "@resumable-mcp/protocol";
import { limits } from "../../limits.js";
import type { JSONRPCMessage, JSONRPCRequest, MessageExtraInfo } from "../../sdk-2025.js";
import { type SessionDocument, withSubscription } from "./session-document.js";

/** What carries out the requests that a session repeats. */
export interface SettingsParts {
  readonly document: SessionDocument;
  /** Asks our own. */
  readonly ask: (method: string, params: JsonObject, extra?: MessageExtraInfo) => Promise<object>;
  /** Asks the server that the author's code was given, if there is one. */
  readonly askOther: (method: string, params: JsonObject) => Promise<unknown>;
}

/**
 * What a session's client has set: its log level and its subscriptions. They are kept in the session's document, since any
 * process may receive them: the one that carries the standalone stream watches for all.
 */
export class ClientSettings {
  readonly #document: SessionDocument;
  readonly #parts: SettingsParts;
  /** The log level that the author's server of this process has. */
  #level: string | undefined;
  /** Subscriptions that this process watches. */
  readonly #subscribed = new Set<string>();

  constructor(parts: SettingsParts) {
    this.#document = parts.document;
    this.#parts = parts;
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

  /** Notes the log level that the client asks for. Durability: as of `change`. */
  async setLevel(level: string): Promise<void> {
    this.#level = level;
    await this.#document.change((facts) => ({ ...facts, logLevel: { level } }));
  }

  /** Whether the client wants messages of a level. */
  wantsLog(level: string): boolean {
    return isAtLeast(level, String(this.#document.value.logLevel?.level ?? "debug"));
  }

  /** Notes what a request was answered. Durability: as of `change`. */
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

  /** Gives the author's server the log level that its client asked for at another process, or of an earlier server of this one. */
  async repeatLevel(): Promise<void> {
    const { logLevel } = this.#document.value;
    if (logLevel === undefined || logLevel.level === this.#level) return;
    this.#level = String(logLevel.level);
    await this.#parts.askOther("logging/setLevel", logLevel).catch(() => {});
  }

  /**
   * Watches, in this process, the subscriptions that the document has, and returns those that are new to it: something may have changed
   * before.
   */
  async repeatSubscriptions(extra: MessageExtraInfo | undefined): Promise<readonly string[]> {
    const stored = new Set(this.#document.value.subscriptions);
    const added: string[] = [];
    for (const uri of stored) {
      if (this.#subscribed.has(uri)) continue;
      this.#noteSubscription(uri, true);
      if (await this.#repeat("resources/subscribe", uri, extra)) added.push(uri);
    }
    for (const uri of [...this.#subscribed]) {
      if (stored.has(uri)) continue;
      this.#noteSubscription(uri, false);
      await this.#repeat("resources/unsubscribe", uri, extra);
    }
    return added;
  }

  #repeat(method: string, uri: string, extra: MessageExtraInfo | undefined): Promise<boolean> {
    return this.#parts.ask(method, { uri }, extra).then(
      () => true,
      () => false,
    );
  }

  #noteSubscription(uri: string, isOpen: boolean): void {
    if (isOpen) this.#subscribed.add(uri);
    else this.#subscribed.delete(uri);
  }
}
