import { isJsonObject, type JsonObject } from "@resumable-mcp/core";
import { rpcIdOf } from "@resumable-mcp/protocol";
import { ConnectionReceipts, cancelledId } from "../call/receipt.js";
import { asRpcError, RpcError } from "../call/rpc-error.js";
import { ownerOfSubject } from "../owner/owner.js";
import type { Request2026 } from "./call-2026.js";
import { errorResponse } from "./in-flight-request.js";
import { type Asking2026, readMessage, requestFacts } from "./read-message.js";
import type { Answers2026 } from "./router.js";

/** What the requests of a connection are served with. */
export interface ConnectionOptions {
  readonly answers: Answers2026;
  readonly write: (message: object) => Promise<void>;
  /** The authenticated subject of a request. Default: none, it is the local user's. */
  readonly ownerOf?: ((request: Request2026) => string | undefined) | undefined;
  readonly onError?: ((error: unknown) => void) | undefined;
}

/** Serves the requests that come by one connection, as over stdio. */
export class Connection2026 {
  readonly #options: ConnectionOptions;
  readonly #open = new Map<string | number, AbortController>();
  readonly #receipts = new ConnectionReceipts("local");
  #closed = false;

  constructor(options: ConnectionOptions) {
    this.#options = options;
  }

  /** Takes one message of the client. */
  receive(message: object): void {
    this.#receipts.received(message);
    if (this.cancels(message)) return;
    const { id, method }: JsonObject = isJsonObject(message) ? message : {};
    const read = readMessage(message);
    if (!("error" in read)) {
      if (read.id !== undefined) void this.#serve({ ...read, id: read.id });
      return;
    }
    // Only requests have answers.
    if (id !== undefined && typeof method === "string") this.send(errorResponse(rpcIdOf(id), read.error).message);
  }

  /** Whether a message cancels a request that is open here, which then ends. */
  cancels(message: object): boolean {
    const id = cancelledId(message);
    const controller = id === undefined ? undefined : this.#open.get(id);
    controller?.abort();
    return controller !== undefined;
  }

  /** Sends a message that belongs to no request. */
  send(message: object): void {
    this.#write(message).catch((error) => this.#options.onError?.(error));
  }

  /** The client closed the connection: it hears no more. */
  end(): void {
    this.#closed = true;
    for (const controller of this.#open.values()) controller.abort();
  }

  async #serve(message: Asking2026): Promise<void> {
    const { id, method, params } = message;
    const { answers, ownerOf, onError } = this.#options;
    const controller = new AbortController();
    this.#open.set(id, controller);
    const { signal } = controller;
    const send = (sent: object) => this.#write({ jsonrpc: "2.0", ...sent });
    const request: Request2026 = {
      ...requestFacts(id, params),
      signal,
      notify: send,
      carry: (receipt) => this.#receipts.note(id, receipt),
      authenticated: () => ownerOf && ownerOfSubject(ownerOf(request)),
    };
    const end = () => {
      if (this.#open.get(id) === controller) this.#open.delete(id);
    };
    try {
      await answers.ready();
      if (method === "subscriptions/listen") return await answers.listener.listen(request, params, { send, end });
      const result = await answers.answer(message, request);
      if (!signal.aborted) await this.#respond({ jsonrpc: "2.0", id, result });
    } catch (error) {
      if (!(error instanceof RpcError)) onError?.(error);
      if (!signal.aborted) this.send(errorResponse(id, asRpcError(error)).message);
    }
    end();
  }

  async #respond(message: JsonObject): Promise<void> {
    const sent = await this.#receipts.sending(message, () => !this.#closed);
    await this.#write(message);
    sent?.();
  }

  async #write(message: object): Promise<void> {
    if (!this.#closed) await this.#options.write(message);
  }
}
