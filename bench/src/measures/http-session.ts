import type { Era } from "./stdio-start.js";

/** Calls the trivial tool once, and resolves when it has answered. */
export type Caller = () => Promise<void>;

let calls = 0;

async function post(url: string, message: object, headers: Readonly<Record<string, string>> = {}): Promise<Response> {
  const body = JSON.stringify({ jsonrpc: "2.0", ...message });
  const accept = "application/json, text/event-stream";
  return fetch(url, { method: "POST", headers: { "content-type": "application/json", accept, ...headers }, body });
}

const clientInfo = { name: "bench", version: "1.0.0" };

/** Opens a session of the 2025 era as any client does: `initialize`, then `notifications/initialized`. */
export async function openSession(url: string): Promise<Caller> {
  const version = "2025-11-25";
  const params = { protocolVersion: version, capabilities: {}, clientInfo };
  const response = await post(url, { id: 0, method: "initialize", params });
  await response.text();
  const id = response.headers.get("mcp-session-id");
  if (id === null) throw new Error(`No session from ${url}: ${response.status}`);
  const headers = { "mcp-session-id": id, "mcp-protocol-version": version };
  await (await post(url, { method: "notifications/initialized" }, headers)).text();
  return () => callEcho(url, {}, headers);
}

/** A client of the 2026 era, which has no session: each request says what that client is. */
function client2026(url: string): Caller {
  const version = "2026-07-28";
  const _meta = {
    "io.modelcontextprotocol/protocolVersion": version,
    "io.modelcontextprotocol/clientInfo": clientInfo,
    "io.modelcontextprotocol/clientCapabilities": {},
  };
  const headers = { "mcp-protocol-version": version, "mcp-method": "tools/call", "mcp-name": "echo" };
  return () => callEcho(url, { _meta }, headers);
}

/** Connects a client of an era. */
export async function connect(era: Era, url: string): Promise<Caller> {
  return era === "2025" ? openSession(url) : client2026(url);
}

async function callEcho(url: string, meta: object, headers: Readonly<Record<string, string>>): Promise<void> {
  calls += 1;
  const params = { name: "echo", arguments: { text: "hello" }, ...meta };
  const text = await (await post(url, { id: calls, method: "tools/call", params }, headers)).text();
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
