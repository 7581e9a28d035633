import type { DrawnRequest } from "./draw-request.js";
import { judgeAnswer, judgeCount, methodOf, requestIdOf } from "./judge-answer.js";
import { RawConnection, type RawResponse } from "./raw-connection.js";
import type { Caller } from "./traffic/pools.js";

/** What the answers of a run are judged by, over all lanes. */
export interface Judgement {
  /** Takes what is wrong. */
  readonly find: (request: DrawnRequest, what: string) => void;
  /** Counts how requests ended. */
  readonly count: (outcome: string) => void;
  /** Requests that their own client took back, by `placesOf`: they need no answer. */
  readonly cancelled: Set<string>;
  /** Whether callers are kept apart: without tokens all of them are users of this machine, whatever names they use. */
  readonly isolated: boolean;
  /** Sessions that a client ended which may do so, by `placesOf`. */
  readonly deleted: Set<string>;
}

/** How long the server may take for the head of an answer. Not a matter of speed: beyond it there is none. */
const headLimitMs = 60_000;
/** How long a lane waits for the end of an answer, until it sends the next message. */
const defaultPatienceMs = 300;
const [maxOpenStreams, maxOpenAnswers] = [3, 12];

interface OpenAnswer {
  readonly request: DrawnRequest;
  readonly response: RawResponse;
  readonly connection: RawConnection;
}

/** Sends the messages of one caller, one after the other; long answers stay open meanwhile. */
export class HttpLane {
  readonly #port: number;
  readonly #judgement: Judgement;
  readonly #patienceMs: number;
  #connection: RawConnection | undefined;
  readonly #streams: OpenAnswer[] = [];
  readonly #open: OpenAnswer[] = [];

  constructor(port: number, judgement: Judgement, patienceMs = defaultPatienceMs) {
    this.#port = port;
    this.#judgement = judgement;
    this.#patienceMs = patienceMs;
  }

  /** Sends one message, and judges what comes. */
  async send(request: DrawnRequest): Promise<void> {
    this.#note(request);
    const { leaves } = request.delivery;
    const { connection, response, isNew } = this.#begin(request);
    if (leaves === "before the end" || leaves === "at once") {
      await new Promise((resolve) => setImmediate(resolve));
      connection.leave();
      return this.#judgement.count("left without waiting");
    }
    if (!request.exact) connection.endSending();
    if (await response.until(() => response.head !== undefined, headLimitMs))
      return this.#headCame(request, response, connection);
    // The server may have closed the connection while the request was on its way: clients send it again.
    if (response.over && !isNew && response.nonsense === undefined) return this.send(request);
    connection.leave();
    this.#judge(request, response);
    if (!response.over) return this.#judgement.find(request, "there is neither an answer nor an end");
    if (request.exact) return this.#judgement.find(request, "the connection was closed without an answer");
    this.#judgement.count("closed");
  }

