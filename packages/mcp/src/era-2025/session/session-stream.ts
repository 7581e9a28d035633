import { isJsonObject } from "@resumable-mcp/core";
import { metaKeys, type Repeatable } from "@resumable-mcp/protocol";
import type { EndingController } from "../../call/ending.js";
import type { Receipt } from "../../call/late-cancellations.js";
import { isCompletedResponse } from "../../call/result-delivered.js";
import type { SseStream } from "../../http/sse-stream.js";
import type { SessionLimits } from "../../limits.js";
import type { JSONRPCMessage, JSONRPCRequest } from "../../sdk-2025.js";
import { bareName, formatEventId, type Place } from "./event-id.js";
import type { Prime } from "./prime.js";
import { callerParams } from "./session-document.js";

interface SentEvent {
  readonly place: number;
  readonly data: string;
  readonly onSent: (() => void) | undefined;
}

/**
 * A stream of events as a client knows it, by its name. The HTTP responses that carry it come and go; a newer one
 * replaces an older one, which may be half open.
 *
 * Limits: without a journal the last events are kept, up to `maxReplayEvents` and `maxReplayBytes`; the oldest go first,
 * the newest always stays.
 */
export class SessionStream {
  name: string;
  kind: Repeatable;
  /** The place of the last event, as far as this process knows. */
  place: number;
  /** The task's result that the response carries, if it does. */
  receipt: Receipt | undefined;
  readonly #limits: SessionLimits;
  #kept: SentEvent[] | undefined;
  #keptBytes = 0;
  #sse: SseStream | undefined;
  #release: (() => void) | undefined;
  #onFirst: (() => void) | undefined;
  /** What the present response begins with, once the stream has its name. */
  #prime: { readonly after: Place; readonly prime: Prime } | undefined;
  /** The place up to which the present response has sent, and the progress that the client was shown there. */
  #shown: Place = { place: 0 };

  constructor(name: string, kind: Repeatable, limits: SessionLimits, place = 0) {
    this.name = name;
    this.kind = kind;
    this.place = place;
    this.#limits = limits;
  }

  /** A response carries it now. */
  get isCarried(): boolean {
    return this.#sse !== undefined;
  }

  /** The last message of a stream without a journal, as it is sent. */
  get lastText(): string | undefined {
    return this.#kept?.at(-1)?.data;
  }

  /** Resolves when the first message was written, or when none will be. */
  first(): Promise<void> {
    return this.place > 0
      ? Promise.resolve()
      : new Promise((resolve) => {
          this.#onFirst = resolve;
        });
  }

  /** Nothing will be written any more. */
  abandon(): void {
    this.#onFirst?.();
    this.detach();
  }

  /** Lets a response carry the stream from now on, and sends again what the client lost. */
  sendOn(sse: SseStream, after: Place, prime: Prime, onLost: () => void = () => {}): void {
    this.#release?.();
    this.#sse = sse;
    this.#shown = after;
    this.#release = sse.acquire(() => {
      if (this.#sse !== sse) return;
      this.detach();
      onLost();
    });
    this.#prime = { after, prime };
    if (this.isNamed) this.begin();
    for (const { place, data, onSent } of this.#kept ?? []) {
      if (place > after.place) void sse.write({ id: this.#idOf({ place }), data, onSent });
    }
  }

  /** Whether its name is known by now: what its client receives bears it. */
  get isNamed(): boolean {
    return true;
  }

  /** Writes what the present response begins with. */
  begin(): void {
    if (this.#sse === undefined || this.#prime === undefined) return;
    const { retryMs, data } = this.#prime.prime;
    const { after } = this.#prime;
    this.#prime = undefined;
    this.#sse.carries = this.name;
    void this.#sse.write(data === undefined ? { retryMs } : { id: this.#idOf(after), data, retryMs });
  }

  /** Ends the present response; its client comes back after `retryMs`. */
  end(retryMs: number): void {
    void this.#sse?.write({ retryMs });
    this.detach();
  }

  detach(): void {
    const release = this.#release;
    this.#sse = undefined;
    this.#release = undefined;
    release?.();
  }

  /** Writes a message to the client; resolves when there is room for the next. */
  async write(message: JSONRPCMessage): Promise<void> {
    const data = JSON.stringify(message);
    const place = this.#placeOf(message);
    const { receipt } = this;
    const onSent = receipt !== undefined && isCompletedResponse(message, receipt) ? () => receipt.sent() : undefined;
    if (onSent !== undefined) receipt?.sending();
    if (this.kind !== "journal" && place !== undefined) this.#keep({ place: place.place, data, onSent });
    this.#onFirst?.();
    if (this.#sse === undefined || !this.isNamed) return;
    await this.#sse.write({ id: place && this.#idOf(place), data, onSent });
  }

  /** A message about a journal's event stands at its seq; one about nothing in the journal moves no cursor. */
  #placeOf(message: JSONRPCMessage): Place | undefined {
    const isJournal = this.kind === "journal";
    const place = isJournal ? readMeta(message, metaKeys.seq) : this.place + 1;
    if (typeof place !== "number") return undefined;
    this.place = Math.max(place, this.place);
    // A question stands at the event that asked it, which may be before what received since: no cursor goes back.
    const progress = isJournal ? (progressOf(message) ?? this.#shown.progress) : undefined;
    this.#shown = { place: Math.max(place, this.#shown.place), progress };
    return this.#shown;
  }

  #idOf({ place, progress }: Place): string {
    return formatEventId({ stream: this.name, place, progress });
  }

  #keep(event: SentEvent): void {
    const { maxReplayEvents, maxReplayBytes } = this.#limits;
    this.#kept ??= [];
    this.#kept.push(event);
    this.#keptBytes += event.data.length;
    while (this.#kept.length > 1 && (this.#kept.length > maxReplayEvents || this.#keptBytes > maxReplayBytes)) {
      this.#keptBytes -= this.#kept.shift()?.data.length ?? 0;
    }
  }
}

/** What is known of a request from its beginning, or by the name of its stream. */
export interface InFlightFacts {
  readonly acceptedMs: number;
  readonly name?: string;
  readonly place?: number;
  /** Makes the name, where it has none yet. */
  readonly nameNow?: () => string;
}

/** One request of a client and the stream of its answer. */
export class InFlightRequest extends SessionStream {
  readonly callId: string;
  #request: JSONRPCRequest;
  #nameNow: (() => string) | undefined;
  #onBegun: () => void = () => {};
  /** Resolves when the stream has its name, or when nothing will be written: before, its client could not come back to it. */
  readonly begun = new Promise<void>((resolve) => {
    this.#onBegun = resolve;
  });
  /** Ends the present delivery; `undefined` while the request is not being carried out. */
  running: EndingController | undefined;
  /** The client that the session had named, where the request names none. */
  sessionClientId: string | undefined;
  /** The task whose journal the stream shows, once it is durable. */
  taskId: string | undefined;
  /** When it came, in milliseconds of the wall clock. */
  readonly acceptedMs: number;
  /** The place at which the client came back last: what was shown up to there is not shown again at once. */
  resumedAt = 0;
  /** It has no task: its response alone is answered with JSON. */
  isPlain = false;
  /** It has its response. */
  finished = false;
  /** The response, until it was written. */
  response: JSONRPCMessage | undefined;

