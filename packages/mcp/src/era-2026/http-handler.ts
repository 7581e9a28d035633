import type { AuthInfo } from "@modelcontextprotocol/server";
import { isJsonObject } from "@resumable-mcp/core";
import { withDefaults } from "@resumable-mcp/core/internal";
import { readRpcId, toText } from "@resumable-mcp/protocol";
import { bringValidator } from "../call/json-schema-validator.js";
import { asRpcError, RpcError } from "../call/rpc-error.js";
import { HttpAnswer, refusal } from "../http/http-answer.js";
import { type HttpRequest, ofWebRequest, readJsonBody } from "../http/http-request.js";
import { type BodyLimits, bodyLimits, limits2026 } from "../limits.js";
import { ownerOfSubject, ownerOfToken, unknownLocality } from "../owner/owner.js";
import type { Request2026 } from "./call-2026.js";
import { lastAnswers } from "./engine-state.js";
import type {
  AnsweringHandler2026,
  EndpointOptions,
  HandlerOptions2026,
  RequestOptions2026,
} from "./handler-options.js";
import { errorResponse, InFlightRequest, type WireResponse } from "./in-flight-request.js";
import { type Asking2026, type Message2026, readMessage, requestFacts } from "./read-message.js";
import { type Answers2026, Router2026 } from "./router.js";
import { checkHeaders } from "./standard-headers.js";

/**
 * Serves clients of the 2026 era over HTTP.
 *
 * Refuses requests of the 2025 era. Host, Origin and tokens are checked by its caller.
 *
 * Source: MCP 2026-07-28, Transports, "Streamable HTTP".
 */
export function createHandler2026(options: HandlerOptions2026): AnsweringHandler2026<AuthInfo> {
  bringValidator(options.engine);
  const endpoint = new Endpoint2026(new Router2026(options), options);
  return {
    answer: (request, given) => endpoint.answer(request, given),
    fetch: async (request, given) => (await endpoint.answer(ofWebRequest(request), given)).toWeb(),
    async close() {
      await lastAnswers(options.engine);
      endpoint.close();
    },
  };
}

/** How an endpoint serves requests, and whose they are. */
interface OwnedEndpointOptions extends EndpointOptions {
  /** The authenticated subject of a request. Default: what its token says. */
  readonly ownerOf?: ((request: Request2026) => string | undefined) | undefined;
  readonly onError?: ((error: unknown) => void) | undefined;
}

/** Serves requests over HTTP. */
export class Endpoint2026 {
  readonly #answers: Answers2026;
  readonly #options: OwnedEndpointOptions;
  readonly #limits: BodyLimits;
  readonly #open = new Set<InFlightRequest>();
  #closed = false;

  constructor(answers: Answers2026, options: OwnedEndpointOptions) {
    this.#answers = answers;
    this.#options = options;
    this.#limits = withDefaults<BodyLimits>(bodyLimits, options);
  }

  async answer(request: HttpRequest, given: RequestOptions2026 = {}): Promise<HttpAnswer> {
    if (this.#closed) throw new Error("This handler has been closed.");
    if (request.method !== "POST")
      return refusal(405, "Method not allowed: this version of the protocol has POST only.", {
        headers: { allow: "POST" },
      });
    const read =
      given.parsedBody === undefined ? await readJsonBody(request, this.#limits) : { value: given.parsedBody };
    if (read instanceof HttpAnswer) return read;
    const message = readMessage(read.value, (name) => request.header(name));
    if ("error" in message) return this.#refuse(readRpcId(isJsonObject(read.value) ? read.value.id : null), message);
    const { id } = message;
    // Nothing is cancelled by a message here: the end of its connection ends a request.
    if (id === undefined) return new HttpAnswer(202);
    try {
      await this.#answers.ready();
    } catch (error) {
      this.#options.onError?.(error);
      return refusal(500, "Internal server error", { id });
    }
    try {
      const { method, params } = message;
      const schema = method === "tools/call" ? this.#answers.inputSchema(toText(params.name)) : undefined;
      checkHeaders(request, method, params, schema);
    } catch (error) {
      return this.#refuse(id, { status: 400, error: asRpcError(error) });
    }
    try {
      const challenge = await this.#answers.challenge({ ...message, id }, given.authInfo);
      if (challenge !== undefined) return HttpAnswer.ofWeb(challenge);
    } catch (error) {
      this.#options.onError?.(error);
      return refusal(500, "Internal server error", { id });
    }
    return this.#serve({ ...message, id }, request, given);
  }

  /** Ends subscriptions with a result, and requests in flight without one. */
  close(): void {
    this.#closed = true;
    this.#answers.listener.close();
    for (const inFlight of [...this.#open]) inFlight.cancel();
  }

  #refuse(id: string | number | null, { status, error }: { status: number; error: RpcError }): HttpAnswer {
    this.#options.onError?.(error);
    return HttpAnswer.json(errorResponse(id, error).message, status);
  }

  async #serve(
    message: Asking2026,
    incoming: HttpRequest,
    { authInfo, locality = unknownLocality }: RequestOptions2026,
  ): Promise<HttpAnswer> {
    const { id, method, params } = message;
    const { keepAliveMs = limits2026.keepAliveMs, ownerOf } = this.#options;
    const inFlight = new InFlightRequest(incoming.ending, keepAliveMs, (ended) => this.#open.delete(ended));
    if (inFlight.ending.reason === undefined) this.#open.add(inFlight);
    const { meta, requestState, inputResponses } = requestFacts(id, params);
    const request: Request2026 = {
      id,
      meta,
      requestState,
      inputResponses,
      ending: inFlight.ending,
      notify: (notification) => inFlight.send(notification),
      carry: (receipt) => inFlight.carry(receipt),
      authenticated: () => (ownerOf === undefined ? ownerOfToken(authInfo) : ownerOfSubject(ownerOf(request))),
      http: { authInfo, locality, headers: incoming.headers, toWeb: () => incoming.toWeb() },
    };
    const failed = (error: unknown): WireResponse => {
      if (!(error instanceof RpcError)) this.#options.onError?.(error);
      return errorResponse(id, asRpcError(error));
    };
    if (method !== "subscriptions/listen") return inFlight.answer(this.#respond(id, message, request), failed);
    try {
      await this.#answers.listener.listen(request, params, inFlight);
      return inFlight.stream();
    } catch (error) {
      return inFlight.answer(Promise.reject(error), failed);
    }
  }

  async #respond(id: string | number, message: Message2026, request: Request2026): Promise<WireResponse> {
    const result = await this.#answers.answer(message, request);
    return { status: 200, message: { jsonrpc: "2.0", id, result } };
  }
}
