import { spawn } from "node:child_process";
import { createConnection, type Socket } from "node:net";
import { createInterface } from "node:readline";
import { type Measure, type Scope, spreadOf } from "../report/measure.js";
import { createVitalsProbe, type Vitals } from "../workers/vitals.js";
import { type Era, programOf, server } from "./stdio-start.js";

interface HttpServer {
  readonly url: string;
  /** What it holds after a collection. */
  vitals(): Promise<Vitals>;
  stop(): Promise<unknown>;
}

export async function startHttp(scope: Scope, args: readonly string[]): Promise<HttpServer> {
  const { flags, env, ask } = createVitalsProbe(await scope.folder());
  const child = spawn(process.execPath, [...flags, ...args], { stdio: ["ignore", "ignore", "pipe"], env });
  const ended = new Promise((resolve) => child.once("close", resolve));
  const stop = () => {
    child.kill("SIGKILL");
    return ended;
  };
  scope.onEnd(stop);
  const lines: string[] = [];
  const url = await new Promise<string>((resolve, reject) => {
    createInterface({ input: child.stderr }).on("line", (line) => {
      lines.push(line);
      const found = /listening on (http:[^\s"]+)/.exec(line);
      if (found?.[1] !== undefined) resolve(found[1]);
    });
    void ended.then(() => reject(new Error(`The server ended: ${lines.join("\n")}`)));
  });
  return { url, stop, vitals: () => ask(Number(child.pid), { collect: true }) };
}

async function ourHttp(scope: Scope): Promise<readonly string[]> {
  const store = ["--store", await scope.folder()];
  return [programOf("server-http", "cli.js"), server("tools-module"), "--port", "0", ...store];
}

/**
 * What one more idle session holds. Both sides are asked after a collection for heap and buffers: the resident size is for
 * the most part what V8 takes for the garbage of the requests that opened the sessions, and keeps.
 */
export const sessionMemory: Measure = {
  id: "http-session-memory",
  title: "HTTP, memory of an idle session, of 200, after a collection",
  subject: "resumable-mcp-http",
  peer: "the SDK's server with its in-memory event store",
  unit: "KiB",
  target: { atMost: 1 },
  async prepare(scope) {
    const resident = { ours: [] as number[], theirs: [] as number[] };
    const used = async (args: readonly string[], residents: number[]): Promise<number> => {
      const held = await heldBySession(scope, args);
      residents.push(held.resident);
      return held.used;
    };
    const ours = await ourHttp(scope);
    const middle = (figures: readonly number[]) => Math.round(spreadOf(figures).median);
    return {
      subject: () => used(ours, resident.ours),
      peer: () => used([server("bare-2025-http")], resident.theirs),
      get note() {
        return `resident ${middle(resident.ours)} KiB, peer ${middle(resident.theirs)} KiB`;
      },
    };
  },
};

/** What a session holds, in KiB: used by JavaScript, and in all as the operating system sees it. */
async function heldBySession(scope: Scope, args: readonly string[]): Promise<{ used: number; resident: number }> {
  const http = await startHttp(scope, args);
  const socket = openSocket(http.url);
  for (let warm = 0; warm < 20; warm++) await openSession(socket);
  const before = await http.vitals();
  const count = 200;
  for (let opened = 0; opened < count; opened++) await openSession(socket);
  const after = await http.vitals();
  await http.stop();
  const grown = (field: keyof Vitals) => ((after[field] - before[field]) * 1_024) / count;
  return { used: grown("heapMiB") + grown("externalMiB"), resident: grown("residentMiB") };
}

const sdkServers = {
  "2025": "the SDK's server with its in-memory event store",
  "2026": "the server of @modelcontextprotocol/server and /node",
} as const satisfies Record<Era, string>;

/** Calls of a trivial tool that keeps nothing, by many clients with one call in flight each. */
export function httpCalls(era: Era): Measure {
  return {
    id: `http-calls-${era}`,
    title: `HTTP, ${era} era, calls of a trivial tool, 50 clients with one call in flight each`,
    subject: "resumable-mcp-http",
    peer: sdkServers[era],
    unit: "calls/s",
    target: { atLeast: era === "2026" ? 2.5 : 3 },
    rounds: 31,
    async prepare(scope) {
      const clientsOf = ({ url }: HttpServer) => Promise.all(Array.from({ length: 50 }, () => connect(era, url)));
      const [ours, theirs] = [await ourHttp(scope), [server(`bare-${era}-http`)]];
      const [our, their] = [await startHttp(scope, ours), await startHttp(scope, theirs)];
      const [ourClients, theirClients] = [await clientsOf(our), await clientsOf(their)];
      return { subject: () => callRate(ourClients, 10), peer: () => callRate(theirClients, 10) };
    },
  };
}

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
