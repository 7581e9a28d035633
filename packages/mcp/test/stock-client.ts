import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { InMemoryTransport } from "@modelcontextprotocol/sdk/inMemory.js";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { createEngine, createMemoryStore, type Store, type Tool } from "@resumable-mcp/core";
import { createEngineTelemetry } from "@resumable-mcp/telemetry";
import { afterEach } from "vitest";
import { type RegisterOptions, registerTools } from "../src/index.js";

/** What is closed after the test, the last first. */
export const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

/** Serves tools to a stock client; `open` connects one more to the same engine. All is closed after the test. */
export async function connect(
  tools: readonly Tool[],
  options: RegisterOptions = { controlTools: "all" },
  capabilities = {},
  store: Store = createMemoryStore(),
) {
  const engine = createEngine({
    store,
    tools,
    telemetry: createEngineTelemetry(),
    // Tools that wait at a closed gate are not waited for.
    limits: { graceMs: 20, drainTimeoutMs: 20 },
  });
  const open = async () => {
    const server = new McpServer({ name: "test", version: "1" });
    registerTools(server, engine, options);
    const client = new Client({ name: "stock", version: "1" }, { capabilities });
    const [here, there] = InMemoryTransport.createLinkedPair();
    await Promise.all([server.connect(there), client.connect(here)]);
    closing.push(() => client.close());
    return client;
  };
  closing.push(() => engine.close());
  return { engine, store, client: await open(), open };
}

/** Calls a tool. */
export const call = (client: Client, name: string, args: Record<string, unknown>, options = {}, _meta = {}) =>
  client.callTool({ name, arguments: args, _meta }, undefined, options);
