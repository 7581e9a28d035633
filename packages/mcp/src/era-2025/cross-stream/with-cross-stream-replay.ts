import { isJsonObject, isResumableError } from "@resumable-mcp/core";
import type { Documents } from "@resumable-mcp/core/store";
import { HttpAnswer, type TextSource } from "../../http/http-answer.js";
import type { HttpRequest, RequestContext } from "../../http/http-request.js";
import { type HttpHandler, toHandler } from "../../http/node-listener.js";
import { SseStream } from "../../http/sse-stream.js";
import { limits } from "../../limits.js";
import { type Cursor, formatEventId, parseEventId } from "../session/event-id.js";
import { KeptDocument } from "../session/kept-document.js";
import { eventStreamHeaders } from "../session/session-answers.js";
import { streamOrderKind } from "../session/session-document.js";
import {
  mergedSource,
  openCursors,
  orders,
  type StreamOrder,
  sentUpTo,
  watchedSource,
  withEvent,
} from "./stream-order.js";

type StreamLog = KeptDocument<StreamOrder>;

/** What the replay across streams needs next to the handler. */
export interface CrossStreamOptions {
  /** Those of the engine. */
  readonly documents: Documents;
  /** Hears of an order of streams that could not be written: a client may get some events twice. */
  readonly onError?: (error: unknown) => void;
}

/** The stream of `initialize`, which has one event: its response. */
const opening: Cursor = { stream: "open", place: 1 };

/**
 * Lets a client come back from an event of any stream of its session and get all that came after it on all streams.
 *
 * The specification forbids that: a client whose other streams are open gets their events twice. Each stream is resumed
 * by the handler as it always is; what is added is their order, and an event id on the response to `initialize`.
 *
 * Durability: the order is one more document of the store for each session, and one more write for each call.
 * Source: MCP 2025-11-25, Transports, "Resumability and Redelivery" (what this does not comply with).
 */
export function withCrossStreamReplay(handler: HttpHandler, options: CrossStreamOptions): HttpHandler {
  const streams = new SessionStreams(handler, options);
  const answer: HttpHandler["answer"] = async (request, context) => {
    const sessionId = request.header("mcp-session-id");
    const cursor = request.method === "GET" ? parseEventId(request.header("last-event-id") ?? "") : undefined;
    if (sessionId !== undefined && cursor !== undefined) return streams.resume(request, context, sessionId, cursor);
    const given = await handler.answer(
      request,
      sessionId === undefined ? context : streams.hearing(context, sessionId),
    );
    if (given.status !== 200) return given;
    if (request.method === "DELETE" && sessionId !== undefined) await streams.forget(sessionId);
    const named = given.headers["mcp-session-id"];
    if (named === undefined) return given;
    return sessionId === undefined ? streams.open(given, named) : streams.pass(given, named);
  };
  return toHandler(answer, async () => {
    await handler.close();
    await streams.close();
  });
}

/** The streams of a handler's sessions, and in which order they sent their events. */
class SessionStreams {
  readonly #handler: HttpHandler;
  readonly #documents: Documents;
  readonly #onError: (error: unknown) => void;
  readonly #logs = new Map<string, Promise<StreamLog>>();

  constructor(handler: HttpHandler, { documents, onError = () => {} }: CrossStreamOptions) {
    this.#handler = handler;
    this.#documents = documents;
    this.#onError = onError;
  }

  /** Makes the response to `initialize` an event with an id. */
  async open(answer: HttpAnswer, sessionId: string): Promise<HttpAnswer> {
    const log = await this.#logOf(sessionId);
    this.#note(log, opening, true);
    await this.#save(log);
    const id = formatEventId(opening);
    const event = `event: message\nid: ${id}\ndata: ${String(answer.body)}\n\n`;
    return new HttpAnswer(answer.status, eventStreamHeaders(sessionId), event);
  }

  /** A call whose client saw nothing of it may have a task when this process dies: its stream is noted before. */
  hearing(context: RequestContext | undefined, sessionId: string): RequestContext {
    return {
      ...context,
      beforeCall: async (stream) => {
        const log = await this.#logOf(sessionId);
        this.#note(log, { stream, place: 0 }, false);
        await this.#save(log);
      },
    };
  }

  /** Notes the events of an answer that is a stream. Durability: its name is in the store before its first byte goes out. */
  async pass(answer: HttpAnswer, sessionId: string): Promise<HttpAnswer> {
    const { status, headers, body } = answer;
    if (!isSource(body)) return answer;
    const log = await this.#logOf(sessionId);
    const source = this.#watched(body, log);
    await this.#save(log);
    return new HttpAnswer(status, headers, source);
  }

