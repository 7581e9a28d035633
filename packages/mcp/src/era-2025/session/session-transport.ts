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
import { metaKeys, rpcCodes, rpcErrorResponse } from "@resumable-mcp/protocol";
import type { Receipt } from "../../call/late-cancellations.js";
import { hearCallers, type TakesReceipts, takesReceipts } from "../../call/receipt.js";
import type { SessionLimits } from "../../limits.js";
import { withReadableError } from "../../sdk-workarounds.js";
import { goneReason, setsInternalMeta } from "../call-2025.js";
import type { InFlightCalls } from "./calls/in-flight-calls.js";
import type { Place } from "./event-id.js";
import { ServerRequests } from "./server-requests.js";
import { type InFlightRequest, metaOf } from "./session-stream.js";

/** A server instance that a session can be connected to. */
export interface ConnectableServer {
  connect(transport: Transport): Promise<void>;
  close(): Promise<void>;
}

/** How a request is handed to the server behind. */
export interface Delivery {
  /** What the client has of the call. */
  readonly after?: Place;
  readonly redelivered: boolean;
  readonly extra: MessageExtraInfo;
}

/** The session around a transport. */
export interface ConnectedSession {
  readonly id: string;
  readonly closed: boolean;
  readonly limits: SessionLimits;
  readonly calls: InFlightCalls;
  /** Takes over what other processes did to the session. */
  check(): Promise<boolean>;
  /** Sends what belongs to no request. */
  sendUnrelated(message: JSONRPCMessage): Promise<void>;
  /** The transport is closed. */
  end(): void;
}

/** A message for the client, and the request on whose stream it is sent, if it belongs to one. */
interface Outgoing {
  readonly inFlight: InFlightRequest | undefined;
  readonly message: JSONRPCMessage;
}

/**
 * The server's side of a session: the SDK's `Transport`, between one server instance and many HTTP streams.
 *
 * Ids are virtual. Inside, each delivery of a request has an id of its own, so that a late answer of a superseded one
 * is known and dropped; a restarted client whose ids begin again never gets an old answer.
 *
 * Source: MCP 2025-11-25, Transports, "Streamable HTTP".
 */
export class SessionTransport implements Transport, TakesReceipts {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: <Message extends JSONRPCMessage>(message: Message, extra?: MessageExtraInfo) => void;
  readonly #session: ConnectedSession;
  readonly #own = new Map<RequestId, (response: JSONRPCMessage) => void>();
  #requests: ServerRequests | undefined;
  #count = 0;

  constructor(session: ConnectedSession) {
    this.#session = session;
  }

  /** The session takes such keys out of what its client sends, before it delivers it here. */
  readonly [setsInternalMeta] = true;

  get sessionId(): string {
    return this.#session.id;
  }

  async start(): Promise<void> {}

  async close(): Promise<void> {
    this.#session.end();
    this.#requests?.close();
    for (const [id, resolve] of this.#own) resolve(closedResponse(id));
    this.#own.clear();
    this.onclose?.();
  }

  /** Hands a request to the server behind; its messages go to the in-flight request. */
  deliver(inFlight: InFlightRequest, { after, redelivered, extra }: Delivery): void {
    const { request, name, taskId, acceptedMs, clockMarginMs } = inFlight;
    const isJournal = inFlight.kind === "journal";
    inFlight.innerId = `${name}#${++this.#count}`;
    const progressToken = this.#session.calls.firstToken(request);
    const _meta = {
      ...request.params?._meta,
      ...(progressToken !== undefined && { progressToken }),
      [metaKeys.requestId]: request.id,
      ...(isJournal && {
        [metaKeys.callId]: name,
        [metaKeys.redelivered]: redelivered,
        [metaKeys.acceptedMs]: acceptedMs - clockMarginMs,
      }),
      ...(isJournal && after && { [metaKeys.afterSeq]: after.place, [metaKeys.shownProgress]: after.progress }),
      ...(taskId !== undefined && { [metaKeys.taskId]: taskId }),
    };
    this.onmessage?.({ ...request, id: inFlight.innerId, params: { ...request.params, _meta } }, extra);
  }

  /** The in-flight request tells when the client's stream accepted the response; a delivery that was superseded has none. */
  [takesReceipts](innerId: RequestId, receipt: Receipt): void {
    const inFlight = this.#session.calls.delivered(innerId);
    if (inFlight !== undefined) inFlight.receipt = receipt;
  }

  /** Ends a delivery: by its caller's request, or because its caller left or is served by a newer delivery. */
  endDelivery(inFlight: InFlightRequest, reason: string = goneReason): void {
    const { innerId: requestId } = inFlight;
    if (requestId === undefined) return;
    inFlight.innerId = undefined;
    this.onmessage?.({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId, reason } });
  }

