import { expect, test } from "vitest";
import { startServer, testFolder, toolsModule } from "./server-process.js";
import { connectStock } from "./stock-client.js";

test("with --cross-stream-replay a new client process that kept the event id of initialize gets the result of the call, after SIGKILL of the server too", async () => {
  const store = await testFolder();
  const start = (port: number) =>
    startServer([toolsModule, "--port", String(port), "--store", store, "--cross-stream-replay"]);
  const server = await start(0);
  const post = (message: object, headers: Record<string, string> = {}) =>
    fetch(server.url, {
      method: "POST",
      headers: { accept: "application/json, text/event-stream", "content-type": "application/json", ...headers },
      body: JSON.stringify({ jsonrpc: "2.0", ...message }),
    });
  const clientInfo = { name: "raw", version: "1" };
  const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo };
  const opened = await post({ id: 0, method: "initialize", params });
  const sessionId = opened.headers.get("mcp-session-id") ?? "";
  const resumptionToken = /^id: (\S+)$/m.exec(await opened.text())?.[1] ?? "";
  const session = { "mcp-session-id": sessionId };
  await post({ method: "notifications/initialized" }, session);
  const call = await post({ id: 1, method: "tools/call", params: { name: "count_to", arguments: { n: 30 } } }, session);
  // The client dies in the call, and so does the server.
  await call.body?.cancel();
  await server.kill();
  const next = await start(server.port);
  const { client, transport } = await connectStock(next.url, { transport: { sessionId } });
  transport.setProtocolVersion("2025-11-25");
  const result = await client.callTool({ name: "count_to", arguments: {} }, undefined, { resumptionToken });
  expect(result).toMatchObject({ structuredContent: { counted: 30 } });
});
