import type { Transport, TransportSendOptions } from "@modelcontextprotocol/sdk/shared/transport.js";
import type {
  JSONRPCMessage,
  JSONRPCNotification,
  JSONRPCRequest,
  JSONRPCResponse,
  MessageExtraInfo,
  RequestId,
} from "@modelcontextprotocol/sdk/types.js";
import type { JsonObject } from "@resumable-mcp/core";
import { metaKeys, questionId, rpcCodes, rpcErrorResponse } from "@resumable-mcp/protocol";
import { QuestionRelay } from "../../call/question-relay.js";
import { hearCallers, type Receipt, type TakesReceipts, takesReceipts } from "../../call/receipt.js";
import type { SessionLimits } from "../../limits.js";
import { withReadableError } from "../../sdk-workarounds.js";
import { goneReason, setsInternalMeta } from "../call-2025.js";
import { type InFlightRequest, metaOf } from "./in-flight-request.js";

/** How a request is handed to the server behind. */
export interface Delivery {
  readonly afterSeq?: number;
  readonly redelivered: boolean;
  readonly extra: MessageExtraInfo;
}

/** A question, as its client knows it, and the request on whose stream it was put. */
interface AskedOn {
  readonly inFlight: InFlightRequest;
  readonly request: JSONRPCRequest;
}

/** What the transport tells the session around it. */
export interface SessionEvents {
  /** Before the first message that names another task than the call's own goes out. */
  onTask(inFlight: InFlightRequest, taskId: string): Promise<void>;
  onFinished(inFlight: InFlightRequest): void;
  /** A message that belongs to no request. */
  onUnrelated(message: JSONRPCMessage): Promise<void>;
  onClosed(): void;
}

const sessionClosed = "The session was closed.";

/**
 * The server's side of a session: the SDK's `Transport`, between one server instance and many HTTP streams.
 *
 * Ids are virtual. Inside, each delivery of a request has an id of its own, so that a late answer of a superseded one
 * is known and dropped; a restarted client whose ids begin again never gets an old answer.
 *
 * Source: MCP 2025-11-25, Transports, "Streamable HTTP".
 */
export class SessionTransport implements Transport, TakesReceipts {
  readonly sessionId: string;
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: <Message extends JSONRPCMessage>(message: Message, extra?: MessageExtraInfo) => void;
  readonly #events: SessionEvents;
  readonly #limits: SessionLimits;
  readonly #nonce: string;
  readonly #active = new Map<string, InFlightRequest>();
  readonly #own = new Map<string, (response: JSONRPCMessage) => void>();
  readonly #questions = new QuestionRelay<JSONRPCResponse>();
  readonly #requests = new Map<string, RequestId>();
  readonly #askAgain = new Map<string, NodeJS.Timeout>();
  /** Questions that this process asks, by the id under which the client knows them. */
  readonly #asked = new Map<string, AskedOn>();
  #count = 0;
  #closed = false;

  constructor(sessionId: string, nonce: string, limits: SessionLimits, events: SessionEvents) {
    this.sessionId = sessionId;
    this.#nonce = nonce;
    this.#limits = limits;
    this.#events = events;
  }

  /** The session takes such keys out of what its client sends, before it delivers it here. */
  readonly [setsInternalMeta] = true;

  async start(): Promise<void> {}

