import type { IncomingMessage, ServerResponse } from "node:http";
import { type Ending, EndingController } from "../call/ending.js";
import { limits, sessionLimits } from "../limits.js";
import { endOfTurn } from "./end-of-turn.js";
import { HttpAnswer, type TakenText, type TextSource } from "./http-answer.js";
import { BodyTaken, type HttpRequest, ofWebRequest, type RequestContext, saysMoreThan } from "./http-request.js";

/** Serves an endpoint. */
export interface HttpHandler<Context = RequestContext> {
  /** Answers one request. */
  fetch(request: Request, context?: Context): Promise<Response>;
  /** The same without Web-standard requests and answers. */
  answer(request: HttpRequest, context?: Context): Promise<HttpAnswer>;
  /** The same as a listener for `http.createServer`. */
  readonly node: NodeListener;
  /** Ends all streams, so that their clients come back later, and writes down what is not written yet. */
  close(): Promise<void>;
}

/** A listener for `http.createServer`. */
export type NodeListener = (request: IncomingMessage, response: ServerResponse) => void;

/** What a request does not say of its connection. */
export interface RemotePeer {
  /** Where it comes from; `undefined` once it is closed. */
  readonly remoteAddress: string | undefined;
}

type Fetch = (request: Request, connection: RemotePeer) => Promise<Response>;
type AnswerHttp = (request: HttpRequest, connection: RemotePeer) => Promise<HttpAnswer>;

/**
 * Makes a Node listener of a Web-standard handler. The end of the connection aborts the request and cancels the
 * answer's body.
 */
export function nodeListener(fetch: Fetch): NodeListener {
  return toListener(async (request, connection) => HttpAnswer.ofWeb(await fetch(request.toWeb(), connection)));
}

