import type { IncomingMessage, ServerResponse } from "node:http";
import { Readable } from "node:stream";

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
  outgoing.writeHead(response.status, Object.fromEntries(response.headers));
  if (response.body === null) outgoing.end();
  else {
    // Clients wait for the head of a stream before its first event may come.
    outgoing.flushHeaders();
    await pump(response.body, outgoing);
  }
  await discardRest(request);
}

/** Bytes of a refused body that are still read, so that the connection can be used again; more of them end it. */
const maxDiscardBytes = 16 * 1024 * 1024;

/** What nobody has read of a request stands before the next one on the same connection. */
async function discardRest({ body }: Request): Promise<void> {
  if (body === null || body.locked) return;
  let bytes = 0;
  for await (const chunk of body) {
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
    // Node's stream is a Web stream of bytes; its types say so less exactly.
    const body = Readable.toWeb(incoming) as unknown as ReadableStream;
    return new Request(address, { method, headers, body, signal, duplex: "half" });
  } catch {
    return undefined;
  }
}

async function pump(body: ReadableStream<Uint8Array>, outgoing: ServerResponse): Promise<void> {
  const reader = body.getReader();
  outgoing.once("close", () => void reader.cancel().catch(() => {}));
  for (;;) {
    const { done, value } = await reader.read();
    if (done || outgoing.destroyed) break;
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
