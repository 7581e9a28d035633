import { type HttpSocket, openSocket } from "./http-socket.js";
import type { Era } from "./stdio-start.js";

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
