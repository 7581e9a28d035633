import { rpcCodes, rpcErrorResponse, toText } from "@resumable-mcp/protocol";
import { sessionClient } from "../../call/session-client.js";
import { endOfTurn } from "../../http/end-of-turn.js";
import type { HttpAnswer } from "../../http/http-answer.js";
import type { RequestContext } from "../../http/http-request.js";
import type { SseStream } from "../../http/sse-stream.js";
import type { JSONRPCRequest, MessageExtraInfo } from "../../sdk-2025.js";
import type { EnteringCalls } from "./calls/entering-calls.js";
import type { ClientSettings } from "./client-settings.js";
import type { Deliveries, DeliveringSession } from "./deliveries.js";
import type { Cursor, Place } from "./event-id.js";
import type { OpenStreams } from "./open-streams.js";
import { isPrimed, type Prime } from "./prime.js";
import {
  aheadEvent,
  draining,
  elsewhere,
  jsonAnswer,
  lostAnswer,
  nothingLeft,
  streamAnswer,
  tooMany,
  unknownSession,
} from "./session-answers.js";
import type { SessionDocument } from "./session-document.js";
import { type InFlightRequest, isCall } from "./session-stream.js";
import type { ToolFacts } from "./tool-kinds.js";

/** How a request came. */
export interface Entry extends Pick<RequestContext, "beforeCall"> {
  /** In milliseconds of the wall clock. */
  readonly acceptedMs: number;
}

/** The session whose requests are answered. */
interface AnsweringSession extends DeliveringSession {
  readonly document: SessionDocument;
  /** This process has nothing to do with it any more. */
  readonly closed: boolean;
  /** It is in no store any more. */
  readonly deleted: boolean;
  /** What each of its streams begins with. */
  prime(): Prime;
}

interface Parts {
  readonly session: AnsweringSession;
  readonly deliveries: Deliveries;
  readonly streams: OpenStreams;
  readonly settings: ClientSettings;
  readonly entering: EnteringCalls;
}

