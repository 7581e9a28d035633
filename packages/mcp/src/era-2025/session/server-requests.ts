import type {
  JSONRPCNotification,
  JSONRPCRequest,
  JSONRPCResponse,
  RequestId,
} from "@modelcontextprotocol/sdk/types.js";
import { metaKeys, questionId } from "@resumable-mcp/protocol";
import { QuestionRelay } from "../../call/question-relay.js";
import { randomToken } from "../../owner/random-token.js";
import { type InFlightRequest, metaOf } from "./session-stream.js";

/** A question, as its client knows it, and the request on whose stream it was put. */
interface AskedOn {
  readonly inFlight: InFlightRequest;
  readonly request: JSONRPCRequest;
}

/** What the server behind a session asks its client, and by which ids the client knows that. */
export class ServerRequests {
  readonly #nonce = randomToken(9);
  readonly #askAgainMs: number;
  readonly #questions = new QuestionRelay<JSONRPCResponse>();
  readonly #requests = new Map<string, RequestId>();
  readonly #timers = new Map<string, NodeJS.Timeout>();
  /** Questions that this process asks, by the id under which the client knows them. */
  readonly #asked = new Map<string, AskedOn>();
  #count = 0;

  constructor(askAgainMs: number) {
    this.#askAgainMs = askAgainMs;
  }

  /** Tells whether a request of this id asks for no task: its answer is needed in the process that sent it. */
  static isOrdinary(wireId: string): boolean {
    return /^srv_[A-Za-z0-9]+_\d+$/.test(wireId);
  }

  /** Tells whether an ordinary request of this id was sent by this process. */
  hasAsked(wireId: string): boolean {
    return wireId.startsWith(`srv_${this.#nonce}_`);
  }

  close(): void {
    for (const timer of this.#timers.values()) clearTimeout(timer);
    this.#asked.clear();
  }

  /**
   * Gives a request an id that no other process of this session gives to another request. `undefined` when the client has
   * it already.
   *
   * @param onAnswered hears of an answer that came before.
   */
  number(
    request: JSONRPCRequest,
    inFlight: InFlightRequest | undefined,
    onAnswered: (response: JSONRPCResponse) => void,
  ): JSONRPCRequest | undefined {
    const key = metaOf(request, metaKeys.question);
    const taskId = metaOf(request, metaKeys.taskId);
    if (inFlight === undefined || typeof key !== "string" || typeof taskId !== "string") {
      const wireId = `srv_${this.#nonce}_${++this.#count}`;
      this.#requests.set(wireId, request.id);
      return { ...request, id: wireId };
    }
    const wireId = questionId(taskId, key);
    const numbered = { ...request, id: wireId };
    const seq = metaOf(request, metaKeys.seq);
    const seen = typeof seq === "number" && inFlight.resumedAt > 0 && inFlight.resumedAt >= seq;
    const relayed = this.#questions.ask(wireId, request.id, seen);
    this.#asked.set(wireId, { inFlight, request: numbered });
    if (relayed.kind === "show") return numbered;
    if (relayed.kind === "answered") queueMicrotask(() => onAnswered({ ...relayed.message, id: request.id }));
    else if (!relayed.here) this.#showLater(inFlight, numbered);
    return undefined;
  }

  /**
   * Takes what the client answers, and gives the ids of the requests that asked.
   *
   * @param keep whether the answer waits until a request asks for it; otherwise it is dropped.
   */
  answer(response: JSONRPCResponse, keep: boolean): readonly RequestId[] {
    const wireId = String(response.id);
    const innerId = this.#requests.get(wireId);
    this.#forget(wireId);
    const isQuestion = keep || this.#questions.isWaiting(wireId);
    const asking = isQuestion ? this.#questions.answer(wireId, response) : [];
    return innerId === undefined ? asking : [innerId];
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
      if (inFlight.innerId !== undefined && this.#questions.isWaiting(wireId)) void inFlight.write(request);
    }, this.#askAgainMs).unref();
    this.#timers.set(wireId, timer);
  }

  /** The server takes a request back: gives what the client is sent, which knows the request by another id. */
  takeBack(cancelled: JSONRPCNotification): JSONRPCNotification | undefined {
    const innerId = cancelled.params?.requestId;
    if (!isRequestId(innerId)) return undefined;
    const requestId = this.#questions.withdraw(innerId) ?? this.#wireIdOf(innerId);
    if (requestId === undefined) return undefined;
    this.#questions.forget(requestId);
    this.#forget(requestId);
    return { ...cancelled, params: { ...cancelled.params, requestId } };
  }

  /** A superseded delivery asks no longer; its question stays as it was shown. */
  withdraw(cancelled: JSONRPCNotification | JSONRPCRequest): void {
    const innerId = cancelled.params?.requestId;
    if (cancelled.method !== "notifications/cancelled" || !isRequestId(innerId)) return;
    const wireId = this.#questions.withdraw(innerId);
    if (wireId !== undefined) this.#asked.delete(wireId);
  }

  #wireIdOf(innerId: RequestId): string | undefined {
    for (const [wireId, id] of this.#requests) if (id === innerId) return wireId;
    return undefined;
  }

  #forget(wireId: string): void {
    this.#requests.delete(wireId);
    this.#asked.delete(wireId);
  }
}

function isRequestId(value: unknown): value is RequestId {
  return typeof value === "string" || typeof value === "number";
}
