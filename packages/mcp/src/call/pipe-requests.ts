import type { JsonObject } from "@resumable-mcp/core";
import { type Ending, EndingController } from "./ending.js";
import type { Receipt } from "./late-cancellations.js";
import { ConnectionReceipts, cancelledId } from "./result-delivered.js";
import { asRpcError, RpcError } from "./rpc-error.js";

/** One request that came by a connection such as stdio, whose messages all go the same way. */
export interface PipeRequest {
  readonly ending: Ending;
  /** Sends a message that belongs to the request. */
  readonly send: (message: object) => Promise<void>;
  readonly carry: (receipt: Receipt) => void;
  /** It is over, where it is not with its response. */
  readonly end: () => void;
}

/** What a connection writes to. */
export interface PipeOptions {
  readonly write: (message: object) => Promise<void>;
  readonly onError?: ((error: unknown) => void) | undefined;
}

/** The requests that are open on one connection, and the receipts of what they were answered. */
export class PipeRequests {
  readonly #options: PipeOptions;
  readonly #open = new Map<string | number, EndingController>();
  readonly #receipts = new ConnectionReceipts("local");
  #closed = false;

  constructor(options: PipeOptions) {
    this.#options = options;
  }

  /** Whether the client closed the connection. */
  get closed(): boolean {
    return this.#closed;
  }

  /** To be called with each message of the client. Whether it cancels a request that is open here, which then ends. */
  cancels(message: object): boolean {
    this.#receipts.received(message);
    const id = cancelledId(message);
    const ending = id === undefined ? undefined : this.#open.get(id);
    ending?.end("cancelled by the client");
    return ending !== undefined;
  }

  /** Sends a message that belongs to no request. */
  send(message: object): void {
    this.write(message).catch((error) => this.#options.onError?.(error));
  }

  async write(message: object): Promise<void> {
    if (!this.#closed) await this.#options.write(message);
  }

  /** The client closed the connection: it hears no more. */
  end(): void {
    this.#closed = true;
    for (const ending of this.#open.values()) ending.end("The connection was closed.");
  }

  /** Answers a request with what `run` gives; with nothing, where that is `undefined`: it ends itself. Never rejects. */
  async serve(id: string | number, run: (request: PipeRequest) => Promise<object | undefined>): Promise<void> {
    const ending = new EndingController();
    this.#open.set(id, ending);
    const end = () => {
      if (this.#open.get(id) === ending) this.#open.delete(id);
    };
    const send = (message: object) => this.write({ jsonrpc: "2.0", ...message });
    try {
      const result = await run({ ending, send, carry: (receipt) => this.#receipts.note(id, receipt), end });
      if (result === undefined) return;
      if (ending.reason === undefined) await this.#respond({ jsonrpc: "2.0", id, result: { ...result } as JsonObject });
    } catch (error) {
      if (!(error instanceof RpcError)) this.#options.onError?.(error);
      if (ending.reason === undefined) await this.#respond({ jsonrpc: "2.0", id, error: asRpcError(error).body });
    }
    end();
  }

  async #respond(message: JsonObject): Promise<void> {
    const sent = await this.#receipts.sending(message, () => !this.#closed);
    await this.write(message);
    sent?.();
  }
}
