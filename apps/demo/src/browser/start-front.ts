import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http";
import { forward, type LocalServer, listenLocally } from "../processes/forward.js";
import { frontPage } from "./front-page.js";

/** What the front shows, and what its buttons do. */
export interface FrontOptions {
  /** The port of the server, running or not. */
  readonly serverPort: number;
  /** Called each time that a browser loads the page. */
  opened(): void;
  state(): FrontState;
  kill(): Promise<void>;
  start(): Promise<void>;
}

/** What the page asks for again and again. */
export interface FrontState {
  /** The process of the server, while one runs. */
  readonly pid: number | undefined;
  /** The address of the panel, as soon as there is something to see in it. */
  readonly panel: string | undefined;
  /** The last line of the demo. */
  readonly outcome: string | undefined;
}

/**
 * Serves the page with the buttons on a free port of this machine, and passes all other requests on to the server: the page and the
 * panel in its frame are of one origin.
 */
export function startFront(options: FrontOptions): Promise<LocalServer> {
  return listenLocally((request, response) => {
    answer(options, request, response).catch((error: unknown) => {
      response.writeHead(500).end(error instanceof Error ? error.message : String(error));
    });
  });
}

/** No other page holds this one, and moves a click to its button. */
const unframed = { "content-security-policy": "frame-ancestors 'none'", "x-frame-options": "DENY" };

async function answer(options: FrontOptions, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { method, url, headers } = request;
  const { host = "" } = headers;
  // A page of another name must not reach the buttons (DNS rebinding); nor can it send their header without being asked first.
  if (!/^(127\.0\.0\.1|localhost):\d+$/.test(host)) {
    response.writeHead(403).end("This page is for this machine.\n");
  } else if (method === "GET" && url === "/") {
    options.opened();
    response
      .writeHead(200, { ...unframed, "content-type": "text/html; charset=utf-8", "cache-control": "no-store" })
      .end(frontPage);
  } else if (method === "GET" && url === "/demo/state") {
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(options.state()));
  } else if (method === "POST" && headers["x-demo"] === "1" && (url === "/demo/kill" || url === "/demo/start")) {
    await (url === "/demo/kill" ? options.kill() : options.start());
    response.writeHead(204).end();
  } else {
    const changes = { headers: asOwn(headers, options.serverPort), answerHeaders: framed };
    forward(request, response, [options.serverPort], changes);
  }
}

/** The server answers only pages of its own: it sees this page as one. */
function asOwn(headers: IncomingHttpHeaders, port: number): IncomingHttpHeaders {
  const host = `127.0.0.1:${port}`;
  const isOwn = headers.origin === `http://${headers.host}`;
  return { ...headers, host, ...(isOwn && { origin: `http://${host}` }) };
}

/** The server lets nothing show the panel in a frame; here its frame is the page's own. */
function framed({ "x-frame-options": _frames, ...headers }: IncomingHttpHeaders): IncomingHttpHeaders {
  const policy = headers["content-security-policy"];
  if (typeof policy !== "string") return headers;
  return { ...headers, "content-security-policy": policy.replace(/frame-ancestors [^;]*/, "frame-ancestors 'self'") };
}
