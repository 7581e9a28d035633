import { type Engine, isJsonObject, type JsonObject } from "@resumable-mcp/core";
import { asRpcError } from "../../call/rpc-error.js";
import type { HttpAnswer } from "../../http/http-answer.js";
import type { SessionLimits } from "../../limits.js";
import type {
  JSONRPCMessage,
  JSONRPCNotification,
  JSONRPCRequest,
  JSONRPCResponse,
  MessageExtraInfo,
} from "../../sdk-2025.js";
import { forSdk } from "../../sdk-workarounds.js";
import type { Connection2025 } from "../call-2025.js";
import { type ConnectableServer, OtherServer2025 } from "../other-server.js";
import type { Router2025 } from "../router.js";
import { Watches } from "../watches.js";
import { EnteringCalls } from "./calls/entering-calls.js";
import { InFlightCalls } from "./calls/in-flight-calls.js";
import { ClientMessages } from "./client-messages.js";
import { ClientRequests, type Entry } from "./client-requests.js";
import { ClientSettings } from "./client-settings.js";
import { Deliveries, type DeliveringSession } from "./deliveries.js";
import type { Cursor } from "./event-id.js";
import { OpenStreams } from "./open-streams.js";
import { makePrime, type Prime } from "./prime.js";
import { aheadEvent, streamAnswer, tooMany } from "./session-answers.js";
import type { SessionDocument } from "./session-document.js";
import { StandaloneStream } from "./standalone-stream.js";

/** What all sessions of an endpoint have in common. */
export interface SessionCommons {
  readonly engine: Engine;
  readonly limits: SessionLimits;
  readonly onError: (error: unknown) => void;
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
  readonly #requests: ClientRequests;
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
    const entering = new EnteringCalls();
    this.#messages = new ClientMessages({ engine: commons.engine, document, calls, deliveries, entering });
    this.#standalone = new StandaloneStream(commons.limits);
    const settings = new ClientSettings({
      document,
      ask: (method, params, extra) =>
        deliveries.ask(method, params, extra, { sessionClientId: document.value.clientId }),
      askOther: async (method, params) => this.other?.ask(undefined, method, params),
    });
    this.#settings = settings;
    const streams = this.#streams;
    this.#requests = new ClientRequests({ session: this, deliveries, streams, settings, entering });
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

  /** Sends what belongs to no request. */
  tell(message: JSONRPCMessage): Promise<void> {
    return this.#standalone.send(message);
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
    return this.#requests.request(sent, extra, entry);
  }

  /** Takes a notification or a response of the client. */
  accept(message: JSONRPCNotification | JSONRPCResponse, extra: MessageExtraInfo): Promise<HttpAnswer> {
    return this.#messages.accept(message, extra);
  }

  /** The standalone stream. Source: MCP 2025-11-25, Transports, "Listening for Messages from the Server". */
  async listen(extra: MessageExtraInfo, after?: Cursor): Promise<HttpAnswer> {
    const standalone = this.#standalone;
    const place = standalone.placeOf(after);
    if (place > standalone.place) return aheadEvent();
    const others = this.#streams.size - (standalone.isCarried ? 1 : 0);
    if (others >= this.limits.maxStreams) return tooMany("maxStreams", this.limits);
    const stream = this.#streams.open();
    this.#listener = extra;
    standalone.sendOn(stream, { place }, this.prime());
    void this.#catchUp().catch(this.#commons.onError);
    return streamAnswer(stream, this.id);
  }

  /** Continues with a stream where the client lost it. Source: the same, "Resumability and Redelivery". */
  resume(cursor: Cursor, extra: MessageExtraInfo): Promise<HttpAnswer> {
    return cursor.stream.startsWith("all_") ? this.listen(extra, cursor) : this.#requests.resume(cursor, extra);
  }

  /** What each of its streams begins with. */
  prime(): Prime {
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
