import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import { InMemoryEventStore } from "@modelcontextprotocol/sdk/examples/shared/inMemoryEventStore.js";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import { registerEcho } from "./echo.js";

/** The SDK's own server as its examples show it: a server, a transport and an event store for each session. */
const sessions = new Map<string, StreamableHTTPServerTransport>();

async function openSession(): Promise<StreamableHTTPServerTransport> {
  const transport = new StreamableHTTPServerTransport({
    sessionIdGenerator: randomUUID,
    eventStore: new InMemoryEventStore(),
    onsessioninitialized: (id) => void sessions.set(id, transport),
  });
  const server = new McpServer({ name: "bench", version: "1.0.0" });
  registerEcho(server);
  await server.connect(transport as Parameters<typeof server.connect>[0]);
  return transport;
}

const http = createServer(async (request, response) => {
  const known = sessions.get(String(request.headers["mcp-session-id"]));
  await (known ?? (await openSession())).handleRequest(request, response);
});
http.listen(0, "127.0.0.1", () => {
  const address = http.address();
  if (typeof address === "object") process.stderr.write(`listening on http://127.0.0.1:${address?.port}/mcp\n`);
});