  async close(): Promise<void> {
    this.#closed = true;
    for (const timer of this.#askAgain.values()) clearTimeout(timer);
    this.#asked.clear();
    this.#active.clear();
    for (const [id, resolve] of this.#own) resolve(rpcErrorResponse(id, rpcCodes.refused, sessionClosed));
    this.#own.clear();
    this.#events.onClosed();
    this.onclose?.();
  }

  get busy(): boolean {
    return this.#active.size > 0;
  }

  /** Hands a request to the server behind; its messages go to the in-flight request. */
  deliver(inFlight: InFlightRequest, { afterSeq, redelivered, extra }: Delivery): void {
    const innerId = `${inFlight.stream}#${++this.#count}`;
    inFlight.innerId = innerId;
    this.#active.set(innerId, inFlight);
    const { request } = inFlight;
    const own: JsonObject = {
      [metaKeys.requestId]: request.id,
      ...(inFlight.kind === "journal"
        ? { [metaKeys.callId]: inFlight.stream, [metaKeys.redelivered]: redelivered }
        : {}),
      ...(afterSeq === undefined ? {} : { [metaKeys.afterSeq]: afterSeq }),
      ...(inFlight.taskId === undefined ? {} : { [metaKeys.taskId]: inFlight.taskId }),
    };
    const params = { ...request.params, _meta: { ...request.params?._meta, ...own } };
    this.onmessage?.({ ...request, id: innerId, params }, extra);
  }

  /** The in-flight request tells when the client's stream accepted the response; a delivery that was superseded has none. */
  [takesReceipts](innerId: RequestId, receipt: Receipt): void {
    const inFlight = this.#active.get(String(innerId));
    if (inFlight !== undefined) inFlight.receipt = receipt;
  }

  /** Ends a delivery: by its caller's request, or because its caller left or is served by a newer delivery. */
  endDelivery(inFlight: InFlightRequest, reason: string = goneReason): void {
    const { innerId } = inFlight;
    if (innerId === undefined) return;
    inFlight.innerId = undefined;
    this.#active.delete(innerId);
    this.onmessage?.({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: innerId, reason } });
  }

  /** Sends a request of our own to the server behind. Answered with an error when the session closes before. */
  ask(method: string, params: JsonObject, extra?: MessageExtraInfo): Promise<JSONRPCMessage> {
    const id = `own#${++this.#count}`;
    if (this.#closed) return Promise.resolve(rpcErrorResponse(id, rpcCodes.refused, sessionClosed));
    return new Promise((resolve) => {
      this.#own.set(id, resolve);
      this.onmessage?.({ jsonrpc: "2.0", id, method, params }, extra);
    });
  }

  /**
   * Passes on what the client answers to a request of the server.
   *
   * @param keep whether the answer waits until a request asks for it; otherwise it is dropped.
   */
  accept(response: JSONRPCResponse, extra: MessageExtraInfo, keep: boolean): void {
    const wireId = String(response.id);
    const innerId = this.#requests.get(wireId);
    this.#requests.delete(wireId);
    this.#asked.delete(wireId);
    const isQuestion = keep || this.#questions.isWaiting(wireId);
    const answered = isQuestion ? this.#questions.answer(wireId, response) : [];
    const asking = innerId === undefined ? answered : [innerId];
    for (const id of asking) this.onmessage?.({ ...response, id }, extra);
  }

  /** The answer to a question could not be stored: the question is shown once more, after `askAgainMs`. */
  askAgain(wireId: string): void {
    this.#questions.unanswered(wireId);
    const asked = this.#asked.get(wireId);
    if (asked !== undefined) this.#showLater(asked.inFlight, asked.request);
  }

  async send(message: JSONRPCMessage, options?: TransportSendOptions): Promise<void> {
    if (!("method" in message)) return this.#respond(message);
    const related = options?.relatedRequestId;
    const inFlight = related === undefined ? undefined : this.#active.get(String(related));
    // A delivery that was superseded, or a request of our own, has no client.
    if (related !== undefined && inFlight === undefined) return this.#withdraw(message);
    const outgoing = "id" in message ? this.#number(message, inFlight) : this.#withWireId(message);
    if (outgoing === undefined) return;
    if (inFlight === undefined) return this.#events.onUnrelated(outgoing);
    await this.#noteTask(inFlight, outgoing);
    await inFlight.write(outgoing);
  }

  async #respond(response: JSONRPCResponse): Promise<void> {
    const innerId = String(response.id);
    const own = this.#own.get(innerId);
    if (own !== undefined) {
      this.#own.delete(innerId);
      return own(withReadableError(response));
    }
    const inFlight = this.#active.get(innerId);
    if (inFlight === undefined) return;
    const outgoing = withReadableError({ ...response, id: inFlight.request.id });
    await this.#noteTask(inFlight, outgoing);
    if (inFlight.receipt !== undefined) await hearCallers();
    // The caller gave up meanwhile, or lost its stream and is served by the next delivery.
    if (!this.#active.has(innerId)) return;
    this.#active.delete(innerId);
    inFlight.innerId = undefined;
    inFlight.response = outgoing;
    this.#events.onFinished(inFlight);
    await inFlight.write(outgoing);
    inFlight.detach();
  }

  /** Gives a request of the server an id that no other process of this session gives to another request. */
  #number(request: JSONRPCRequest, inFlight: InFlightRequest | undefined): JSONRPCMessage | undefined {
    const key = metaOf(request, metaKeys.question);
    const taskId = metaOf(request, metaKeys.taskId);
    if (inFlight === undefined || typeof key !== "string" || typeof taskId !== "string") {
      const wireId = `srv_${this.#nonce}_${++this.#count}`;
      this.#requests.set(wireId, request.id);
      return { ...request, id: wireId };
    }
    const wireId = questionId(taskId, key);
    const seq = metaOf(request, metaKeys.seq);
    const seen = typeof seq === "number" && inFlight.resumedAt > 0 && inFlight.resumedAt >= seq;
    const relayed = this.#questions.ask(wireId, request.id, seen);
    this.#asked.set(wireId, { inFlight, request: { ...request, id: wireId } });
    if (relayed.kind === "show") return { ...request, id: wireId };
    if (relayed.kind === "answered") queueMicrotask(() => this.onmessage?.({ ...relayed.message, id: request.id }));
    else if (!relayed.here) this.#showLater(inFlight, { ...request, id: wireId });
    return undefined;
  }

  /** The answer to a question that was shown before a restart may have been lost in between. */
  #showLater(inFlight: InFlightRequest, request: JSONRPCRequest): void {
    const wireId = String(request.id);
    clearTimeout(this.#askAgain.get(wireId));
    const timer = setTimeout(() => {
      this.#askAgain.delete(wireId);
      if (inFlight.innerId !== undefined && this.#questions.isWaiting(wireId)) void inFlight.write(request);
    }, this.#limits.askAgainMs).unref();
    this.#askAgain.set(wireId, timer);
  }

  /** The server takes back a request: the client knows it by another id. */
  #withWireId(notification: JSONRPCNotification): JSONRPCNotification | undefined {
    if (notification.method !== "notifications/cancelled") return notification;
    const innerId = notification.params?.requestId;
    if (!isRequestId(innerId)) return undefined;
    const wireId = this.#questions.withdraw(innerId) ?? this.#wireIdOf(innerId);
    if (wireId === undefined) return undefined;
    this.#questions.forget(wireId);
    this.#asked.delete(wireId);
    this.#requests.delete(wireId);
    return { ...notification, params: { ...notification.params, requestId: wireId } };
  }

  /** A superseded delivery asks no longer; its question stays as it was shown. */
  #withdraw(message: JSONRPCRequest | JSONRPCNotification): void {
    const innerId = message.params?.requestId;
    if (message.method !== "notifications/cancelled" || !isRequestId(innerId)) return;
    const wireId = this.#questions.withdraw(innerId);
    if (wireId !== undefined) this.#asked.delete(wireId);
  }

  #wireIdOf(innerId: RequestId): string | undefined {
    for (const [wireId, id] of this.#requests) if (id === innerId) return wireId;
    return undefined;
  }

  async #noteTask(inFlight: InFlightRequest, message: JSONRPCMessage): Promise<void> {
    const taskId = metaOf(message, metaKeys.taskId);
    if (typeof taskId !== "string") return;
    // A request for the result of a task of the engine's continues from the task's journal, as a call does.
    const isFirst = "method" in message && inFlight.place === 0;
    if (isFirst && inFlight.request.method === "tasks/result") inFlight.kind = "journal";
    if (inFlight.kind !== "journal") return;
    if (taskId === inFlight.stream || taskId === inFlight.taskId) return;
    inFlight.taskId = taskId;
    await this.#events.onTask(inFlight, taskId);
  }
}

function isRequestId(value: unknown): value is RequestId {
  return typeof value === "string" || typeof value === "number";
}
