import { isJsonObject, type JsonObject } from "@resumable-mcp/core";
import { readRpcId } from "@resumable-mcp/protocol";
import { type PipeOptions, PipeRequests } from "../call/pipe-requests.js";
import { ownerOfSubject } from "../owner/owner.js";
import type { Request2026 } from "./call-2026.js";
import { type Asking2026, readMessage, requestFacts } from "./read-message.js";
import type { Answers2026 } from "./router.js";

/** What the requests of a connection are served with. */
export interface ConnectionOptions extends PipeOptions {
  readonly answers: Answers2026;
  /** The authenticated subject of a request. Default: none, it is the local user's. */
  readonly ownerOf?: ((request: Request2026) => string | undefined) | undefined;
}

/** Serves the requests that come by one connection, as over stdio. */
export class Connection2026 {
  readonly #options: ConnectionOptions;
  readonly #requests: PipeRequests;

  constructor(options: ConnectionOptions) {
    this.#options = options;
    this.#requests = new PipeRequests(options);
  }

  /** Takes one message of the client. */
  receive(message: object): void {
    if (this.cancels(message)) return;
    const { id, method }: JsonObject = isJsonObject(message) ? message : {};
    const read = readMessage(message);
    if (!("error" in read)) {
      if (read.id !== undefined) void this.#serve({ ...read, id: read.id });
      return;
    }
    // Only requests have answers.
    if (id !== undefined && typeof method === "string")
      this.send({ jsonrpc: "2.0", id: readRpcId(id), error: read.error.body });
  }

  /** Whether a message cancels a request that is open here, which then ends. */
  cancels(message: object): boolean {
    return this.#requests.cancels(message);
  }

  /** Sends a message that belongs to no request. */
  send(message: object): void {
    this.#requests.send(message);
  }

  /** The client closed the connection: it hears no more. */
  end(): void {
    this.#requests.end();
  }

  #serve(message: Asking2026): Promise<void> {
    const { id, method, params } = message;
    const { answers, ownerOf } = this.#options;
    return this.#requests.serve(id, async ({ ending, send, carry, end }) => {
      const request: Request2026 = {
        ...requestFacts(id, params),
        ...{ ending, notify: send, carry },
        authenticated: () => ownerOf && ownerOfSubject(ownerOf(request)),
      };
      await answers.ready();
      if (method !== "subscriptions/listen") return answers.answer(message, request);
      await answers.listener.listen(request, params, { send, end });
      return undefined;
    });
  }
}