  /** Waits until all requests are answered that have to be. */
  async drain(limitMs: number): Promise<void> {
    for (const open of this.#open) {
      await open.response.until(() => open.response.complete, limitMs);
      if (!open.response.over) this.#judgement.find(open.request, "there is no answer after all tasks have ended");
      this.#done(open);
    }
    for (const open of this.#streams) this.#done(open);
    this.#connection?.leave();
  }

  #note(request: DrawnRequest): void {
    const { cancelled, deleted } = this.#judgement;
    const { body, method } = request;
    if (/^DELETE /i.test(headOf(request))) for (const place of this.#placesOf(request)) deleted.add(place);
    if (method !== "POST" || methodOf(body) !== "notifications/cancelled") return;
    const { params } = JSON.parse(body.replace(/^\uFEFF/, ""));
    for (const place of this.#placesOf(request, params?.requestId)) cancelled.add(place);
  }

  /** Where a request belongs, or one of the same sessions with the given id, which its own caller alone may cancel. */
  #placesOf(request: DrawnRequest, ...id: readonly unknown[]): readonly string[] {
    const caller = this.#judgement.isolated ? request.caller.number : "any";
    // What is not an id may nest deeper than `JSON.stringify` goes.
    const named = id.filter((one) => typeof one === "string" || typeof one === "number");
    return sessionsOf(request).map((session) => JSON.stringify([caller, session, ...named]));
  }

  #begin({ delivery, method, exact }: DrawnRequest) {
    const { pieces, pipelined, onNewConnection, leaves } = delivery;
    const isNew = onNewConnection || !exact || leaves !== "never" || this.#connection?.isFree !== true;
    const connection = isNew
      ? new RawConnection(this.#port, !exact)
      : (this.#connection ?? new RawConnection(this.#port));
    if (isNew && exact && !onNewConnection && leaves === "never") {
      this.#connection?.leave();
      this.#connection = connection;
    }
    const isHead = method.toUpperCase() === "HEAD";
    const [first, second] = connection.send(pieces, pipelined ? [false, isHead] : [isHead]);
    return { connection, response: second ?? first ?? neverSent(), isNew };
  }

  async #headCame(request: DrawnRequest, response: RawResponse, connection: RawConnection): Promise<void> {
    const open = { request, response, connection };
    const method = methodOf(request.body);
    const isEndless = request.method === "GET" || method === "subscriptions/listen";
    this.#judgement.count(`status ${response.head?.status}`);
    if (request.delivery.leaves === "after the head") return this.#done(open);
    if (await response.until(() => response.complete, isEndless ? 0 : this.#patienceMs)) return this.#done(open);
    if (response.over) return this.#done(open);
    if (this.#connection === connection) this.#connection = undefined;
    if (isEndless || requestIdOf(request.body) === undefined) this.#keep(open, this.#streams, maxOpenStreams);
    else this.#keep(open, this.#open, maxOpenAnswers);
  }

  /** Keeps an answer open; those that have ended are judged, and of too many the oldest are left. */
  #keep(open: OpenAnswer, list: OpenAnswer[], max: number): void {
    const all = [...list, open];
    const underWay = all.filter(({ response }) => !response.over);
    const kept = underWay.slice(-max);
    list.splice(0, list.length, ...kept);
    for (const one of all) if (!kept.includes(one)) this.#done(one);
  }

  /** Judges an answer of which nothing more is waited for. */
  #done({ request, response, connection }: OpenAnswer): void {
    this.#judge(request, response);
    learn(request.caller, request, response);
    if (response.complete && connection === this.#connection) return;
    if (!response.complete) this.#judgement.count("left while it was answered");
    connection.leave();
  }

  #judge(request: DrawnRequest, response: RawResponse): void {
    const { cancelled, deleted, find, isolated } = this.#judgement;
    const wrong =
      judgeAnswer(request, response, isolated) ?? (request.exact ? judgeCount(request, response) : undefined);
    if (wrong === undefined) return;
    const id = requestIdOf(request.body);
    const isTakenBack =
      this.#placesOf(request, id).some((place) => cancelled.has(place)) ||
      this.#placesOf(request).some((place) => deleted.has(place));
    if (isTakenBack && wrong.startsWith("the stream ended")) return;
    find(request, wrong);
  }
}

function neverSent(): never {
  throw new Error("Each request has an response.");
}

function headOf({ bytes, body }: DrawnRequest): string {
  return bytes.toString("latin1", 0, Math.max(0, bytes.length - Buffer.byteLength(body)));
}

/** The sessions that the head of a request names; an empty one where there is none. */
function sessionsOf(request: DrawnRequest): readonly [string, ...string[]] {
  const [first = "", ...more] = [...headOf(request).matchAll(/^mcp-session-id: ?(\S*)\r$/gim)].map(
    ([, session = ""]) => session,
  );
  return [first, ...more];
}

/** Remembers what an answer names. */
function learn({ known }: Caller, request: DrawnRequest, { head, text }: RawResponse): void {
  const session = head?.headers.get("mcp-session-id");
  const method = methodOf(request.body);
  const [own] = sessionsOf(request);
  if (session !== undefined && method === "initialize") known.sessions.add(session);
  if (head?.status === 404 || (request.method === "DELETE" && head?.status === 200)) known.sessions.remove(own);
  const id = requestIdOf(request.body);
  if (id !== undefined) known.requestIds.add(id);
  if (head?.status === 200)
    known.learn(
      text,
      own === "" ? undefined : own,
      id === undefined ? undefined : JSON.parse(request.body.replace(/^\uFEFF/, "")),
    );
}
