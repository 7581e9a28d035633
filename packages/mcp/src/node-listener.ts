import type { IncomingMessage, ServerResponse } from "node:http";
import { requestWithBody } from "./node-body.js";

/** A listener for `http.createServer`. */
export type NodeListener = (request: IncomingMessage, response: ServerResponse) => void;

/** What a Web-standard request does not say of its connection. */
export interface Connection {
  /** Where it comes from; `undefined` once it is closed. */
  readonly remoteAddress: string | undefined;
}

type Fetch = (request: Request, connection: Connection) => Promise<Response>;

/**
 * Makes a Node listener of a Web-standard handler. The end of the connection aborts the request and cancels the
 * answer's body.
 */
export function nodeListener(fetch: Fetch): NodeListener {
  return (incoming, outgoing) => {
    void respond(fetch, incoming, outgoing).catch(() => outgoing.destroy());
  };
}

async function respond(fetch: Fetch, incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
  const gone = new AbortController();
  outgoing.once("close", () => {
    if (!outgoing.writableFinished) gone.abort("The connection was closed.");
  });
  const request = webRequest(incoming, gone.signal);
  if (request === undefined) {
    outgoing.writeHead(400).end();
    return;
  }
  const response = await fetch(request, { remoteAddress: incoming.socket.remoteAddress });
  corkTurn(outgoing);
  outgoing.writeHead(response.status, Object.fromEntries(response.headers));
  if (response.body === null) outgoing.end();
  else {
    // Clients wait for the head of a stream before its first event may come.
    outgoing.flushHeaders();
    await pump(response.body, outgoing);
  }
  await discardRest(request, incoming);
}

/** Bytes of a refused body that are still read, so that the connection can be used again; more of them end it. */
const maxDiscardBytes = 16 * 1024 * 1024;

/** What nobody has read of a request stands before the next one on the same connection. */
async function discardRest({ body }: Request, incoming: IncomingMessage): Promise<void> {
  if (body === null || body.locked || incoming.readableEnded || incoming.destroyed) return;
  let bytes = 0;
  for await (const chunk of incoming) {
    bytes += chunk.byteLength;
    if (bytes > maxDiscardBytes) return;
  }
}

function webRequest(incoming: IncomingMessage, signal: AbortSignal): Request | undefined {
  const headers = new Headers();
  for (const [name, value] of Object.entries(incoming.headers)) {
    for (const one of Array.isArray(value) ? value : [value ?? ""])
      if (!name.startsWith(":")) headers.append(name, one);
  }
  const { method = "GET", url = "/" } = incoming;
  const hasBody = method !== "GET" && method !== "HEAD";
  try {
    const address = new URL(url, `http://${incoming.headers.host ?? "localhost"}`);
    if (!hasBody) return new Request(address, { method, headers, signal });
    return requestWithBody(incoming, address, { method, headers, signal });
  } catch {
    return undefined;
  }
}

/** What is written in one turn of the event loop goes out in one packet: most answers are there at once. */
function corkTurn(outgoing: ServerResponse): void {
  if (outgoing.writableCorked > 0) return;
  outgoing.cork();
  setImmediate(() => {
    // The end of the answer has uncorked it already.
    if (!outgoing.writableEnded) outgoing.uncork();
  });
}

async function pump(body: ReadableStream<Uint8Array>, outgoing: ServerResponse): Promise<void> {
  const reader = body.getReader();
  outgoing.once("close", () => void reader.cancel().catch(() => {}));
  for (;;) {
    const { done, value } = await reader.read();
    if (done || outgoing.destroyed) break;
    corkTurn(outgoing);
    if (!outgoing.write(value)) await drained(outgoing);
  }
  outgoing.end();
}

function drained(outgoing: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      outgoing.off("drain", done);
      outgoing.off("close", done);
      resolve();
    };
    outgoing.on("drain", done);
    outgoing.on("close", done);
  });
}