/** The same without Web-standard requests and answers, which cost more than all else that is done with a small call. */
export function toListener(answer: AnswerHttp): NodeListener {
  const listen = async (incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> => {
    try {
      const request = NodeRequest.of(incoming, outgoing);
      if (request === undefined) {
        outgoing.writeHead(400).end();
        return;
      }
      await sendAnswer(await answer(request, { remoteAddress: incoming.socket.remoteAddress }), outgoing);
      await request.discardRest();
    } catch {
      outgoing.destroy();
    }
  };
  return listen;
}

/** Makes a handler of its `answer`: by Web-standard requests and as a Node listener, too. */
export function toHandler<Context>(
  answer: (request: HttpRequest, context?: Context) => Promise<HttpAnswer>,
  close: () => Promise<void>,
): HttpHandler<Context> {
  return {
    answer,
    fetch: async (request, context) => (await answer(ofWebRequest(request), context)).toWeb(),
    node: toListener((request) => answer(request)),
    close,
  };
}

/** A request that came by Node. */
export class NodeRequest implements HttpRequest {
  readonly method: string;
  readonly url: URL;
  readonly #incoming: IncomingMessage;
  readonly #outgoing: ServerResponse;
  #web: Request | undefined;
  #gone: EndingController | undefined;

  private constructor(incoming: IncomingMessage, outgoing: ServerResponse, url: URL) {
    this.method = incoming.method ?? "GET";
    this.url = url;
    this.#incoming = incoming;
    this.#outgoing = outgoing;
  }

  /** `undefined` when the address is none. */
  static of(incoming: IncomingMessage, outgoing: ServerResponse): NodeRequest | undefined {
    try {
      // Express takes the path by which a handler is mounted out of `url`.
      const { originalUrl: target }: IncomingMessage & { readonly originalUrl?: unknown } = incoming;
      const url = addressOf(
        typeof target === "string" ? target : (incoming.url ?? "/"),
        incoming.headers.host ?? "localhost",
      );
      // No Web-standard request may carry these in its address.
      const isAddress = url !== undefined && url.username === "" && url.password === "";
      return isAddress ? new NodeRequest(incoming, outgoing, url) : undefined;
    } catch {
      return undefined;
    }
  }

  get headers(): HttpRequest["headers"] {
    return this.#incoming.headers;
  }

  get ending(): Ending {
    if (this.#gone === undefined) {
      const gone = new EndingController();
      const outgoing = this.#outgoing;
      outgoing.once("close", () => {
        if (!outgoing.writableFinished) gone.end("The connection was closed.");
      });
      this.#gone = gone;
    }
    return this.#gone;
  }

  header(name: string): string | undefined {
    const value = this.#incoming.headers[name];
    return Array.isArray(value) ? value.join(", ") : value;
  }

  async text(maxBytes: number): Promise<string | undefined> {
    if (saysMoreThan(maxBytes, this.header("content-length"))) return undefined;
    if (this.#incoming.readableDidRead) return parsedText(this.#incoming, maxBytes);
    const chunks = await readChunks(this.#incoming, maxBytes);
    if (chunks === undefined) return undefined;
    const [first, ...more] = chunks;
    const text = (first === undefined || more.length > 0 ? Buffer.concat(chunks) : first).toString();
    // A byte order mark is not part of the text.
    return text.startsWith("\uFEFF") ? text.slice(1) : text;
  }

  toWeb(): Request {
    this.#web ??= webRequest(this, this.#incoming);
    return this.#web;
  }

  /** What was not read of a request stands before the next one on the same connection. */
  async discardRest(): Promise<void> {
    const incoming = this.#incoming;
    if (this.#web?.body?.locked === true || incoming.readableEnded || incoming.destroyed) return;
    let bytes = 0;
    for await (const chunk of incoming) {
      bytes += chunk.byteLength;
      if (bytes > limits.maxDiscardBytes) return;
    }
  }
}

/**
 * The address of a request. A target that names a host must name that of the header `Host`, which is what is checked;
 * `undefined` when it names another one. Source: RFC 9112, section 3.2.
 */
function addressOf(target: string, host: string): URL | undefined {
  const base = `http://${host}`;
  // Read as one text, it costs half, and nothing in a plain name can be read as more than that.
  if (/^\/(?!\/)/.test(target) && /^[\w.:[\]-]+$/.test(host)) return new URL(base + target);
  const url = new URL(target, base);
  const namesHost = !target.startsWith("/") || target.startsWith("//");
  return namesHost && url.host !== new URL(base).host ? undefined : url;
}

/** The body that a parser in front has read, as Express and others keep it: as text again, whose limits hold for all. */
function parsedText(incoming: IncomingMessage, maxBytes: number): string | undefined {
  const body: unknown = Reflect.get(incoming, "body");
  if (body === undefined) throw new BodyTaken();
  if (typeof body === "string" || Buffer.isBuffer(body)) return withinBytes(body.toString(), maxBytes);
  try {
    return withinBytes(JSON.stringify(body), maxBytes);
  } catch {
    // It nests too deeply to be written.
    return undefined;
  }
}

function withinBytes(text: string, maxBytes: number): string | undefined {
  return Buffer.byteLength(text) > maxBytes ? undefined : text;
}

/** Reads to the end, once; `undefined` when there is more than allowed, whose rest is left where it is. */
function readChunks(incoming: IncomingMessage, maxBytes: number): Promise<Buffer[] | undefined> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  return new Promise((resolve, reject) => {
    const onClose = () => reject(new Error("The connection was closed before the whole body had come."));
    // Nothing would be heard of it any more.
    if (incoming.destroyed || incoming.readableEnded) return onClose();
    const onEnd = () => {
      incoming.off("close", onClose);
      resolve(chunks);
    };
    const onData = (chunk: Buffer) => {
      bytes += chunk.byteLength;
      chunks.push(chunk);
      if (bytes <= maxBytes) return;
      incoming.pause().off("data", onData).off("close", onClose);
      resolve(undefined);
    };
    incoming.on("data", onData).on("end", onEnd).on("error", reject).on("close", onClose);
  });
}

/** The end of the connection aborts the request. A body that was read already is left out. */
function webRequest({ method, url, ending }: NodeRequest, incoming: IncomingMessage): Request {
  const headers = new Headers();
  for (const [name, value] of Object.entries(incoming.headers)) {
    for (const one of Array.isArray(value) ? value : [value ?? ""])
      if (!name.startsWith(":")) headers.append(name, one);
  }
  const init = { method, headers, signal: ending.signal };
  if (method === "GET" || method === "HEAD" || incoming.readableEnded) return new Request(url, init);
  // It reads only when it is read.
  return new Request(url, { ...init, body: ReadableStream.from<Uint8Array>(incoming), duplex: "half" });
}

/** Sends an answer by Node. Resolves when its last byte was handed on, or its reader left. */
async function sendAnswer(answer: HttpAnswer, outgoing: ServerResponse): Promise<void> {
  const { status, headers, body, onSent } = answer;
  // What is ready in one turn goes out together: each answer wakes a client, which takes the processor from the others.
  if (typeof body !== "object") await endOfTurn();
  // No event says that a reader left before, and what is written would reach no one.
  if (outgoing.destroyed) return typeof body === "object" ? body.cancel() : undefined;
  if (typeof body === "object") return sendSource(answer, body, outgoing);
  outgoing.writeHead(status, body === undefined ? headers : withLength(headers, body));
  end(outgoing, { text: body ?? "", onSent });
}

/** The length lets head and body go out as one, and tells the client where the answer ends. */
function withLength(headers: Record<string, string>, text: string | Uint8Array) {
  // In this order: what is added to an object that others were spread into costs twenty times as much.
  return { "content-length": Buffer.byteLength(text), ...headers };
}

function end(outgoing: ServerResponse, { text, onSent }: TakenText): void {
  if (onSent !== undefined) outgoing.write(text, whenAccepted(outgoing, onSent));
  outgoing.end(onSent === undefined ? text : undefined);
  if (outgoing.writableLength > 0) limitStall(outgoing);
}

/** Lets Node close the connection of a client that takes nothing of what is on its way to it for `maxStallMs`. */
function limitStall(outgoing: ServerResponse): void {
  outgoing.setTimeout(sessionLimits.maxStallMs);
}

/** Calls when the kernel took the bytes of a connection that is still open: the client may have left before. */
function whenAccepted(outgoing: ServerResponse, onSent: () => void): (error?: Error | null) => void {
  return (error) => {
    if (error == null && !outgoing.destroyed) onSent();
  };
}

/** Handed to the connection at a time, at least, where there is more. */
const chunkBytes = 64 * 1024;

/**
 * What is written in one turn of the event loop goes out in one packet: most answers are there at once. Clients wait for
 * the head of a stream before its first event may come, so it goes with the first turn.
 */
function sendSource({ status, headers }: HttpAnswer, source: TextSource, outgoing: ServerResponse): Promise<void> {
  return new Promise((resolve, reject) => {
    let isWaiting = false;
    const leave = () => {
      source.cancel();
      resolve();
    };
    const flush = () => {
      isWaiting = false;
      if (outgoing.destroyed) return leave();
      try {
        const taken = source.take(chunkBytes);
        const { text, onSent } = taken;
        const { ended } = source;
        if (!outgoing.headersSent) {
          outgoing.writeHead(status, ended ? withLength(headers, text) : headers);
          if (text.length === 0) outgoing.flushHeaders();
        }
        if (ended) return end(outgoing, taken);
        if (text.length === 0) return;
        if (outgoing.write(text, onSent && whenAccepted(outgoing, onSent))) return afterTurn();
        isWaiting = true;
        const usualMs = outgoing.socket?.timeout ?? 0;
        limitStall(outgoing);
        outgoing.once("drain", () => {
          outgoing.setTimeout(usualMs);
          flush();
        });
      } catch (error) {
        source.cancel();
        reject(error);
      }
    };
    const afterTurn = () => {
      if (!isWaiting) setImmediate(flush);
      isWaiting = true;
    };
    source.follow(afterTurn);
    outgoing.once("close", leave);
    afterTurn();
  });
}
