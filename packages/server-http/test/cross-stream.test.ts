import { expect, test } from "vitest";
import { startServer, testFolder, toolsModule } from "./server-process.js";
import { connectStock } from "./stock-client.js";
import { rawCaller } from "./two-owners/raw-caller.js";

test("with crossStreamReplay a new client process that kept the event id of initialize gets the result of the call, after SIGKILL of the server too", async () => {
  const store = await testFolder();
  const start = (port: number) =>
    startServer([toolsModule, "--port", String(port), "--store", store], { RESUMABLE_MCP_CROSS_STREAM_REPLAY: "true" });
  const server = await start(0);
  const caller = rawCaller(server.url, { subject: "any", owner: undefined, headers: {} });
  const { session: sessionId, body } = await caller.initialize();
  const resumptionToken = /^id: (\S+)$/m.exec(body)?.[1] ?? "";
  const call = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "count_to", arguments: { n: 30 } } };
  await caller.stream(call, { "mcp-session-id": sessionId });
  // The client dies in the call, and so does the server.
  caller.close();
  await server.kill();
  const next = await start(server.port);
  const { client, transport } = await connectStock(next.url, { transport: { sessionId } });
  transport.setProtocolVersion("2025-11-25");
  const result = await client.callTool({ name: "count_to", arguments: {} }, undefined, { resumptionToken });
  expect(result).toMatchObject({ structuredContent: { counted: 30 } });
});
