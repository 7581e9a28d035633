import type { Transport, TransportSendOptions } from "@modelcontextprotocol/sdk/shared/transport.js";
import type { JSONRPCMessage, JSONRPCNotification } from "@modelcontextprotocol/sdk/types.js";
import { metaKeys } from "@resumable-mcp/protocol";
import { SentRequests } from "./sent-requests.js";

/** What a {@link LinkTransport} needs besides the transport that it wraps. */
export interface LinkTransportOptions {
  /** Unique among all clients that ever use the session. */
  readonly idPrefix: string;
  /** Sees every notification before the SDK does; `true` keeps it from the SDK. */
  readonly onNotification: (notification: JSONRPCNotification) => boolean;
  readonly onError: (error: Error) => void;
  /** The id of the request whose stream is being resumed. */
  readonly resumedId: () => string | undefined;
}

/**
 * Wraps a transport so that a session can outlive the SDK client that opened it.
 *
 * The SDK counts request ids from 0 in every client, while a session forbids to use an id twice: a second client in
 * the session could get an answer meant for the first. So the ids on the wire carry a prefix. Notifications are seen
 * here because the SDK handles them later than the answer that follows them.
 */
export class LinkTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: Transport["onmessage"];
  /** The id on the wire of the last request. */
  lastRequestId = "";
  protocolVersion: string | undefined;
  /** The server said so when it opened the connection. */
  isLocal = false;
  readonly #inner: Transport;
  readonly #options: LinkTransportOptions;
  readonly #requests = new SentRequests();

  constructor(inner: Transport, options: LinkTransportOptions) {
    this.#inner = inner;
    this.#options = options;
  }

  get sessionId(): string | undefined {
    return this.#inner.sessionId;
  }

  setProtocolVersion(version: string): void {
    this.protocolVersion = version;
    this.#inner.setProtocolVersion?.(version);
  }

  async start(): Promise<void> {
    this.#inner.onclose = () => {
      this.#requests.close();
      this.onclose?.();
    };
    this.#inner.onerror = (error) => {
      this.#options.onError(error);
      this.onerror?.(error);
    };
    this.#inner.onmessage = (message, extra) => {
      if ("method" in message && !("id" in message) && this.#options.onNotification(message)) return;
      this.isLocal ||= tellsLocal(message);
      const adopted = adoptError(message, this.#options.idPrefix, this.#options.resumedId());
      const received = incoming(adopted, this.#options.idPrefix);
      this.#requests.answered(received);
      this.onmessage?.(received, extra);
    };
    await this.#inner.start();
  }

  async send(message: JSONRPCMessage, options?: TransportSendOptions): Promise<void> {
    const sent = outgoing(this.#requests.begin(message), this.#options.idPrefix);
    if ("method" in sent && "id" in sent) this.lastRequestId = String(sent.id);
    try {
      await this.#inner.send(sent, options);
    } catch (error) {
      this.#requests.failed(message);
      throw error;
    }
  }

  async close(): Promise<void> {
    this.#requests.close();
    await this.#inner.close();
  }
}

/** Whether a message opens a connection for a local client. */
function tellsLocal(message: JSONRPCMessage): boolean {
  return "result" in message && "protocolVersion" in message.result && message.result._meta?.[metaKeys.local] === true;
}

/** Puts the prefix before the ids of a message of ours. */
export function outgoing(message: JSONRPCMessage, prefix: string): JSONRPCMessage {
  if (!("method" in message)) return message;
  if ("id" in message) return { ...message, id: `${prefix}${message.id}` };
  if (message.method !== "notifications/cancelled") return message;
  return { ...message, params: { ...message.params, requestId: `${prefix}${String(message.params?.requestId)}` } };
}

/** Takes the prefix from the id of an answer to a message of ours. */
export function incoming(message: JSONRPCMessage, prefix: string): JSONRPCMessage {
  if ("method" in message || typeof message.id !== "string" || !message.id.startsWith(prefix)) return message;
  return { ...message, id: Number(message.id.slice(prefix.length)) };
}

/** Gives an error on a resumed stream the id that the request has now; for results the SDK does so itself. */
export function adoptError(message: JSONRPCMessage, prefix: string, resumedId: string | undefined): JSONRPCMessage {
  if (!("error" in message) || resumedId === undefined || String(message.id).startsWith(prefix)) return message;
  return { ...message, id: resumedId };
}
