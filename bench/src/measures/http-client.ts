import { createConnection, type Socket } from "node:net";
import type { Era } from "./stdio-start.js";

/** One connection to a server, for one request at a time. */
export interface HttpSocket {
  /** Sends a request with a JSON body, and resolves to the whole text of its response, head included. */
  post(message: object, headers: Readonly<Record<string, string>>): Promise<string>;
}

/** The end of what a response holds: a length, chunks, or nothing. */
function isWhole(text: string): boolean {
  const headEnd = text.indexOf("\r\n\r\n");
  if (headEnd < 0) return false;
  const head = text.slice(0, headEnd).toLowerCase();
  const length = /\r\ncontent-length: (\d+)/.exec(head)?.[1];
  if (length !== undefined) return Buffer.byteLength(text) - headEnd - 4 >= Number(length);
  return head.includes("\r\ntransfer-encoding: chunked") ? text.endsWith("\r\n0\r\n\r\n") : true;
}

/**
 * Makes a client that does nothing but what a measure needs: one of Node costs more than the server that it calls, so that
 * two servers would look alike. It connects again when the server has closed an idle connection.
 */
export function openSocket(url: string): HttpSocket {
  const { hostname, port, pathname, host } = new URL(url);
  let socket: Socket | undefined;
  let text = "";
  let finish: (answer: { readonly text: string } | { readonly error: unknown }) => void = () => {};
  const open = (): Socket => {
    const opened = createConnection({ host: hostname, port: Number(port), noDelay: true });
    opened.setEncoding("utf8").on("data", (chunk: string) => {
      text += chunk;
      if (isWhole(text)) finish({ text });
    });
    opened.on("error", (error) => finish({ error }));
    opened.on("close", () => {
      socket = undefined;
      finish({ error: new Error(`The server closed the connection after: ${text}`) });
    });
    return opened;
  };
  return {
    async post(message, headers) {
      const body = JSON.stringify({ jsonrpc: "2.0", ...message });
      const fields = {
        host,
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        "content-length": String(Buffer.byteLength(body)),
        ...headers,
      };
      const head = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`);
      text = "";
      const answered = new Promise<string>((resolve, reject) => {
        finish = (answer) => ("text" in answer ? resolve(answer.text) : reject(answer.error));
      });
      socket ??= open();
      socket.write(`POST ${pathname} HTTP/1.1\r\n${head.join("")}\r\n${body}`);
      return answered;
    },
  };
}

/** Calls the trivial tool once, and resolves when it has answered. */
export type Caller = () => Promise<void>;

let calls = 0;

const clientInfo = { name: "bench", version: "1.0.0" };

/** Opens a session of the 2025 era as any client does: `initialize`, then `notifications/initialized`. */
export async function openSession(socket: HttpSocket): Promise<Caller> {
  const version = "2025-11-25";
  const params = { protocolVersion: version, capabilities: {}, clientInfo };
  const response = await socket.post({ id: 0, method: "initialize", params }, {});
  const id = /\r\nmcp-session-id: (\S+)/i.exec(response)?.[1];
  if (id === undefined) throw new Error(`No session but ${response}`);
  const headers = { "mcp-session-id": id, "mcp-protocol-version": version };
  await socket.post({ method: "notifications/initialized" }, headers);
  return () => callEcho(socket, {}, headers);
}

/** A client of the 2026 era, which has no session: each request says what that client is. */
function client2026(socket: HttpSocket): Caller {
  const version = "2026-07-28";
  const _meta = {
    "io.modelcontextprotocol/protocolVersion": version,
    "io.modelcontextprotocol/clientInfo": clientInfo,
    "io.modelcontextprotocol/clientCapabilities": {},
  };
  const headers = { "mcp-protocol-version": version, "mcp-method": "tools/call", "mcp-name": "echo" };
  return () => callEcho(socket, { _meta }, headers);
}

/** Connects a client of an era by a connection of its own. */
export async function connect(era: Era, url: string): Promise<Caller> {
  const socket = openSocket(url);
  return era === "2025" ? openSession(socket) : client2026(socket);
}

async function callEcho(socket: HttpSocket, meta: object, headers: Readonly<Record<string, string>>): Promise<void> {
  calls += 1;
  const params = { name: "echo", arguments: { text: "hello" }, ...meta };
  const text = await socket.post({ id: calls, method: "tools/call", params }, headers);
  if (!text.includes('"hello"') || text.includes('"error"')) throw new Error(`No result but ${text}`);
}

/** Lets each caller call a number of times, one call after the other, and gives the calls in a second. */
export async function callRate(callers: readonly Caller[], each: number): Promise<number> {
  const begun = performance.now();
  await Promise.all(
    callers.map(async (call) => {
      for (let n = 0; n < each; n++) await call();
    }),
  );
  return (callers.length * each * 1000) / (performance.now() - begun);
}
