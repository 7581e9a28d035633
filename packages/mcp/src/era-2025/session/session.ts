import { setImmediate as endOfTurn } from "node:timers/promises";
import type {
  JSONRPCMessage,
  JSONRPCNotification,
  JSONRPCRequest,
  JSONRPCResponse,
  MessageExtraInfo,
} from "@modelcontextprotocol/sdk/types.js";
import { type Engine, isJsonObject, type JsonObject } from "@resumable-mcp/core";
import { rpcCodes, rpcErrorResponse } from "@resumable-mcp/protocol";
import { asRpcError } from "../../call/rpc-error.js";
import { sessionClient } from "../../call/session-client.js";
import { type HttpAnswer, refusal } from "../../http/http-answer.js";
import type { RequestContext } from "../../http/http-request.js";
import type { SseStream } from "../../http/sse-stream.js";
import type { SessionLimits } from "../../limits.js";
import { forSdk } from "../../sdk-workarounds.js";
import type { Connection2025 } from "../call-2025.js";
import { type ConnectableServer, OtherServer2025 } from "../other-server.js";
import type { Router2025 } from "../router.js";
import { Watches } from "../watches.js";
import { EnteringCalls } from "./calls/entering-calls.js";
import { InFlightCalls } from "./calls/in-flight-calls.js";
import { ClientMessages } from "./client-messages.js";
import { ClientSettings } from "./client-settings.js";
import { Deliveries, type DeliveringSession } from "./deliveries.js";
import type { Cursor, Place } from "./event-id.js";
import { OpenStreams } from "./open-streams.js";
import { isPrimed, makePrime, type Prime } from "./prime.js";
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
import { StandaloneStream } from "./standalone-stream.js";
import type { ToolFacts } from "./tool-kinds.js";

/** What all sessions of an endpoint have in common. */
export interface SessionCommons {
  readonly engine: Engine;
  readonly limits: SessionLimits;
  readonly onError: (error: unknown) => void;
}

/** How a request came. */
interface Entry extends Pick<RequestContext, "beforeCall"> {
  /** In milliseconds of the wall clock. */
  readonly acceptedMs: number;
}

/** What answers the requests of a session. */
export interface SessionServer {
  readonly router: Router2025;
  /** For what is not ours. */
  readonly server?: ConnectableServer | undefined;
}

/** A session in memory: what a client's requests, streams and calls come together in. */
export class Session2025 implements DeliveringSession {
  readonly document: SessionDocument;
  readonly router: Router2025;
  readonly calls: InFlightCalls;
  readonly connection: Connection2025;
  other: OtherServer2025 | undefined;
  readonly #deliveries = new Deliveries(this);
  readonly #closing = new AbortController();
  readonly #commons: SessionCommons;
  readonly #streams: OpenStreams;
  readonly #standalone: StandaloneStream;
  readonly #settings: ClientSettings;
  readonly #messages: ClientMessages;
  readonly #enteringCalls = new EnteringCalls();
  /** Of the request that opened the standalone stream. */
  #listener: MessageExtraInfo | undefined;
  /** Its server can send log messages. */
  #hasLog = true;
  /** What clients sent and is being looked at, before it has a stream or a place at the server behind. */
  entering = 0;
  lastUsedMs = performance.now();
  /** When this process read last what others did to the session, in monotonic milliseconds. */
  checkedMs = performance.now();
  /** This process has nothing to do with it any more. */
  closed = false;
  /** It is in no store any more: its client or its time ended it. */
  deleted = false;

  constructor(document: SessionDocument, commons: SessionCommons, router: Router2025) {
    this.#commons = commons;
    this.document = document;
    this.router = router;
    this.#streams = new OpenStreams(commons.limits);
    this.calls = new InFlightCalls(document, commons.engine, commons.limits);
    const deliveries = this.#deliveries;
    const { calls } = this;
    const entering = this.#enteringCalls;
    this.#messages = new ClientMessages({ engine: commons.engine, document, calls, deliveries, entering });
    this.#standalone = new StandaloneStream(commons.limits);
    const settings = new ClientSettings({
      document,
      ask: (method, params, extra) =>
        deliveries.ask(method, params, extra, { sessionClientId: document.value.clientId }),
      askOther: async (method, params) => this.other?.ask(undefined, method, params),
    });
    this.#settings = settings;
    this.connection = this.#connection();
  }

