import { setTimeout as pause } from "node:timers/promises";
import { isJsonObject, type JsonObject } from "@resumable-mcp/core";
import type { CallerHeaders } from "@resumable-mcp/mcp/define-server";
import { parseJson } from "@resumable-mcp/protocol";
import { EventSourceParserStream } from "eventsource-parser/stream";
import { wrapLimits } from "../limits.js";
import { NeverSent, patientFetch } from "./patient-fetch.js";
import type { OpenWire, Wire, WireListener } from "./peer.js";

/** A server that is reached by HTTP. */
export interface ServerUrl {
  readonly url: string;
  /** Sent with every request, such as `authorization`. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** Talks to a server over HTTP, with the sign-in that this machine's user has there, unless `authorization` is given. Source: MCP 2025-11-25 and 2026-07-28, Transports, "Streamable HTTP". */
export function connectHttp(server: ServerUrl): OpenWire {
  return (listener) => new HttpWire(server, listener);
}

/** What a response answers, and how it is read on where it breaks off. */
interface ReadOptions {
  readonly id?: JsonObject[string];
  readonly isAlone?: boolean;
  readonly passed?: CallerHeaders;
  readonly signal: AbortSignal;
}

class HttpWire implements Wire {
  readonly #server: ServerUrl;
  readonly #listener: WireListener;
  readonly #ended = new AbortController();
  /** Messages that are on their way, or whose answer is. Each has a signal of its own: one for all would have a listener of each. */
  readonly #underWay = new Set<AbortController>();
  /** Requests without a session: the end of its connection cancels each. */
  readonly #alone = new Map<unknown, AbortController>();
  #send: Promise<typeof fetch> | undefined;
  #session: string | undefined;
  #version: string | undefined;

  constructor(server: ServerUrl, listener: WireListener) {
    this.#server = server;
    this.#listener = listener;
  }

  get over(): string | undefined {
    const { aborted, reason } = this.#ended.signal;
    return aborted ? String(reason.message) : undefined;
  }

  get hasSession(): boolean {
    return this.#session !== undefined;
  }

  send(message: JsonObject, headers?: Readonly<Record<string, string>>, passed: CallerHeaders = {}): void {
    const { method, params } = message;
    const cancelled = method === "notifications/cancelled" ? Object(params).requestId : undefined;
    const alone = this.#alone.get(cancelled);
    if (alone === undefined) void this.#post(message, headers, passed);
    else alone.abort();
  }

  async close(): Promise<void> {
    if (this.#ended.signal.aborted) return;
    // The server need not keep the session; that it does not answer changes nothing.
    if (this.#session !== undefined)
      await this.#fetch({ method: "DELETE", signal: AbortSignal.timeout(wrapLimits.stopMs) }).catch(() => {});
    this.#end("The connection was closed.");
  }

  async #post(message: JsonObject, headers: CallerHeaders | undefined, passed: CallerHeaders): Promise<void> {
    const { id, method } = message;
    const isRequest = id !== undefined && method !== undefined;
    const isAlone = headers !== undefined;
    const left = new AbortController();
    const { signal } = left;
    if (isAlone) this.#alone.set(id, left);
    if (this.#ended.signal.aborted) left.abort(this.#ended.signal.reason);
    else this.#underWay.add(left);
    try {
      const response = await this.#fetch({
        method: "POST",
        body: JSON.stringify(message),
        headers: { ...passed, ...headers },
        signal,
      });
      if (method === "initialize") this.#session = response.headers.get("mcp-session-id") ?? undefined;
      if (!response.ok) return await this.#refused(response, isRequest ? id : undefined);
      if (!isRequest) return void response.body?.cancel();
      const answered = await this.#read(response, { id, isAlone, passed, signal });
      if (method === "initialize" && answered) void this.#listen();
      if (!answered) this.#listener.lost(id, "The server's answer broke off.", {});
    } catch (error) {
      const notSent = error instanceof NeverSent || isSignInOver(error);
      const why = this.over ?? sentenceOf(error);
      if (isRequest) this.#listener.lost(id, why, { notSent });
      // The next connection is opened with pauses, for as long as a call may wait.
      if (notSent) this.#end(why);
    } finally {
      this.#alone.delete(id);
      this.#underWay.delete(left);
    }
  }

  async #refused(response: Response, id: JsonObject[string] | undefined): Promise<void> {
    const { status } = response;
    const text = (await textOf(response)).slice(0, 500);
    const message: unknown = parseJson(text);
    const isOver = status === 404 && this.#session !== undefined;
    // An error of JSON-RPC says more than the status.
    if (id !== undefined && isJsonObject(message) && message.error !== undefined && !isOver)
      return this.#listener.message({ ...message, id });
    const isSignedOut = status === 401;
    const advice = isSignedOut ? `. Sign in there: resumable-mcp servers add ${this.#server.url} --oauth` : "";
    const why = `The server answered ${status}${text === "" ? "" : `: ${text}`}${advice}`;
    // Nothing was carried out: the next connection may ask again.
    const notSent = isOver || isSignedOut;
    if (id !== undefined) this.#listener.lost(id, why, { notSent, refused: true });
    if (notSent) this.#end(isOver ? "The server ended the session." : why);
  }

