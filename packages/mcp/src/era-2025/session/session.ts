import type {
  JSONRPCMessage,
  JSONRPCNotification,
  JSONRPCRequest,
  JSONRPCResponse,
  MessageExtraInfo,
} from "@modelcontextprotocol/sdk/types.js";
import type { Engine } from "@resumable-mcp/core";
import { rpcCodes, rpcErrorResponse } from "@resumable-mcp/protocol";
import { attribute } from "../../call/session-client.js";
import { type HttpAnswer, refusal } from "../../http/http-answer.js";
import type { SseStream } from "../../http/sse-stream.js";
import type { SessionLimits } from "../../limits.js";
import { EnteringCalls } from "./calls/entering-calls.js";
import { InFlightCalls } from "./calls/in-flight-calls.js";
import { ClientMessages } from "./client-messages.js";
import { ClientSettings } from "./client-settings.js";
import type { Cursor, Place } from "./event-id.js";
import { OpenStreams } from "./open-streams.js";
import { isPrimed, type Prime, primeOf } from "./prime.js";
import {
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
import { type ConnectableServer, type ConnectedSession, SessionTransport } from "./session-transport.js";
import { StandaloneStream } from "./standalone-stream.js";
import { KnownTools, type ListedTools, readToolKinds, type ToolKinds } from "./tool-kinds.js";

/** What all sessions of an endpoint have in common. */
export interface SessionCommons {
  readonly engine: Engine;
  readonly limits: SessionLimits;
  readonly onError: (error: unknown) => void;
  /** The same table for all sessions whose servers offer the same tools. */
  shared(kinds: ToolKinds): ToolKinds;
}

/** A session in memory: what a client's requests, streams and calls come together in. */
export class Session2025 implements ConnectedSession {
  readonly document: SessionDocument;
  readonly transport = new SessionTransport(this);
  readonly calls: InFlightCalls;
  readonly #commons: SessionCommons;
  readonly #streams: OpenStreams;
  readonly #standalone: StandaloneStream;
  readonly #settings: ClientSettings;
  readonly #messages: ClientMessages;
  readonly #enteringCalls = new EnteringCalls();
  readonly #tools = new KnownTools(() => this.#readTools());
  /** Of the request that opened the standalone stream. */
  #listener: MessageExtraInfo | undefined;
  /** Its server can send log messages. */
  #hasLog = false;
  /** What clients sent and is being looked at, before it has a stream or a place at the server behind. */
  entering = 0;
  lastUsedMs = performance.now();
  /** When this process read last what others did to the session, in monotonic milliseconds. */
  checkedMs = performance.now();
  /** This process has nothing to do with it any more. */
  closed = false;
  /** It is in no store any more: its client or its time ended it. */
  deleted = false;

  constructor(document: SessionDocument, commons: SessionCommons) {
    this.#commons = commons;
    this.document = document;
    this.#streams = new OpenStreams(commons.limits);
    this.calls = new InFlightCalls(document, commons.engine, commons.limits);
    const { calls, transport } = this;
    const entering = this.#enteringCalls;
    this.#messages = new ClientMessages({ engine: commons.engine, document, calls, transport, entering });
    this.#standalone = new StandaloneStream(document, commons.limits, commons.onError);
    this.#settings = new ClientSettings(document, (...asked) => this.transport.ask(...asked));
  }

  get id(): string {
    return this.document.id;
  }

  get limits(): SessionLimits {
    return this.#commons.limits;
  }

  get isUnused(): boolean {
    return this.document.value.unused === true;
  }

  /** Notes that its client does something with it. Durability: as of `change`; other processes must not end it. */
  async use(): Promise<void> {
    if (this.isUnused) await this.document.change((facts) => ({ ...facts, unused: undefined }));
  }

  get busy(): boolean {
    return this.entering > 0 || this.#streams.size > 0 || this.calls.delivering;
  }

  /** Connects a server and repeats what this session's client sent to an earlier one. */
  async connect(server: ConnectableServer, extra: MessageExtraInfo): Promise<JSONRPCMessage> {
    await server.connect(this.transport);
    const { initialize, logLevel } = this.document.value;
    const answer = await this.transport.ask("initialize", initialize, extra);
    this.#hasLog = "result" in answer && Object(answer.result.capabilities).logging !== undefined;
    if (logLevel === undefined) return answer;
    this.initialized(extra);
    await this.#settings.repeatLevel(extra);
    return answer;
  }

  /** Takes over what other processes did to the session since this one read it. False when the session has ended. */
  async check(): Promise<boolean> {
    this.checkedMs = performance.now();
    this.deleted ||= !(await this.document.refresh());
    if (this.deleted) return false;
    for (const inFlight of this.calls.takeCancelled()) {
      this.transport.endDelivery(inFlight);
      inFlight.abandon();
    }
    await this.calls.review();
    if (this.#standalone.isCarried) await this.#catchUp();
    return true;
  }

  /** The process that carries the standalone stream speaks for all. */
  async #catchUp(): Promise<void> {
    await this.#settings.repeatLevel(this.#listener);
    for (const uri of await this.#settings.repeatSubscriptions(this.#listener)) {
      await this.#standalone.send({ jsonrpc: "2.0", method: "notifications/resources/updated", params: { uri } });
    }
    await this.#standalone.takeMail();
  }

  initialized(extra: MessageExtraInfo): void {
    this.transport.onmessage?.({ jsonrpc: "2.0", method: "notifications/initialized" }, extra);
  }

  /** Tells the client on every stream when to come back. */
  tellRetry(retryMs: number): void {
    this.#streams.tellRetry(retryMs);
  }

  /** Carries out a request of the client. */
  request(sent: JSONRPCRequest, extra: MessageExtraInfo): Promise<HttpAnswer> {
    const answer = this.#request(sent, extra);
    if (isCall(sent)) this.#enteringCalls.note(sent.id, answer);
    return answer;
  }

  async #request(sent: JSONRPCRequest, extra: MessageExtraInfo): Promise<HttpAnswer> {
    const { kind, clientArgument } = await this.#tools.factsOf(sent);
    const isLocal = this.document.value.local === true;
    const request = await this.#named(sent, clientArgument === "argument" || (clientArgument === "data" && isLocal));
    if (!isCall(request)) return this.#shortRequest(request, extra);
    if (this.#streams.size >= this.limits.maxStreams) return tooMany("maxStreams", this.limits);
    const inFlight = this.calls.create(request, kind);
    if (!this.calls.enter(inFlight)) return tooMany("maxOpenCalls", this.limits);
    try {
      if (kind !== "once") await this.calls.store(inFlight);
      if (this.closed) return this.#closedAnswer(inFlight);
      this.calls.add(inFlight);
    } finally {
      this.calls.entered(inFlight);
    }
    const stream = this.#streams.open();
    this.#sendOn(inFlight, stream, { place: 0 });
    this.transport.deliver(inFlight, { redelivered: false, extra: this.#extraOf(inFlight, extra) });
    return streamAnswer(stream, this.id);
  }

  /**
   * This process let the session go. A client forgets a session that answers 404, and all its calls: only one that was
   * deleted does. The next process answers a call that was stored meanwhile.
   */
  #closedAnswer(call?: InFlightRequest): HttpAnswer {
    if (this.deleted) return unknownSession();
    const continues = call !== undefined && call.kind !== "once" && isPrimed(this.document.value);
    return continues ? elsewhere(call.name, this.id, this.limits) : draining();
  }

  /** Requests that are over at once are answered with JSON, unless the server has more to say in between. */
  async #shortRequest(request: JSONRPCRequest, extra: MessageExtraInfo): Promise<HttpAnswer> {
    // The server behind answers a ping at once, whatever else it does.
    const isPing = request.method === "ping";
    if (!isPing && this.calls.requestCount >= this.limits.maxRequests) return tooMany("maxRequests", this.limits);
    const problem = this.#settings.problemOf(request);
    if (problem !== undefined) {
      return jsonAnswer(rpcErrorResponse(request.id, rpcCodes.invalidParams, problem), this.id);
    }
    await this.#settings.noteRequest(request);
    // The server behind answers nothing any more.
    if (this.closed) return this.#closedAnswer();
    const inFlight = this.calls.add(this.calls.create(request, "once"));
    this.transport.deliver(inFlight, { redelivered: false, extra });
    await inFlight.first();
    if (this.closed && inFlight.response === undefined) return this.#closedAnswer();
    await this.#settings.noteAnswer(request, inFlight.response);
    if (inFlight.response !== undefined && inFlight.place <= 1) {
      this.calls.forget(inFlight);
      return jsonAnswer(inFlight.response, this.id);
    }
    const stream = this.#streams.open();
    this.#sendOn(inFlight, stream, { place: 0 });
    if (inFlight.innerId === undefined) inFlight.detach();
    return streamAnswer(stream, this.id);
  }

  /** Takes a notification or a response of the client. */
  accept(message: JSONRPCNotification | JSONRPCResponse, extra: MessageExtraInfo): Promise<HttpAnswer> {
    return this.#messages.accept(message, extra);
  }

  /** The standalone stream. Source: MCP 2025-11-25, Transports, "Listening for Messages from the Server". */
  async listen(extra: MessageExtraInfo, after?: Cursor): Promise<HttpAnswer> {
    const standalone = this.#standalone;
    const place = standalone.placeOf(after);
    if (place > standalone.place) return refusal(400, aheadEvent);
    const others = this.#streams.size - (standalone.isCarried ? 1 : 0);
    if (others >= this.limits.maxStreams) return tooMany("maxStreams", this.limits);
    const stream = this.#streams.open();
    this.#listener = extra;
    await standalone.sendOn(stream, { place }, this.#prime());
    void this.#catchUp().catch(this.#commons.onError);
    return streamAnswer(stream, this.id);
  }

  /** Continues with a stream where the client lost it. Source: the same, "Resumability and Redelivery". */
  async resume(cursor: Cursor, extra: MessageExtraInfo): Promise<HttpAnswer> {
    if (cursor.stream.startsWith("all_")) return this.listen(extra, cursor);
    const inFlight = await this.calls.find(cursor);
    const end = inFlight && (await this.calls.judge(inFlight, cursor.place));
    if (this.closed) return this.#closedAnswer();
    if (inFlight === undefined) return this.#answerUnknown(cursor);
    if (end === "ahead") return refusal(400, aheadEvent);
    if (end === "over" || !this.calls.has(inFlight)) return nothingLeft();
    const stream = this.#streams.open();
    this.#resumeOn(inFlight, stream, cursor, extra);
    return streamAnswer(stream, this.id);
  }

  /** Nothing is left of a call that was cancelled, or that the session no longer keeps: its client need not ask again. */
  #answerUnknown(cursor: Cursor): HttpAnswer {
    const lost = this.calls.wasCancelled(cursor.stream) ? undefined : lostAnswer(cursor, this.id, this.limits);
    return lost ?? nothingLeft();
  }

  #resumeOn(inFlight: InFlightRequest, stream: SseStream, after: Place, extra: MessageExtraInfo): void {
    const deliver = inFlight.kind === "journal" || inFlight.innerId === undefined;
    if (inFlight.kind === "journal") {
      this.transport.endDelivery(inFlight);
      inFlight.finished = false;
    }
    inFlight.resumedAt = after.place;
    this.#sendOn(inFlight, stream, after);
    if (!deliver || inFlight.finished) return;
    this.transport.deliver(inFlight, { after, redelivered: true, extra: this.#extraOf(inFlight, extra) });
  }

  /** A handler of the server may end the stream of its request early; the client comes back for the answer, if it can. */
  #extraOf(inFlight: InFlightRequest, extra: MessageExtraInfo): MessageExtraInfo {
    if (!isPrimed(this.document.value)) return extra;
    return { ...extra, closeSSEStream: () => inFlight.end(this.limits.pollRetryMs) };
  }

  async #readTools(): Promise<ListedTools> {
    const list = (cursor?: string) => this.transport.ask("tools/list", cursor === undefined ? {} : { cursor });
    const { kinds, isWhole } = await readToolKinds(list);
    return { kinds: this.#commons.shared(kinds), isWhole };
  }

  /**
   * A session's caller is the client that it named last. Durability: the name is in the store before a request by that
   * name is carried out.
   */
  async #named(request: JSONRPCRequest, takesArgument: boolean): Promise<JSONRPCRequest> {
    const known = this.document.value.clientId;
    const { request: attributed, clientId } = attribute(request, known, takesArgument);
    const isNew = clientId !== undefined && clientId !== known;
    if (isNew) await this.document.change((facts) => ({ ...facts, clientId }));
    return attributed;
  }

  #sendOn(inFlight: InFlightRequest, stream: SseStream, after: Place): void {
    inFlight.sendOn(stream, after, this.#prime(), () => {
      // Without a stream the journal keeps what happens, and a new delivery sends it.
      if (inFlight.kind === "journal") this.transport.endDelivery(inFlight);
    });
    if (inFlight.finished && inFlight.kind !== "journal") inFlight.detach();
  }

  #prime(): Prime {
    return primeOf(this.document.value, this.#hasLog, this.limits);
  }

  async sendUnrelated(message: JSONRPCMessage): Promise<void> {
    if ("method" in message && message.method === "notifications/tools/list_changed") this.#tools.forget();
    await this.#standalone.send(message);
  }

  end(): void {
    this.closed = true;
    this.#streams.close();
    this.calls.clear();
  }
}

const aheadEvent = "The event id is later than every event that this server sent. Connect without it.";
