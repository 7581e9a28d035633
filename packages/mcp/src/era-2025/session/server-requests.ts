import { isJsonObject, type JsonObject } from "@resumable-mcp/core";
import { metaKeys, questionId, rpcCodes, toText } from "@resumable-mcp/protocol";
import { isRequestId } from "../../call/call.js";
import { QuestionRelay } from "../../call/question-relay.js";
import { RpcError } from "../../call/rpc-error.js";
import { randomToken } from "../../owner/random-token.js";
import type { JSONRPCMessage, JSONRPCNotification, JSONRPCRequest, RequestId } from "../../sdk-2025.js";
import { type InFlightRequest, readMeta } from "./session-stream.js";

/** A response of a client. */
export interface ClientResponse {
  readonly id: RequestId;
  readonly result?: JsonObject;
  readonly error?: JsonObject;
}

/** A question, as its client knows it, and the request on whose stream it was put. */
interface AskedOn {
  readonly inFlight: InFlightRequest;
  readonly request: JSONRPCRequest;
}

/** What the client of a session is asked, and by which ids it knows that: questions of tasks, and what the server's own code asks. */
export class ServerRequests {
  readonly #nonce = randomToken(9);
  readonly #askAgainMs: number;
  readonly #questions = new QuestionRelay<ClientResponse>();
  /** Those who wait for the answer to a question, by an id of their own. */
  readonly #waiting = new Map<RequestId, (response: ClientResponse | undefined) => void>();
  /** What the server's own code asks: its ids, by those that the client knows. */
  readonly #relayed = new Map<string, RequestId>();
  readonly #timers = new Map<string, NodeJS.Timeout>();
  /** Questions that this process asks, by the id under which the client knows them. */
  readonly #asked = new Map<string, AskedOn>();
  #count = 0;

  constructor(askAgainMs: number) {
    this.#askAgainMs = askAgainMs;
  }

  /** Tells whether a request of this id asks for no task, and was sent by another process, which alone can take the answer. */
  isOfAnother(wireId: string): boolean {
    return /^srv_[A-Za-z0-9]+_\d+$/.test(wireId) && !wireId.startsWith(`srv_${this.#nonce}_`);
  }

  close(): void {
    for (const timer of this.#timers.values()) clearTimeout(timer);
    this.#asked.clear();
  }

  /**
   * Asks a question of a task, under an id that stays the same across restarts: the user is asked once.
   *
   * @param isCurrent whether its request is still delivered as it was; a superseded one leaves the question as it was shown.
   * @throws {@link RpcError} what the client answers with.
   */
  async ask(
    inFlight: InFlightRequest,
    { method, params }: { readonly method: string; readonly params: JsonObject },
    { signal, isCurrent }: { readonly signal: AbortSignal; readonly isCurrent: () => boolean },
  ): Promise<JsonObject> {
    const askId = `ask#${++this.#count}`;
    const message: JSONRPCRequest = { jsonrpc: "2.0", id: askId, method, params };
    const wireId = questionId(String(readMeta(message, metaKeys.taskId)), String(readMeta(message, metaKeys.question)));
    const request = { ...message, id: wireId };
    const seq = readMeta(message, metaKeys.seq);
    const seen = typeof seq === "number" && inFlight.resumedAt > 0 && inFlight.resumedAt >= seq;
    const answered = new Promise<ClientResponse | undefined>((resolve) => {
      this.#waiting.set(askId, resolve);
    });
    const leave = () => this.#waiting.get(askId)?.(undefined);
    signal.addEventListener("abort", leave);
    const relayed = this.#questions.ask(wireId, askId, seen);
    this.#asked.set(wireId, { inFlight, request });
    if (relayed.kind === "show") void inFlight.write(request);
    else if (relayed.kind === "answered") this.#waiting.get(askId)?.(relayed.message);
    else if (!relayed.here) this.#showLater(inFlight, request);
    const response = await answered;
    signal.removeEventListener("abort", leave);
    this.#waiting.delete(askId);
    if (response === undefined) {
      this.#giveUp(askId, isCurrent(), String(signal.reason));
      throw new RpcError(rpcCodes.internalError, "The question is asked no longer.");
    }
    if (isJsonObject(response.result)) return response.result;
    throw new RpcError(rpcCodes.internalError, toText(response.error?.message));
  }

  /** A superseded delivery asks no longer; its question stays as it was shown. Else the client hears that it need not answer. */
  #giveUp(askId: string, isCurrent: boolean, reason: string): void {
    const wireId = this.#questions.withdraw(askId);
    if (wireId === undefined) return;
    const asked = this.#asked.get(wireId);
    this.#asked.delete(wireId);
    if (!isCurrent) return;
    this.#questions.forget(wireId);
    const params = { requestId: wireId, reason };
    void asked?.inFlight.write({ jsonrpc: "2.0", method: "notifications/cancelled", params });
  }

  /** Gives what the server's own code sends as the client knows it; `undefined` where it knows nothing of that. */
  relay(message: JSONRPCMessage): JSONRPCMessage | undefined {
    if (!("method" in message)) return message;
    if ("id" in message) {
      const id = `srv_${this.#nonce}_${++this.#count}`;
      this.#relayed.set(id, message.id);
      return { ...message, id };
    }
    return message.method === "notifications/cancelled" ? this.#takeBack(message) : message;
  }

  #takeBack(cancelled: JSONRPCNotification): JSONRPCNotification | undefined {
    const innerId = cancelled.params?.requestId;
    const [requestId] = [...this.#relayed].find(([, id]) => id === innerId) ?? [];
    if (!isRequestId(innerId) || requestId === undefined) return undefined;
    this.#relayed.delete(requestId);
    return { ...cancelled, params: { ...cancelled.params, requestId } };
  }

  /**
   * Takes what the client answers, and gives the id by which the server's own code asked, if it did.
   *
   * @param keep whether the answer waits until a request asks for it; otherwise it is dropped.
   */
  answer(response: ClientResponse, keep: boolean): RequestId | undefined {
    const wireId = toText(response.id);
    const innerId = this.#relayed.get(wireId);
    this.#relayed.delete(wireId);
    this.#asked.delete(wireId);
    const isQuestion = keep || this.#questions.isWaiting(wireId);
    for (const askId of isQuestion ? this.#questions.answer(wireId, response) : [])
      this.#waiting.get(askId)?.(response);
    return innerId;
  }

  /** The answer to a question could not be stored: the question is shown once more, after `askAgainMs`. */
  askAgain(wireId: string): void {
    this.#questions.unanswered(wireId);
    const asked = this.#asked.get(wireId);
    if (asked !== undefined) this.#showLater(asked.inFlight, asked.request);
  }

  /** The answer to a question that was shown before a restart may have been lost in between. */
  #showLater(inFlight: InFlightRequest, request: JSONRPCRequest): void {
    const wireId = String(request.id);
    clearTimeout(this.#timers.get(wireId));
    const timer = setTimeout(() => {
      this.#timers.delete(wireId);
      if (inFlight.running !== undefined && this.#questions.isWaiting(wireId)) void inFlight.write(request);
    }, this.#askAgainMs).unref();
    this.#timers.set(wireId, timer);
  }
}