  constructor(
    callId: string,
    request: JSONRPCRequest,
    kind: Repeatable,
    limits: SessionLimits,
    { name, place, nameNow, acceptedMs }: InFlightFacts,
  ) {
    super(name ?? bareName(kind, callId), kind, limits, place);
    this.callId = callId;
    this.acceptedMs = acceptedMs;
    this.#request = request;
    this.#nameNow = nameNow;
  }

  override get isNamed(): boolean {
    return this.#nameNow === undefined;
  }

  /** Its stream has its name from now on, and the present response begins. */
  override begin(): void {
    if (this.#nameNow !== undefined) this.name = this.#nameNow();
    this.#nameNow = undefined;
    super.begin();
    this.#onBegun();
  }

  /** It is known to belong to a task, which is durable. */
  beginTask(taskId: string): void {
    if (!this.isNamed) {
      this.taskId = taskId;
      this.kind = "journal";
    }
    this.begin();
  }

  override write(message: JSONRPCMessage): Promise<void> {
    // It has no task, and so no journal: a refusal is kept as other answers are.
    if (!this.isNamed && this.kind === "journal") this.kind = "once";
    // A response may be all that is said, which needs no name.
    if (!this.isPlain || this.place > 0 || "method" in message) this.begin();
    return super.write(message);
  }

  override end(retryMs: number): void {
    this.begin();
    super.end(retryMs);
  }

  /** Nothing of it will be written by the delivery that was. */
  giveUp(): void {
    this.#onBegun();
  }

  /** Of a finished call: with what is kept of its params. */
  get request(): JSONRPCRequest {
    return this.#request;
  }

  /** A finished call is known for long after its end, and never made again: what it was made with need not be. */
  keepLittle(): void {
    this.#request = { ...this.#request, params: callerParams(this.#request.params) };
  }

  /** It is being answered, or a response carries it. */
  get active(): boolean {
    return !this.finished && (this.running !== undefined || this.isCarried);
  }

  /** It may take as long as a task does. */
  get isCall(): boolean {
    return isCall(this.request);
  }
}

/** Tells whether a request may take as long as a task does. Pure. */
export function isCall({ method }: JSONRPCRequest): boolean {
  return method === "tools/call" || method === "tasks/result";
}

function progressOf(message: JSONRPCMessage): number | undefined {
  if (!("method" in message) || message.method !== "notifications/progress") return undefined;
  const progress = message.params?.progress;
  return typeof progress === "number" ? progress : undefined;
}

/** Reads a key of a message's `_meta`, wherever that kind of message has it. */
export function readMeta(message: JSONRPCMessage, key: string): unknown {
  const body = "result" in message ? message.result : "params" in message ? message.params : undefined;
  const meta: unknown = isJsonObject(body) ? Reflect.get(body, "_meta") : undefined;
  return isJsonObject(meta) ? meta[key] : undefined;
}
