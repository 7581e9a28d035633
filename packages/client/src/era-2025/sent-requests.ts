import type { JSONRPCMessage, JSONRPCRequest } from "@modelcontextprotocol/sdk/types.js";
import { endOfCode, endOfResult, sendRequest } from "@resumable-mcp/telemetry";

/**
 * Traces and measures the requests of one link, and puts their trace into `_meta`. Does nothing where no SDK of OpenTelemetry is
 * registered.
 *
 * Limits: one entry for each request that waits for its response, was not cancelled, and whose link is open.
 * Source: OpenTelemetry, "Model Context Protocol (MCP)", Client; SEP-414.
 */
export class SentRequests {
  readonly #open = new Map<string | number, ReturnType<typeof sendRequest>>();

  /** Takes a message of ours; gives it as it is to be sent. */
  begin(message: JSONRPCMessage): JSONRPCMessage {
    if (!("method" in message)) return message;
    if (!("id" in message)) {
      if (message.method === "notifications/cancelled") this.#end(message.params?.requestId, "cancelled");
      return message;
    }
    const sent = sendRequest({ method: message.method, tool: toolOf(message), requestId: message.id });
    if (sent === undefined) return message;
    this.#open.set(message.id, sent);
    if (sent.trace === undefined) return message;
    return { ...message, params: { ...message.params, _meta: { ...message.params?._meta, ...sent.trace } } };
  }

  /** Takes a message of the server, with the id that the request was begun with. */
  answered(message: JSONRPCMessage): void {
    if ("method" in message || message.id === undefined) return;
    const sent = this.#open.get(message.id);
    if (sent === undefined) return;
    this.#open.delete(message.id);
    sent.end("error" in message ? endOfCode(message.error.code) : endOfResult(message.result));
  }

  /** The request was not sent. */
  failed(message: JSONRPCMessage): void {
    if ("id" in message && "method" in message) this.#end(message.id, "not_sent");
  }

  /** No response comes any more. */
  close(): void {
    for (const id of [...this.#open.keys()]) this.#end(id, "closed");
  }

  #end(id: unknown, errorType: string): void {
    if (typeof id !== "string" && typeof id !== "number") return;
    this.#open.get(id)?.end({ errorType });
    this.#open.delete(id);
  }
}

function toolOf({ method, params }: JSONRPCRequest): string | undefined {
  const name = method === "tools/call" ? params?.name : undefined;
  return typeof name === "string" ? name : undefined;
}
