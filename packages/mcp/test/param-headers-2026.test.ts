import { createMcpHandler, McpServer } from "@modelcontextprotocol/server";
import { createEngine, createMemoryStore, defineTool } from "@resumable-mcp/core";
import { expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { createHandler2026, registerTools2026, withTasks } from "../src/era-2026/index.js";

const tools = [
  defineTool({
    name: "ship",
    description: "Ships to a zone.",
    input: z.object({ zone: z.number().int().meta({ "x-mcp-header": "Zone" }) }),
    state: {},
    // biome-ignore lint/correctness/useYield: it only returns.
    async *run() {
      return "shipped";
    },
  }),
];

test.each(["our own", "its author's"])(
  "on %s server a parameter's header has to say what the body says",
  async (whose) => {
    const engine = createEngine({ store: createMemoryStore(), tools });
    const createServer = () => {
      const server = new McpServer({ name: "test", version: "1" });
      registerTools2026(server, engine);
      return server;
    };
    const handler =
      whose === "our own"
        ? createHandler2026({ engine, definition: { name: "test", version: "1", tools } })
        : withTasks(createMcpHandler(createServer), engine);
    onTestFinished(() => engine.close());
    onTestFinished(() => handler.close());
    const statusOf = async (zone: string | undefined, value = 0) => {
      const _meta = {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
      };
      const params = { name: "ship", arguments: { zone: value }, _meta };
      const headers = {
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        "mcp-protocol-version": "2026-07-28",
        "mcp-method": "tools/call",
        "mcp-name": "ship",
        ...(zone !== undefined && { "mcp-param-zone": zone }),
      };
      const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params });
      const request = new Request("http://127.0.0.1/mcp", { method: "POST", headers, body });
      const authInfo = { token: "t", clientId: "stock", scopes: [], extra: { sub: "ada" } };
      const { status } = await handler.fetch(request, { authInfo });
      return status;
    };
    for (const zone of [undefined, "1", "", "0x0", "=?base64?MA=?="])
      expect([zone, await statusOf(zone)]).toEqual([zone, 400]);
    expect(await statusOf("0x1F", 31)).toBe(400);
    for (const zone of ["0", "0.0", "=?base64?MA==?="]) expect([zone, await statusOf(zone)]).toEqual([zone, 200]);
  },
);
