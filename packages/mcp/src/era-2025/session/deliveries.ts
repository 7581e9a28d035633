import type { JsonObject } from "@resumable-mcp/core";
import { metaKeys } from "@resumable-mcp/protocol";
import type { Delivery } from "../../call/call.js";
import { EndingController } from "../../call/ending.js";
import { hearCallers } from "../../call/result-delivered.js";
import { asRpcError, RpcError } from "../../call/rpc-error.js";
import type { SessionLimits } from "../../limits.js";
import type { JSONRPCMessage, JSONRPCNotification, JSONRPCResponse, MessageExtraInfo } from "../../sdk-2025.js";
import { forSdk } from "../../sdk-workarounds.js";
import { type Connection2025, goneReason, type Request2025 } from "../call-2025.js";
import type { OtherServer2025 } from "../other-server.js";
import type { Router2025 } from "../router.js";
import type { InFlightCalls } from "./calls/in-flight-calls.js";
import type { Place } from "./event-id.js";
import { type ClientResponse, ServerRequests } from "./server-requests.js";
import { type InFlightRequest, readMeta } from "./session-stream.js";

/** How a request is carried out. */
export interface DeliveryOptions {
  /** What the client has of the call. */
  readonly after?: Place;
  readonly redelivered: boolean;
  readonly extra: MessageExtraInfo;
}

/** The session whose requests are carried out. */
export interface DeliveringSession {
  readonly id: string;
  readonly limits: SessionLimits;
  readonly calls: InFlightCalls;
  readonly connection: Connection2025;
  readonly other: OtherServer2025 | undefined;
  readonly router: Router2025;
  readonly onError: (error: unknown) => void;
  /** Takes over what other processes did to the session. */
  check(): Promise<boolean>;
}

/**
 * Carries out the requests of one session, and writes what comes of them to their streams.
 *
 * Each delivery of a request is one of its own, so that a late answer of a superseded one is known and dropped; a restarted client
 * whose ids begin again never gets an old answer.
 *
 * Source: MCP 2025-11-25, Transports, "Streamable HTTP".
 */
export class Deliveries {
  readonly #session: DeliveringSession;
  #requests: ServerRequests | undefined;

  constructor(session: DeliveringSession) {
    this.#session = session;
  }

  /** Most sessions are never asked anything. */
  get requests(): ServerRequests {
    this.#requests ??= new ServerRequests(this.#session.limits.askAgainMs);
    return this.#requests;
  }

  close(): void {
    this.#requests?.close();
  }

  /** Carries out a request; its messages go to the in-flight request. */
  deliver(inFlight: InFlightRequest, options: DeliveryOptions): void {
    const run = new EndingController();
    inFlight.running = run;
    void this.#run(inFlight, run, options);
  }

  /** Ends a delivery: by its caller's request, or because its caller left or is served by a newer delivery. */
  end(inFlight: InFlightRequest, reason: string = goneReason): void {
    const run = inFlight.running;
    inFlight.running = undefined;
    run?.end(reason);
  }

  /** Carries out a request of the session's own; its messages reach no client. @throws {@link RpcError} */
  async ask(
    method: string,
    params: JsonObject,
    extra: MessageExtraInfo = {},
    delivery: Delivery = {},
  ): Promise<object> {
    const { id: sessionId, connection, router } = this.#session;
    const { authInfo, requestInfo, closeSSEStream } = extra;
    const request: Request2025 = {
      ...{ sessionId, connection, authInfo, requestInfo, closeSSEStream, delivery },
      ending: new EndingController(),
      requestId: "own",
      _meta: Object(params._meta),
      sendNotification: async () => {},
      sendRequest: () => Promise.reject(new RpcError(-32_603, "The request has no client.")),
      carry: () => {},
      left: () => "gone",
    };
    return router.answer(method, params, request);
  }

  /** Passes on what the client answers. @param keep as of {@link ServerRequests.answer}. */
  accept(response: ClientResponse, extra: MessageExtraInfo, keep: boolean): void {
    const id = this.requests.answer(response, keep);
    if (id !== undefined) this.#session.other?.receive(forSdk({ jsonrpc: "2.0", ...response, id }), extra);
  }

  /** Passes on a notification of the client. */
  notify(message: JSONRPCNotification, extra: MessageExtraInfo): void {
    this.#session.other?.receive(message, extra);
  }

