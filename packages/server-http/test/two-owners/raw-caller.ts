import type { JsonObject } from "@resumable-mcp/core";

/** What came back, as far as a caller can see it. */
export interface Reply {
  readonly status: number;
  readonly type: string | null;
  readonly body: string;
}

/** Headers and `_meta` in addition to the usual ones. */
export interface Extras {
  readonly headers?: Record<string, string>;
  readonly meta?: JsonObject;
  /** 2026: the request declares no tasks extension. */
  readonly plain?: boolean;
}

/** Who a caller is, and what all of their requests carry. */
export interface Identity {
  readonly subject: string;
  /** The tag of their tasks' owner; `undefined`: that of their session. */
  readonly owner: string | undefined;
  readonly headers: Record<string, string>;
  /** Named when a session is opened, and in each request of the 2026 era. */
  readonly clientId?: string;
}

/** One owner, who sends what they like and reads what comes. */
export interface RawCaller {
  readonly subject: string;
  owner(): Promise<string>;
  /** Sends a request in the caller's own session of the 2025 era, which is opened when there is none. */
  send2025(method: string, params?: JsonObject, extras?: Extras): Promise<Reply>;
  /** Posts any message in that session, or in the one that `headers` name. */
  post(message: JsonObject, headers?: Record<string, string>): Promise<Reply>;
  /** Opens a session and tells how. */
  initialize(): Promise<Reply & { readonly session: string }>;
  /** GET and DELETE in the caller's own session, or in the one that `headers` name. */
  open(httpMethod: "GET" | "DELETE", headers?: Record<string, string>): Promise<Reply>;
  /** Sends a request of the 2026 era. */
  send2026(method: string, params?: JsonObject, extras?: Extras): Promise<Reply>;
  /** The stream stays open until `close`. */
  stream(message: JsonObject | undefined, headers: Record<string, string>): Promise<StreamReader>;
  close(): void;
}

/** Reads on in a stream until it says enough. */
export type StreamReader = (enough: (text: string) => boolean) => Promise<string>;

const accept = "application/json, text/event-stream";
const json = { accept, "content-type": "application/json" };
const version2026 = "2026-07-28";
/** It shows apps, so that the panel and its tools are there for it. */
const apps = { "io.modelcontextprotocol/ui": { mimeTypes: ["text/html;profile=mcp-app"] } };
const capabilities = { elicitation: {}, extensions: { "io.modelcontextprotocol/tasks": {}, ...apps } };

/** Makes a caller with a bearer token. */
export function tokenCaller(url: string, subject: string, token: string): RawCaller {
  return rawCaller(url, { subject, owner: `sub:${subject}`, headers: { authorization: `Bearer ${token}` } });
}

/** Makes a caller. */
export function rawCaller(url: string, { subject, owner, headers: own, clientId }: Identity): RawCaller {
  const gone = new AbortController();
  const named: JsonObject = clientId === undefined ? {} : { "resumable-mcp/client_id": clientId };
  let session: Promise<string> | undefined;
  const send = (method: string, headers: Record<string, string>, message?: JsonObject): Promise<Response> => {
    const body = message === undefined ? {} : { body: JSON.stringify(message) };
    return fetch(url, { method, headers: { ...own, ...headers }, signal: gone.signal, ...body });
  };
  const inSession = async (): Promise<Record<string, string>> => {
    session ??= initialize().then((opened) => opened.session);
    return { "mcp-session-id": await session };
  };
  const initialize = async () => {
    const clientInfo = { name: "raw", version: "1" };
    const params = {
      protocolVersion: "2025-11-25",
      capabilities: { elicitation: {}, extensions: apps },
      clientInfo,
      _meta: named,
    };
    const response = await send("POST", json, { jsonrpc: "2.0", id: 0, method: "initialize", params });
    const opened = response.headers.get("mcp-session-id") ?? "";
    const ready = { jsonrpc: "2.0", method: "notifications/initialized" };
    await send("POST", { ...json, "mcp-session-id": opened }, ready);
    return { ...(await replyOf(response)), session: opened };
  };
  const post: RawCaller["post"] = async (message, headers) => {
    const session = headers === undefined ? await inSession() : headers;
    return replyOf(await send("POST", { ...json, ...session }, message));
  };
  return {
    subject,
    owner: async () => owner ?? `session:${(await inSession())["mcp-session-id"]}`,
    initialize,
    post,
    send2025(method, params = {}, { meta, headers } = {}) {
      const whole = meta === undefined ? params : { ...params, _meta: meta };
      return post({ jsonrpc: "2.0", id: 1, method, params: whole }, headers);
    },
    async open(method, headers) {
      const session = { ...(await inSession()), ...headers };
      return replyOf(await send(method, { accept: "text/event-stream", ...session }), isFrame);
    },
    async send2026(method, params, extras = {}) {
      const { message, headers } = request2026(method, params, { ...extras, meta: { ...named, ...extras.meta } });
      return replyOf(await send("POST", headers, message));
    },
    async stream(message, headers) {
      const response = await send(message === undefined ? "GET" : "POST", { ...json, ...headers }, message);
      return readerOf(response);
    },
    close: () => gone.abort("over"),
  };
}

/** A request of the 2026 era, with all that it has to say of itself. */
export function request2026(
  method: string,
  params: JsonObject = {},
  { meta = {}, plain = false, headers = {} }: Extras = {},
) {
  const _meta = {
    "io.modelcontextprotocol/protocolVersion": version2026,
    "io.modelcontextprotocol/clientCapabilities": plain ? { elicitation: {} } : capabilities,
    ...meta,
  };
  const name = params.name ?? params.taskId ?? params.uri;
  const own: Record<string, string> = {
    ...json,
    "mcp-protocol-version": version2026,
    "mcp-method": method,
    ...(typeof name === "string" ? { "mcp-name": name } : {}),
    ...headers,
  };
  return { headers: own, message: { jsonrpc: "2.0", id: 1, method, params: { ...params, _meta } } };
}

const isFrame = (text: string): boolean => text.includes("\n\n");
/** Whatever a request is answered with in the end, and the first message of a subscription. */
const isAnswer = (text: string): boolean => /"(result|error)":|subscriptions\/acknowledged/.test(text);

async function replyOf(response: Response, enough = isAnswer): Promise<Reply> {
  const type = response.headers.get("content-type");
  const read = readerOf(response);
  const streams = type?.startsWith("text/event-stream") === true;
  const body = await read(streams ? (text) => enough(text) && text.endsWith("\n\n") : () => false);
  await response.body?.cancel().catch(() => {});
  return { status: response.status, type, body };
}

function readerOf(response: Response): StreamReader {
  const reader = response.body?.getReader();
  const decoder = new TextDecoder();
  let text = "";
  return async (enough) => {
    while (!enough(text)) {
      const { done, value } = (await reader?.read()) ?? { done: true, value: undefined };
      if (done) break;
      text += decoder.decode(value, { stream: true });
    }
    return text;
  };
}