  #connection(): Connection2025 {
    const { clientInfo, capabilities }: JsonObject = this.document.value.initialize;
    const other = () => this.other;
    return {
      client: { name: nameOf(clientInfo), capabilities: isJsonObject(capabilities) ? capabilities : undefined },
      get other() {
        return other();
      },
      watches: new Watches({
        tell: (notification) => this.#standalone.send(forSdk({ jsonrpc: "2.0", ...notification })),
        closed: () => this.#closing.signal,
        onError: this.#commons.onError,
      }),
      wantsLog: (level) => this.#settings.wantsLog(level),
      setLevel: (level) => this.#settings.setLevel(level),
    };
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

  get onError(): SessionCommons["onError"] {
    return this.#commons.onError;
  }

  /** Connects the server that its author's code was given. */
  async connect(server: ConnectableServer): Promise<void> {
    this.other = await OtherServer2025.connect(server, {
      sessionId: this.id,
      send: async (message) => {
        const sent = this.#deliveries.requests.relay(message);
        if (sent !== undefined) await this.#standalone.send(sent);
      },
    });
  }

  /** Answers the request that opens the session. */
  async open({ id, params }: JSONRPCRequest, extra: MessageExtraInfo): Promise<JSONRPCMessage> {
    try {
      const result = await this.#deliveries.ask("initialize", { ...params } as JsonObject, extra);
      this.#noteCapabilities(result);
      return forSdk({ jsonrpc: "2.0", id, result });
    } catch (error) {
      const { code, message, data } = asRpcError(error);
      return forSdk({ jsonrpc: "2.0", id, error: { code, message, ...(data !== undefined && { data }) } });
    }
  }

  /** Repeats to a server that was just connected what this session's client sent to an earlier one. */
  async restore(extra: MessageExtraInfo): Promise<void> {
    if (this.other === undefined) return;
    this.#noteCapabilities(await this.other.ask(undefined, "initialize", this.document.value.initialize));
    this.other.receive({ jsonrpc: "2.0", method: "notifications/initialized" }, extra);
    await this.#settings.repeatLevel();
  }