  async #run(inFlight: InFlightRequest, run: EndingController, options: DeliveryOptions): Promise<void> {
    const { id } = inFlight.request;
    try {
      const answer = await this.#answer(inFlight, run, options);
      await this.#respond(inFlight, run, forSdk({ jsonrpc: "2.0", id, ...answer }));
    } catch (error) {
      this.#session.onError(error);
    } finally {
      inFlight.giveUp();
    }
  }

  async #answer(inFlight: InFlightRequest, run: EndingController, options: DeliveryOptions) {
    const { method, params } = inFlight.request;
    const request = this.#requestOf(inFlight, run, options);
    const given: JsonObject = { ...params } as JsonObject;
    try {
      return { result: await this.#session.router.answer(method, given, request) };
    } catch (error) {
      if (!(error instanceof RpcError)) this.#session.onError(error);
      const { code, message, data } = asRpcError(error);
      return { error: { code, message, ...(data !== undefined && { data }) } };
    }
  }

  /** Written out: what is spread into an object costs a noticeable part of a small call. */
  #requestOf(inFlight: InFlightRequest, run: EndingController, options: DeliveryOptions): Request2025 {
    const { id: sessionId, connection } = this.#session;
    const { id: requestId, params } = inFlight.request;
    const { authInfo, requestInfo, closeSSEStream } = options.extra;
    const isCurrent = () => inFlight.running === run;
    const send = async (message: JSONRPCMessage): Promise<void> => {
      if (isCurrent()) await inFlight.write(message);
    };
    return {
      ending: run,
      requestId,
      sessionId,
      connection,
      _meta: params?._meta,
      authInfo,
      requestInfo,
      closeSSEStream,
      delivery: this.#deliveryOf(inFlight, options),
      sendNotification: (notification: object) => send(forSdk({ jsonrpc: "2.0", ...notification })),
      sendRequest: async (asked, _schema, given) => {
        const { signal: until = run.signal }: { readonly signal?: AbortSignal } = Object(given);
        return this.requests.ask(inFlight, asked, { signal: until, isCurrent });
      },
      relay: async (message) => {
        const sent = this.requests.relay(forSdk(message));
        if (sent !== undefined) await send(sent);
      },
      begun: async (taskId) => {
        await this.#session.calls.noteToken(inFlight, taskId).catch(this.#session.onError);
        inFlight.beginTask(taskId);
      },
      carry: (receipt) => {
        if (isCurrent()) inFlight.receipt = receipt;
      },
      left: () => (run.reason === goneReason ? "gone" : "cancelled"),
    };
  }

  #deliveryOf(inFlight: InFlightRequest, { after, redelivered }: DeliveryOptions): Delivery {
    const { request, callId, taskId, acceptedMs, sessionClientId, kind } = inFlight;
    const progressToken = this.#session.calls.firstToken(request);
    const known: Delivery = { requestId: request.id, sessionClientId, taskId };
    const named = progressToken === undefined ? known : { progressToken, ...known };
    if (kind !== "journal") return named;
    const shown = after && { afterSeq: after.place, shownProgress: after.progress };
    return { ...named, callId, redelivered, acceptedMs, ...shown };
  }

  /** Sends the response to an in-flight request, which is finished with it; nothing happens when no client waits for it. */
  async #respond(inFlight: InFlightRequest, run: EndingController, message: JSONRPCResponse): Promise<void> {
    const { calls } = this.#session;
    if (inFlight.running !== run) return;
    if (inFlight.receipt !== undefined) await hearCallers();
    // Its client may have cancelled the call at another process.
    if (readMeta(message, metaKeys.status) === "paused") await this.#session.check().catch(() => {});
    // The caller gave up meanwhile, or lost its stream and is served by the next delivery.
    if (inFlight.running !== run) return;
    inFlight.running = undefined;
    inFlight.response = message;
    inFlight.finished = true;
    // In one turn: where a finished request ends is known to all that come next, and to the note of its end.
    const written = inFlight.write(message);
    calls.noteFinished(inFlight);
    await written;
    if (inFlight.response !== message) return;
    inFlight.detach();
    if (inFlight.isCall && inFlight.isNamed) inFlight.response = undefined;
  }
}
