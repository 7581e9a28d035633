/** An open connection of the 2025 era. */
export interface HttpSession {
  readonly url: string;
  readonly id: string;
}

const version = "2025-11-25";

function post(url: string, message: object, session?: string): Promise<Response> {
  return fetch(url, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      ...(session === undefined ? {} : { "mcp-session-id": session, "mcp-protocol-version": version }),
    },
    body: JSON.stringify({ jsonrpc: "2.0", ...message }),
  });
}

/** Opens a session as any client does: `initialize`, then `notifications/initialized`. */
export async function openSession(url: string): Promise<HttpSession> {
  const clientInfo = { name: "bench", version: "1.0.0" };
  const params = { protocolVersion: version, capabilities: {}, clientInfo };
  const response = await post(url, { id: 0, method: "initialize", params });
  await response.text();
  const id = response.headers.get("mcp-session-id");
  if (id === null) throw new Error(`No session from ${url}: ${response.status}`);
  await (await post(url, { method: "notifications/initialized" }, id)).text();
  return { url, id };
}

let calls = 0;

/** Calls the trivial tool so many times in each session, and gives the calls in a second. */
export async function callRate(sessions: readonly HttpSession[], each: number): Promise<number> {
  const begun = performance.now();
  await Promise.all(
    sessions.map(async ({ url, id }) => {
      for (let n = 0; n < each; n++) {
        calls += 1;
        const params = { name: "echo", arguments: { text: "hello" } };
        const text = await (await post(url, { id: calls, method: "tools/call", params }, id)).text();
        if (!text.includes("hello")) throw new Error(`No answer but ${text}`);
      }
    }),
  );
  return (sessions.length * each * 1000) / (performance.now() - begun);
}
