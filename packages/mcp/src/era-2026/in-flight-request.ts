import type { JsonObject } from "@resumable-mcp/core";
import { rpcCodes } from "@resumable-mcp/protocol";
import { type Ending, EndingController } from "../call/ending.js";
import type { Receipt } from "../call/late-cancellations.js";
import { beforeSent, isCompletedResponse } from "../call/result-delivered.js";
import type { RpcError } from "../call/rpc-error.js";
import { HttpAnswer } from "../http/http-answer.js";
import { SseStream } from "../http/sse-stream.js";
import { limits2026, sessionLimits } from "../limits.js";
import { missingTasksExtension } from "./call-2026.js";

/** A response, and the HTTP status that it has where nothing was sent before it. */
export interface WireResponse {
  readonly status: number;
  readonly message: JsonObject;
}

const statusOf: { readonly [code: number]: number } = {
  [rpcCodes.methodNotFound]: 404,
  [missingTasksExtension.code]: 400,
};

/** The response that says why a request failed. */
export function errorResponse(id: string | number | null, { code, body: error }: RpcError): WireResponse {
  return { status: statusOf[code] ?? 200, message: { jsonrpc: "2.0", id, error } };
}

const streamHeaders = {
  "content-type": "text/event-stream",
  "cache-control": "no-cache, no-transform",
  // Proxies that buffer would hold back the comments.
  "x-accel-buffering": "no",
};

/**
 * One request over HTTP and what it is answered with: one JSON message, or a stream when there is something to say before the
 * response, or the response takes long. Clients and proxies give up on a response whose header does not come.
 *
 * Source: MCP 2026-07-28, Transports, "Streamable HTTP".
 */
export class InFlightRequest {
  readonly #gone = new EndingController();
  readonly #stream: SseStream;
  #receipt: Receipt | undefined;
  #begin = () => {};
  readonly #begun = new Promise<undefined>((resolve) => {
    this.#begin = () => resolve(undefined);
  });

  constructor(connection: Ending, keepAliveMs: number, onEnd: (ended: InFlightRequest) => void) {
    let stop = () => {};
    const { maxStreamBytes, maxStallMs } = sessionLimits;
    this.#stream = new SseStream({ maxStreamBytes, maxStallMs, keepAliveMs }, () => {
      stop();
      this.#gone.end("The request is over.");
      onEnd(this);
    });
    stop = connection.whenEnded(() => this.cancel());
  }

  /** It ends when the client left; when it has its answer, too. */
  get ending(): Ending {
    return this.#gone;
  }

  /** Ends the request without an answer. */
  cancel(): void {
    this.#stream.cancel();
  }

  /** Sends a message before the response; resolves when there is room for the next. */
  async send(message: object): Promise<void> {
    this.#begin();
    await this.#stream.write({ data: JSON.stringify({ jsonrpc: "2.0", ...message }) });
  }

  carry(receipt: Receipt): void {
    this.#receipt = receipt;
  }

  /** What was sent is all. */
  end(): void {
    this.#stream.close();
  }

  /** The stream itself. */
  stream(): HttpAnswer {
    return new HttpAnswer(200, streamHeaders, this.#stream);
  }

  /**
   * Gives the response once there is one, or the stream on which it will come.
   *
   * @param failed makes the response of what was thrown, also because a response is not JSON.
   */
  async answer(responding: Promise<WireResponse>, failed: (error: unknown) => WireResponse): Promise<HttpAnswer> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<undefined>((resolve) => {
      timer = setTimeout(() => {
        void this.#stream.write({ comment: "working" });
        resolve(undefined);
      }, limits2026.headersAfterMs);
    });
    const instead = (error: unknown) => this.#whole(failed(error));
    // The error may hold what is not JSON, too.
    const whole = responding
      .then((response) => this.#whole(response))
      .catch(instead)
      .catch(instead);
    const early = await Promise.race([whole, this.#begun, late]);
    clearTimeout(timer);
    if (early !== undefined) {
      this.end();
      return early;
    }
    if (this.#stream.closed) return new HttpAnswer(499);
    void whole.then(async ({ body, onSent }) => {
      await this.#stream.write({ data: String(body), onSent });
      this.end();
    });
    return this.stream();
  }

  async #whole({ status, message }: WireResponse): Promise<HttpAnswer> {
    const receipt = this.#receipt;
    const isCarried = receipt !== undefined && isCompletedResponse(message, receipt);
    const onSent = isCarried ? await beforeSent(receipt, () => this.#gone.reason === undefined) : undefined;
    return new HttpAnswer(status, { "content-type": "application/json" }, JSON.stringify(message), onSent);
  }
}