/** Answers what a session's client asks: a request with JSON or a stream, and an event id with the rest of its stream. */
export class ClientRequests {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  get #session(): AnsweringSession {
    return this.#parts.session;
  }

  /** Carries out a request of the client. */
  request(sent: JSONRPCRequest, extra: MessageExtraInfo, entry: Entry): Promise<HttpAnswer> {
    const answer = this.#request(sent, extra, entry);
    if (isCall(sent)) this.#parts.entering.note(sent.id, answer);
    return answer;
  }

  async #request(request: JSONRPCRequest, extra: MessageExtraInfo, entry: Entry): Promise<HttpAnswer> {
    const { kind, clientArgument } = await this.#factsOf(request);
    const isLocal = this.#session.document.value.local === true;
    const takesArgument = clientArgument === "argument" || (clientArgument === "data" && isLocal);
    const sessionClientId = await this.#named(request, takesArgument);
    if (!isCall(request)) return this.#shortRequest(request, sessionClientId, extra);
    if (this.#parts.streams.size >= this.#session.limits.maxStreams) return tooMany("maxStreams", this.#session.limits);
    if (this.#session.calls.isFull) return tooMany("maxOpenCalls", this.#session.limits);
    if (this.#session.closed) return this.#closedAnswer();
    const inFlight = this.#session.calls.add(this.#session.calls.create(request, kind, entry.acceptedMs));
    inFlight.sessionClientId = sessionClientId;
    // From here on it counts as one of `maxStreams`.
    const stream = this.#parts.streams.open();
    this.#sendOn(inFlight, stream, { place: 0 });
    try {
      // A call that becomes a task has its name with that; others answer for themselves.
      if (kind === "journal") await entry.beforeCall?.(this.#session.calls.expectedName(inFlight));
      else if (!this.#waitsForTask(request)) return await this.#plainCall(inFlight, stream, extra);
    } catch (error) {
      this.#parts.deliveries.end(inFlight);
      this.#session.calls.forget(inFlight);
      inFlight.abandon();
      throw error;
    }
    if (this.#session.closed) return this.#closedAnswer(inFlight);
    // Its client cancelled it meanwhile at another process.
    if (!this.#session.calls.has(inFlight)) return streamAnswer(stream, this.#session.id);
    this.#parts.deliveries.deliver(inFlight, { redelivered: false, extra: this.#extraOf(inFlight, extra) });
    await inFlight.begun;
    return this.#session.closed && kind === "journal"
      ? this.#closedAnswer(inFlight)
      : streamAnswer(stream, this.#session.id);
  }

  /**
   * This process let the session go. A client forgets a session that answers 404, and all its calls: only one that was
   * deleted does. The next process answers a call whose task was made meanwhile.
   */
  #closedAnswer(call?: InFlightRequest): HttpAnswer {
    if (this.#session.deleted) return unknownSession();
    const continues = call?.isNamed === true && call.kind !== "once" && isPrimed(this.#session.document.value);
    return continues ? elsewhere(call.name, this.#session.id, this.#session.limits) : draining();
  }

  /** A call without a task. What ends in this turn of the event loop needs no stream, whose head would go out with its end. */
  async #plainCall(inFlight: InFlightRequest, stream: SseStream, extra: MessageExtraInfo): Promise<HttpAnswer> {
    inFlight.isPlain = true;
    this.#parts.deliveries.deliver(inFlight, { redelivered: false, extra: this.#extraOf(inFlight, extra) });
    await Promise.race([inFlight.first(), endOfTurn()]);
    return this.#answerPlain(inFlight, stream);
  }

  /**
   * Answers what has no task. Its response alone goes out as JSON: nothing was lost that a client could come back for.
   *
   * Durability: what a call runs again with can be read before its client hears of it.
   */
  async #answerPlain(inFlight: InFlightRequest, opened?: SseStream): Promise<HttpAnswer> {
    if (!this.#session.deleted && inFlight.response !== undefined && inFlight.place <= 1) {
      this.#session.calls.forget(inFlight);
      inFlight.detach();
      return jsonAnswer(inFlight.response, this.#session.id, inFlight.lastText);
    }
    if (!this.#session.deleted) await this.#session.calls.name(inFlight);
    if (this.#session.deleted) {
      this.#session.calls.forget(inFlight);
      return unknownSession();
    }
    // What it came to in this process is not known: its client comes back and hears that.
    if (this.#session.closed && isPrimed(this.#session.document.value))
      return elsewhere(inFlight.name, this.#session.id, this.#session.limits);
    if (opened !== undefined) return streamAnswer(opened, this.#session.id);
    const stream = this.#parts.streams.open();
    this.#sendOn(inFlight, stream, { place: 0 });
    if (inFlight.running === undefined) inFlight.detach();
    return streamAnswer(stream, this.#session.id);
  }

  #waitsForTask({ method }: JSONRPCRequest): boolean {
    return method === "tasks/result" && this.#session.other?.hasMethod(method) !== true;
  }

  /** Requests that are over at once are answered with JSON, unless the server has more to say in between. */
  async #shortRequest(
    request: JSONRPCRequest,
    sessionClientId: string | undefined,
    extra: MessageExtraInfo,
  ): Promise<HttpAnswer> {
    // A ping is answered at once, whatever else is.
    const isPing = request.method === "ping";
    if (!isPing && this.#session.calls.requestCount >= this.#session.limits.maxRequests)
      return tooMany("maxRequests", this.#session.limits);
    const problem = this.#parts.settings.problemOf(request);
    if (problem !== undefined) {
      return jsonAnswer(rpcErrorResponse(request.id, rpcCodes.invalidParams, problem), this.#session.id);
    }
    if (this.#session.closed) return this.#closedAnswer();
    const inFlight = this.#session.calls.add(this.#session.calls.create(request, "once"));
    inFlight.sessionClientId = sessionClientId;
    inFlight.isPlain = true;
    this.#parts.deliveries.deliver(inFlight, { redelivered: false, extra });
    await inFlight.first();
    if (this.#session.closed && inFlight.response === undefined) return this.#closedAnswer();
    await this.#parts.settings.noteAnswer(request, inFlight.response);
    return this.#answerPlain(inFlight);
  }

  /** Continues with a stream where the client lost it. Source: the same, "Resumability and Redelivery". */
  async resume(cursor: Cursor, extra: MessageExtraInfo): Promise<HttpAnswer> {
    const inFlight = await this.#session.calls.find(cursor);
    const isCarried = inFlight?.isCarried === true;
    if (!isCarried && this.#parts.streams.size >= this.#session.limits.maxStreams)
      return tooMany("maxStreams", this.#session.limits);
    if (inFlight?.active === false && !inFlight.finished && this.#session.calls.isFull)
      return tooMany("maxOpenCalls", this.#session.limits);
    const end = inFlight && (await this.#session.calls.judge(inFlight, cursor.place));
    if (this.#session.closed) return this.#closedAnswer();
    if (inFlight === undefined) return this.#answerUnknown(cursor);
    if (end === "ahead") return aheadEvent();
    if (end === "over" || !this.#session.calls.has(inFlight)) return nothingLeft();
    const stream = this.#parts.streams.open();
    this.#resumeOn(inFlight, stream, cursor, extra);
    return streamAnswer(stream, this.#session.id);
  }

  /** Nothing is left of a call that was cancelled, or that the session no longer keeps: its client need not ask again. */
  #answerUnknown(cursor: Cursor): HttpAnswer {
    const lost = this.#session.calls.wasCancelled(cursor.stream)
      ? undefined
      : lostAnswer(cursor, this.#session.document, this.#session.limits);
    return lost ?? nothingLeft();
  }

  #resumeOn(inFlight: InFlightRequest, stream: SseStream, after: Place, extra: MessageExtraInfo): void {
    const deliver = inFlight.kind === "journal" || inFlight.running === undefined;
    if (inFlight.kind === "journal") {
      this.#parts.deliveries.end(inFlight);
      inFlight.finished = false;
    }
    inFlight.resumedAt = after.place;
    this.#sendOn(inFlight, stream, after);
    if (!deliver || inFlight.finished) return;
    this.#parts.deliveries.deliver(inFlight, { after, redelivered: true, extra: this.#extraOf(inFlight, extra) });
  }

  /** A handler of the server may end the stream of its request early; the client comes back for the answer, if it can. */
  #extraOf(inFlight: InFlightRequest, extra: MessageExtraInfo): MessageExtraInfo {
    if (!isPrimed(this.#session.document.value)) return extra;
    return { closeSSEStream: () => inFlight.end(this.#session.limits.pollRetryMs), ...extra };
  }

  async #factsOf({ method, params }: JSONRPCRequest): Promise<ToolFacts> {
    // It only waits for what the task came to. Whether that is a task of the engine's is known by its first message.
    if (method === "tasks/result") return { kind: "again" };
    if (method !== "tools/call") return { kind: "once" };
    const name = toText(params?.name);
    const own = this.#session.router.factsOf(name);
    if (own !== undefined) return own;
    const facts = (await this.#session.other?.factsOf(name)) ?? { kind: "once" };
    // Of another engine, whose calls cannot be followed here.
    return facts.kind === "journal" ? { ...facts, kind: "again" } : facts;
  }

  /**
   * Notes the client that a request names, and gives the one that the session named before, where it names none.
   *
   * A session's caller is the client that it named last. Durability: the name is in the store before a request by that
   * name is carried out.
   */
  async #named(request: JSONRPCRequest, takesArgument: boolean): Promise<string | undefined> {
    const known = this.#session.document.value.clientId;
    const { named, isNamed } = sessionClient(request, known, takesArgument);
    if (named !== undefined && named !== known)
      await this.#session.document.change((facts) => ({ ...facts, clientId: named }));
    return isNamed ? undefined : known;
  }

  #sendOn(inFlight: InFlightRequest, stream: SseStream, after: Place): void {
    inFlight.sendOn(stream, after, this.#session.prime(), () => {
      // Without a stream the journal keeps what happens, and a new delivery sends it.
      if (inFlight.kind !== "journal") return;
      this.#parts.deliveries.end(inFlight);
      this.#session.calls.noteLost(inFlight);
    });
    if (inFlight.finished && inFlight.kind !== "journal") inFlight.detach();
  }
}