  /**
   * Answers with all that came behind an event, on all streams. From an event of a call, or of `initialize`, this ends with the
   * last response.
   */
  async resume(
    request: HttpRequest,
    context: RequestContext | undefined,
    sessionId: string,
    cursor: Cursor,
  ): Promise<HttpAnswer> {
    const resumed = (from: Cursor | undefined) => this.#handler.answer(behind(request, from), context);
    const { marks } = (await this.#logOf(sessionId)).value;
    const sent = sentUpTo(marks, cursor);
    const isKnown = marks.some(({ stream }) => stream === cursor.stream);
    const cursors = withOwn(openCursors(marks, sent), cursor, isKnown);
    const standalone = isStandalone(cursor) ? cursor : cursors.findLast(isStandalone);
    // Whose session it is, and whether there is one, the handler says.
    const first = await resumed(standalone);
    if (first.status !== 200 || !isSource(first.body)) return first;
    const sources: TextSource[] = [first.body];
    for (const one of cursors.filter((other) => !isStandalone(other))) {
      const { status, body } = await resumed(one);
      if (status === 200 && isSource(body)) sources.push(body);
    }
    const log = await this.#logOf(sessionId);
    log.note(() => ({ marks: sent }), limits.saveMarksAfterMs);
    const all = sources.map((source) => this.#watched(source, log));
    await this.#save(log);
    const calls = all.slice(1);
    const awaited = isStandalone(cursor) || calls.length === 0 ? all : calls;
    return new HttpAnswer(200, first.headers, mergedSource(all, awaited));
  }

  async forget(sessionId: string): Promise<void> {
    this.#logs.delete(sessionId);
    await this.#documents.deleteDocument(streamOrderKind, sessionId);
  }

  async close(): Promise<void> {
    const logs = await Promise.all(this.#logs.values());
    await Promise.all(logs.map((log) => log.flush().catch(this.#onError)));
  }

  #logOf(sessionId: string): Promise<StreamLog> {
    const log = this.#logs.get(sessionId) ?? this.#open(sessionId);
    this.#logs.delete(sessionId);
    this.#logs.set(sessionId, log);
    log.catch(() => this.#logs.delete(sessionId));
    for (const oldest of this.#logs.keys()) {
      if (this.#logs.size <= limits.maxStreamLogs) break;
      this.#logs.delete(oldest);
    }
    return log;
  }

  async #open(id: string): Promise<StreamLog> {
    const known = await KeptDocument.open(orders, this.#documents, id);
    const empty = { value: { marks: [] }, version: 0 };
    return known ?? new KeptDocument(orders, this.#documents, { id, owner: "cross-stream" }, empty);
  }

  #note(log: StreamLog, cursor: Cursor, ended: boolean): void {
    const last = log.value.marks.at(-1);
    if (!ended && last?.stream === cursor.stream && last.from <= cursor.place && cursor.place <= last.to) return;
    const add = ({ marks }: StreamOrder) => ({ marks: withEvent(marks, cursor, ended, limits.maxStreamMarks) });
    log.note(add, limits.saveMarksAfterMs, this.#onError);
  }

  /** Durability: resolves when all that was noted is in the store. What is deleted meanwhile is read again next time. */
  async #save(log: StreamLog): Promise<void> {
    try {
      await log.flush();
    } catch (error) {
      if (!isResumableError(error, "DOCUMENT_CONFLICT")) throw error;
      this.#logs.delete(log.id);
    }
  }

  #watched(source: TextSource, log: StreamLog): TextSource {
    let last = cursorOf(source);
    if (last !== undefined) this.#note(log, last, false);
    return watchedSource(source, (event) => {
      last = parseEventId(fieldOf(event, "id") ?? "") ?? last;
      if (last !== undefined) this.#note(log, last, isResponse(fieldOf(event, "data")));
    });
  }
}

function isStandalone({ stream }: Cursor): boolean {
  return stream.startsWith("all_");
}

/**
 * The client's own stream continues behind its event, which may not have been written down; it is resumed also where the
 * replay was switched on after the stream began.
 */
function withOwn(cursors: readonly Cursor[], cursor: Cursor, isKnown: boolean): readonly Cursor[] {
  const others = cursors.filter(({ stream }) => stream !== opening.stream && stream !== cursor.stream);
  const hasEnded = isKnown && !cursors.some(({ stream }) => stream === cursor.stream);
  return hasEnded || cursor.stream === opening.stream ? others : [...others, cursor];
}

/** The same request for what came behind another event, or for the standalone stream from now on. */
function behind(request: HttpRequest, cursor: Cursor | undefined): HttpRequest {
  const id = cursor === undefined ? undefined : formatEventId(cursor);
  const { method, url, headers } = request;
  return {
    method,
    url,
    headers,
    get ending() {
      return request.ending;
    },
    header: (name) => (name === "last-event-id" ? id : request.header(name)),
    text: (maxBytes) => request.text(maxBytes),
    toWeb: () => request.toWeb(),
  };
}

function isSource(body: HttpAnswer["body"]): body is TextSource {
  return typeof body === "object";
}

/** Before its first event, which older clients wait for, only the stream itself says what it carries. */
function cursorOf(source: TextSource): Cursor | undefined {
  const stream = source instanceof SseStream ? source.carries : undefined;
  return stream === undefined ? undefined : { stream, place: 0 };
}

function fieldOf(event: string, name: string): string | undefined {
  return event
    .split("\n")
    .find((line) => line.startsWith(`${name}: `))
    ?.slice(name.length + 2);
}

function isResponse(data: string | undefined): boolean {
  if (data === undefined || data === "") return false;
  const message: unknown = JSON.parse(data);
  return isJsonObject(message) && !("method" in message);
}
