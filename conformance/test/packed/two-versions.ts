import { olderSdk } from "../../src/packed-project.js";

const older = olderSdk.name;

/**
 * A program that gives one engine to servers of an older and of the present SDK, and to one of the 2026 era: it has to
 * compile, and each server has to answer the client of its own version.
 */
export const twoVersions = `
import { Client as OlderClient } from "${older}/client/index.js";
import { InMemoryTransport as OlderChannel } from "${older}/inMemory.js";
import { McpServer as OlderServer } from "${older}/server/mcp.js";
import { StreamableHTTPServerTransport as OlderTransport } from "${older}/server/streamableHttp.js";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { InMemoryTransport } from "@modelcontextprotocol/sdk/inMemory.js";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import { McpServer as Server2026, WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/server";
import { createEngine, createMemoryStore } from "@resumable-mcp/core";
import { registerTools, createEventStore, createSessionHandler, createTaskStore, taskHandler } from "@resumable-mcp/mcp";
import { registerTools2026 } from "@resumable-mcp/mcp/2026";
import tools from "./tools.mjs";

const store = createMemoryStore();
const engine = createEngine({ store, tools });
const info = { name: "two-versions", version: "1.0.0" };

const older = new OlderServer(info);
registerTools(older, engine, { owner: () => "me" });
const newer = new McpServer(info);
registerTools(newer, engine, { owner: () => "me" });
registerTools2026(new Server2026(info), engine, { owner: () => "me" });
createSessionHandler({ engine, createServer: () => new OlderServer(info) });
createSessionHandler({ engine, createServer: () => new McpServer(info) });

const eventStore = createEventStore({ store, sessionId: "me" });
new OlderTransport({ sessionIdGenerator: undefined, eventStore });
new StreamableHTTPServerTransport({ eventStore });
new WebStandardStreamableHTTPServerTransport({ eventStore });

const taskStore = createTaskStore({ engine, owner: "me" });
new OlderServer(info, { taskStore }).experimental.tasks.registerToolTask("a", { inputSchema: {} }, taskHandler);
new McpServer(info, { taskStore }).experimental.tasks.registerToolTask("a", { inputSchema: {} }, taskHandler);

const call = { name: "count_to", arguments: { n: 1 } };
const olderClient = new OlderClient(info);
const [olderHere, olderThere] = OlderChannel.createLinkedPair();
await Promise.all([older.connect(olderThere), olderClient.connect(olderHere)]);
console.log(JSON.stringify((await olderClient.callTool(call)).structuredContent));
const client = new Client(info);
const [here, there] = InMemoryTransport.createLinkedPair();
await Promise.all([newer.connect(there), client.connect(here)]);
console.log(JSON.stringify((await client.callTool(call)).structuredContent));
await engine.close();
`;