  /** Sends a request of our own to the server behind. Answered with an error when the session closes before. */
  ask(method: string, params: JsonObject, extra?: MessageExtraInfo): Promise<JSONRPCMessage> {
    const id = `own#${++this.#count}`;
    if (this.#session.closed) return Promise.resolve(closedResponse(id));
    return new Promise((resolve) => {
      this.#own.set(id, resolve);
      this.onmessage?.({ jsonrpc: "2.0", id, method, params }, extra);
    });
  }

  /** Passes on what the client answers to a request of the server. See {@link ServerRequests.answer}. */
  accept(response: JSONRPCResponse, extra: MessageExtraInfo, keep: boolean): void {
    for (const id of this.#serverRequests().answer(response, keep)) this.onmessage?.({ ...response, id }, extra);
  }

  /** Tells whether another process asked what an answer is for, and only that one can take it. */
  isOfAnother(wireId: string): boolean {
    return ServerRequests.isOrdinary(wireId) && this.#requests?.hasAsked(wireId) !== true;
  }

  /** The answer to a question could not be stored: the question is shown once more, after `askAgainMs`. */
  askAgain(wireId: string): void {
    this.#requests?.askAgain(wireId);
  }

  async send(message: JSONRPCMessage, options?: TransportSendOptions): Promise<void> {
    if (!("method" in message)) return this.#respond(message);
    const outgoing = this.#addressed(message, options?.relatedRequestId);
    if (outgoing === undefined) return;
    const { inFlight } = outgoing;
    if (inFlight === undefined) return this.#session.sendUnrelated(outgoing.message);
    await this.#session.calls.noteTask(inFlight, outgoing.message);
    await inFlight.write(outgoing.message);
  }

  #addressed(message: JSONRPCRequest | JSONRPCNotification, related: RequestId | undefined): Outgoing | undefined {
    const inFlight = related === undefined ? undefined : this.#session.calls.delivered(related);
    // A delivery that was superseded, or a request of our own, has no client.
    if (related !== undefined && inFlight === undefined) {
      this.#requests?.withdraw(message);
      return undefined;
    }
    const sent = this.#outgoing(message, inFlight);
    return sent && { inFlight, message: sent };
  }

  /** A message as the client knows it; `undefined` when it knows nothing of that. */
  #outgoing(message: JSONRPCRequest | JSONRPCNotification, inFlight: InFlightRequest | undefined) {
    if ("id" in message) {
      return this.#serverRequests().number(message, inFlight, (response) => this.onmessage?.(response));
    }
    return message.method === "notifications/cancelled" ? this.#requests?.takeBack(message) : message;
  }

  /** Sends the response to an in-flight request, which is finished with it; nothing happens when no client waits for it. */
  async #respond(response: JSONRPCResponse): Promise<void> {
    const innerId = response.id ?? "";
    const own = this.#own.get(innerId);
    if (own !== undefined) {
      this.#own.delete(innerId);
      own(withReadableError(response));
    }
    const inFlight = this.#session.calls.delivered(innerId);
    if (inFlight === undefined) return;
    const message = withReadableError({ ...response, id: inFlight.request.id });
    await this.#session.calls.noteTask(inFlight, message);
    if (inFlight.receipt !== undefined) await hearCallers();
    // Its client may have cancelled the call at another process.
    if (metaOf(message, metaKeys.status) === "paused") await this.#session.check().catch(() => {});
    // The caller gave up meanwhile, or lost its stream and is served by the next delivery.
    if (this.#session.calls.delivered(innerId) !== inFlight) return;
    inFlight.innerId = undefined;
    inFlight.response = message;
    inFlight.finished = true;
    // In one turn: where a finished request ends is known to all that come next, and to the note of its end.
    const written = inFlight.write(message);
    this.#session.calls.noteFinished(inFlight);
    await written;
    if (inFlight.response !== message) return;
    inFlight.detach();
    if (inFlight.isCall) inFlight.response = undefined;
  }

  /** Most sessions are never asked anything. */
  #serverRequests(): ServerRequests {
    this.#requests ??= new ServerRequests(this.#session.limits.askAgainMs);
    return this.#requests;
  }
}

function closedResponse(id: RequestId): JSONRPCMessage {
  return rpcErrorResponse(id, rpcCodes.refused, "The session was closed.");
}