  /** Reads a response. True when it had the answer to this request. */
  async #read(response: Response, { id, isAlone = false, ...resumed }: ReadOptions): Promise<boolean> {
    if (!response.headers.get("content-type")?.startsWith("text/event-stream")) {
      const message: unknown = parseJson(await textOf(response));
      if (isJsonObject(message)) this.#take(message);
      return isJsonObject(message) && message.id === id;
    }
    let lastId: string | undefined;
    let answered = false;
    for (let stream: Response | undefined = response; stream !== undefined && !answered; ) {
      const events = stream.body
        ?.pipeThrough(new TextDecoderStream())
        .pipeThrough(new EventSourceParserStream({ maxBufferSize: wrapLimits.maxLineBytes }));
      try {
        for await (const event of events ?? []) {
          // Without a session, nothing follows a stream.
          lastId = isAlone ? undefined : (event.id ?? lastId);
          const message: unknown = parseJson(event.data);
          if (!isJsonObject(message)) continue;
          answered ||= id !== undefined && message.id === id && message.method === undefined;
          this.#take(message);
        }
      } catch (error) {
        if (lastId === undefined || this.#ended.signal.aborted) throw error;
      }
      // A server that numbers its events gives those that follow.
      stream = answered || lastId === undefined ? undefined : await this.#resume(lastId, resumed);
    }
    return answered;
  }

  async #resume(lastId: string, { passed, signal }: ReadOptions): Promise<Response | undefined> {
    await pause(wrapLimits.restartDelayMs, undefined, { signal });
    const response = await this.#fetch({ method: "GET", headers: { ...passed, "last-event-id": lastId }, signal });
    return response.ok ? response : undefined;
  }

  /** Hears of what belongs to no request, where the server has a stream for that. */
  async #listen(): Promise<void> {
    const { signal } = this.#ended;
    while (!signal.aborted) {
      try {
        const response = await this.#fetch({ method: "GET" });
        if (!response.ok) return void response.body?.cancel();
        await this.#read(response, { signal });
      } catch {
        // It is opened again, as long as the session lasts.
      }
      await pause(wrapLimits.maxRestartDelayMs, undefined, { signal, ref: false }).catch(() => {});
    }
  }

  #take(message: JsonObject): void {
    const { result } = message;
    if (this.#version === undefined && isJsonObject(result) && typeof result.protocolVersion === "string")
      this.#version = result.protocolVersion;
    this.#listener.message(message);
  }

  async #fetch({ headers, ...given }: RequestInit): Promise<Response> {
    const { url, headers: own } = this.#server;
    const known = {
      ...(this.#session !== undefined && { "mcp-session-id": this.#session }),
      ...(this.#version !== undefined && { "mcp-protocol-version": this.#version }),
    };
    const ofTransport = {
      "content-type": "application/json",
      accept: given.method === "GET" ? "text/event-stream" : "application/json, text/event-stream",
    };
    const sent = new Headers();
    for (const some of [ofTransport, own, known, headers])
      for (const [name, value] of new Headers(some)) sent.set(name, value);
    this.#send ??= senderFor(this.#server);
    const send = await this.#send;
    return send(url, { signal: this.#ended.signal, ...given, headers: sent });
  }

  #end(why: string): void {
    if (this.#ended.signal.aborted) return;
    this.#ended.abort(new Error(why));
    for (const left of this.#underWay) left.abort(this.#ended.signal.reason);
    // Each open request says first whether it reached the server.
    setImmediate(() => this.#listener.closed(why));
  }
}

async function senderFor({ url, headers = {} }: ServerUrl): Promise<typeof fetch> {
  if (Object.keys(headers).some((name) => name.toLowerCase() === "authorization")) return patientFetch;
  const { findSignIn } = await import("@resumable-mcp/client");
  return (await findSignIn(url, patientFetch)) ?? patientFetch;
}

/** The server refused the token, and no other is known. */
function isSignInOver(error: unknown): boolean {
  return error instanceof Error && error.name === "LinkFailure";
}

/** @throws an error where it is too long. */
async function textOf({ body }: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > wrapLimits.maxLineBytes) throw new Error(`an answer has more than ${wrapLimits.maxLineBytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

function sentenceOf(error: unknown): string {
  const code = Reflect.get(Object(error), "code");
  const why = error instanceof Error ? error.message : String(error);
  if (isSignInOver(error)) return `The server could not be reached: ${why}. See to it with resumable-mcp servers.`;
  return `The server could not be reached: ${why}${code === undefined ? "" : ` (${String(code)})`}.`;
}