  #noteCapabilities(answer: object): void {
    this.#hasLog = Object(Reflect.get(answer, "capabilities")).logging !== undefined;
  }

  /** Takes over what other processes did to the session since this one read it. False when the session has ended. */
  async check(): Promise<boolean> {
    this.checkedMs = performance.now();
    this.deleted ||= !(await this.document.refresh());
    if (this.deleted) return false;
    for (const inFlight of this.calls.takeCancelled()) {
      this.#deliveries.end(inFlight, "cancelled by the client");
      inFlight.abandon();
    }
    if (this.#standalone.isCarried) await this.#catchUp();
    return true;
  }

  /** The process that carries the standalone stream speaks for all. */
  async #catchUp(): Promise<void> {
    await this.#settings.repeatLevel();
    for (const uri of await this.#settings.repeatSubscriptions(this.#listener)) {
      await this.#standalone.send({ jsonrpc: "2.0", method: "notifications/resources/updated", params: { uri } });
    }
  }

  /** Tells the client on every stream when to come back. */
  tellRetry(retryMs: number): void {
    this.#streams.tellRetry(retryMs);
  }

  /** Carries out a request of the client. */
  request(sent: JSONRPCRequest, extra: MessageExtraInfo, entry: Entry): Promise<HttpAnswer> {
    const answer = this.#request(sent, extra, entry);
    if (isCall(sent)) this.#enteringCalls.note(sent.id, answer);
    return answer;
  }

  async #request(request: JSONRPCRequest, extra: MessageExtraInfo, entry: Entry): Promise<HttpAnswer> {
    const { kind, clientArgument } = await this.#factsOf(request);
    const isLocal = this.document.value.local === true;
    const takesArgument = clientArgument === "argument" || (clientArgument === "data" && isLocal);
    const sessionClientId = await this.#named(request, takesArgument);
    if (!isCall(request)) return this.#shortRequest(request, sessionClientId, extra);
    if (this.#streams.size >= this.limits.maxStreams) return tooMany("maxStreams", this.limits);
    if (this.calls.isFull) return tooMany("maxOpenCalls", this.limits);
    if (this.closed) return this.#closedAnswer();
    const inFlight = this.calls.add(this.calls.create(request, kind, entry.acceptedMs));
    inFlight.sessionClientId = sessionClientId;
    // From here on it counts as one of `maxStreams`.
    const stream = this.#streams.open();
    this.#sendOn(inFlight, stream, { place: 0 });
    try {
      // A call that becomes a task has its name with that; others answer for themselves.
      if (kind === "journal") await entry.beforeCall?.(this.calls.expectedName(inFlight));
      else if (!this.#waitsForTask(request)) return await this.#plainCall(inFlight, stream, extra);
    } catch (error) {
      this.#deliveries.end(inFlight);
      this.calls.forget(inFlight);
      inFlight.abandon();
      throw error;
    }
    if (this.closed) return this.#closedAnswer(inFlight);
    // Its client cancelled it meanwhile at another process.
    if (!this.calls.has(inFlight)) return streamAnswer(stream, this.id);
    this.#deliveries.deliver(inFlight, { redelivered: false, extra: this.#extraOf(inFlight, extra) });
    await inFlight.begun;
    return this.closed && kind === "journal" ? this.#closedAnswer(inFlight) : streamAnswer(stream, this.id);
  }

  /**
   * This process let the session go. A client forgets a session that answers 404, and all its calls: only one that was
   * deleted does. The next process answers a call whose task was made meanwhile.
   */
  #closedAnswer(call?: InFlightRequest): HttpAnswer {
    if (this.deleted) return unknownSession();
    const continues = call?.isNamed === true && call.kind !== "once" && isPrimed(this.document.value);
    return continues ? elsewhere(call.name, this.id, this.limits) : draining();
  }

  /** A call without a task. What ends in this turn of the event loop needs no stream, whose head would go out with its end. */
  async #plainCall(inFlight: InFlightRequest, stream: SseStream, extra: MessageExtraInfo): Promise<HttpAnswer> {
    inFlight.isPlain = true;
    this.#deliveries.deliver(inFlight, { redelivered: false, extra: this.#extraOf(inFlight, extra) });
    await Promise.race([inFlight.first(), endOfTurn()]);
    return this.#answerPlain(inFlight, stream);
  }

  /**
   * Answers what has no task. Its response alone goes out as JSON: nothing was lost that a client could come back for.
   *
   * Durability: what a call runs again with can be read before its client hears of it.
   */
  async #answerPlain(inFlight: InFlightRequest, opened?: SseStream): Promise<HttpAnswer> {
    if (!this.deleted && inFlight.response !== undefined && inFlight.place <= 1) {
      this.calls.forget(inFlight);
      inFlight.detach();
      return jsonAnswer(inFlight.response, this.id);
    }
    if (!this.deleted) await this.calls.name(inFlight);
    if (this.deleted) {
      this.calls.forget(inFlight);
      return unknownSession();
    }
    // What it came to in this process is not known: its client comes back and hears that.
    if (this.closed && isPrimed(this.document.value)) return elsewhere(inFlight.name, this.id, this.limits);
    if (opened !== undefined) return streamAnswer(opened, this.id);
    const stream = this.#streams.open();
    this.#sendOn(inFlight, stream, { place: 0 });
    if (inFlight.running === undefined) inFlight.detach();
    return streamAnswer(stream, this.id);
  }

  #waitsForTask({ method }: JSONRPCRequest): boolean {
    return method === "tasks/result" && this.other?.hasMethod(method) !== true;
  }

  /** Requests that are over at once are answered with JSON, unless the server has more to say in between. */
  async #shortRequest(
    request: JSONRPCRequest,
    sessionClientId: string | undefined,
    extra: MessageExtraInfo,
  ): Promise<HttpAnswer> {
    // A ping is answered at once, whatever else is.
    const isPing = request.method === "ping";
    if (!isPing && this.calls.requestCount >= this.limits.maxRequests) return tooMany("maxRequests", this.limits);
    const problem = this.#settings.problemOf(request);
    if (problem !== undefined) {
      return jsonAnswer(rpcErrorResponse(request.id, rpcCodes.invalidParams, problem), this.id);
    }
    if (this.closed) return this.#closedAnswer();
    const inFlight = this.calls.add(this.calls.create(request, "once"));
    inFlight.sessionClientId = sessionClientId;
    inFlight.isPlain = true;
    this.#deliveries.deliver(inFlight, { redelivered: false, extra });
    await inFlight.first();
    if (this.closed && inFlight.response === undefined) return this.#closedAnswer();
    await this.#settings.noteAnswer(request, inFlight.response);
    return this.#answerPlain(inFlight);
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
    standalone.sendOn(stream, { place }, this.#prime());
    void this.#catchUp().catch(this.#commons.onError);
    return streamAnswer(stream, this.id);
  }

  /** Continues with a stream where the client lost it. Source: the same, "Resumability and Redelivery". */
  async resume(cursor: Cursor, extra: MessageExtraInfo): Promise<HttpAnswer> {
    if (cursor.stream.startsWith("all_")) return this.listen(extra, cursor);
    const inFlight = await this.calls.find(cursor);
    const isCarried = inFlight?.isCarried === true;
    if (!isCarried && this.#streams.size >= this.limits.maxStreams) return tooMany("maxStreams", this.limits);
    if (inFlight?.active === false && !inFlight.finished && this.calls.isFull)
      return tooMany("maxOpenCalls", this.limits);
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
    const lost = this.calls.wasCancelled(cursor.stream) ? undefined : lostAnswer(cursor, this.document, this.limits);
    return lost ?? nothingLeft();
  }

  #resumeOn(inFlight: InFlightRequest, stream: SseStream, after: Place, extra: MessageExtraInfo): void {
    const deliver = inFlight.kind === "journal" || inFlight.running === undefined;
    if (inFlight.kind === "journal") {
      this.#deliveries.end(inFlight);
      inFlight.finished = false;
    }
    inFlight.resumedAt = after.place;
    this.#sendOn(inFlight, stream, after);
    if (!deliver || inFlight.finished) return;
    this.#deliveries.deliver(inFlight, { after, redelivered: true, extra: this.#extraOf(inFlight, extra) });
  }

  /** A handler of the server may end the stream of its request early; the client comes back for the answer, if it can. */
  #extraOf(inFlight: InFlightRequest, extra: MessageExtraInfo): MessageExtraInfo {
    if (!isPrimed(this.document.value)) return extra;
    return { ...extra, closeSSEStream: () => inFlight.end(this.limits.pollRetryMs) };
  }

  async #factsOf({ method, params }: JSONRPCRequest): Promise<ToolFacts> {
    // It only waits for what the task came to. Whether that is a task of the engine's is known by its first message.
    if (method === "tasks/result") return { kind: "again" };
    if (method !== "tools/call") return { kind: "once" };
    const name = String(params?.name);
    const own = this.router.factsOf(name);
    if (own !== undefined) return own;
    const facts = (await this.other?.factsOf(name)) ?? { kind: "once" };
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
    const known = this.document.value.clientId;
    const { named, isNamed } = sessionClient(request, known, takesArgument);
    if (named !== undefined && named !== known) await this.document.change((facts) => ({ ...facts, clientId: named }));
    return isNamed ? undefined : known;
  }

  #sendOn(inFlight: InFlightRequest, stream: SseStream, after: Place): void {
    inFlight.sendOn(stream, after, this.#prime(), () => {
      // Without a stream the journal keeps what happens, and a new delivery sends it.
      if (inFlight.kind !== "journal") return;
      this.#deliveries.end(inFlight);
      this.calls.noteLost(inFlight);
    });
    if (inFlight.finished && inFlight.kind !== "journal") inFlight.detach();
  }

  #prime(): Prime {
    return makePrime(this.document.value, this.#hasLog, this.limits);
  }

  /** This process has nothing to do with it any more. */
  async close(): Promise<void> {
    this.closed = true;
    this.#streams.close();
    this.#closing.abort("closed");
    for (const inFlight of this.calls.clear(this.deleted)) {
      this.#deliveries.end(inFlight);
      inFlight.abandon();
    }
    this.#deliveries.close();
    await this.other?.close();
  }
}

function nameOf(clientInfo: unknown): string | undefined {
  return isJsonObject(clientInfo) && typeof clientInfo.name === "string" ? clientInfo.name : undefined;
}

const aheadEvent = "The event id is later than every event that this server sent. Connect without it.";
