import { setTimeout as delay } from "node:timers/promises";
import type { Client } from "@modelcontextprotocol/sdk/client/index.js";
import {
  StreamableHTTPClientTransport,
  type StreamableHTTPClientTransportOptions,
} from "@modelcontextprotocol/sdk/client/streamableHttp.js";

/** How long the end of a session waits for a server to answer, in milliseconds. */
const endWaitMs = 1_000;

/** How a client connects. */
export interface StockSessionOptions extends Pick<StreamableHTTPClientTransportOptions, "reconnectionOptions"> {
  readonly url: URL;
  /** How long the server may take to answer, in milliseconds. */
  readonly timeout?: number;
}

/** A client of the SDK with a session of the 2025 era. */
export interface StockSession {
  readonly client: Client;
  /** Closes the client, and ends the session as far as a server answers: it counts against its owner for days. */
  readonly end: () => Promise<void>;
}

/** Connects a client; a try that fails leaves no session behind either. */
export async function connectSession(
  client: Client,
  { url, timeout, reconnectionOptions }: StockSessionOptions,
): Promise<StockSession> {
  const transport = new StreamableHTTPClientTransport(url, { reconnectionOptions });
  const end = async (): Promise<void> => {
    const { sessionId } = transport;
    await client.close().catch(() => {});
    if (sessionId !== undefined) await deleteSession(url, sessionId);
  };
  try {
    await client.connect(transport, { timeout });
  } catch (error) {
    await end();
    throw error;
  }
  return { client, end };
}

/** Not by the transport, whose requests end when it closes. */
async function deleteSession(url: URL, sessionId: string): Promise<void> {
  const signal = AbortSignal.timeout(endWaitMs);
  const headers = { "mcp-session-id": sessionId };
  try {
    const { body } = await fetch(url, { method: "DELETE", headers, signal });
    await body?.cancel();
  } catch {
    // The session expires.
  }
}

/** Pauses between tries, each twice as long as the one before, as far as the longest. */
export class Backoff {
  readonly #longestMs: number;
  #nextMs: number;

  constructor(firstMs: number, longestMs: number) {
    this.#longestMs = longestMs;
    this.#nextMs = firstMs;
  }

  async pause(): Promise<void> {
    const ms = this.#nextMs;
    this.#nextMs = Math.min(2 * ms, this.#longestMs);
    await delay(ms);
  }
}
