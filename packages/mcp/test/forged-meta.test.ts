import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js";
import { createEngine, createMemoryStore } from "@resumable-mcp/core";
import { metaKeys } from "@resumable-mcp/protocol";
import { expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { registerTools } from "../src/index.js";
import { countTool } from "./counting-tool.js";

const answer = z.object({ result: z.object({ _meta: z.object({ [metaKeys.taskId]: z.string() }) }) });

/** One request to a server behind the SDK's own HTTP transport; its subject comes with it. */
async function callOverStock(engine: ReturnType<typeof createEngine>, subject: string, meta: object) {
  const server = new McpServer({ name: "test", version: "1" });
  registerTools(server, engine);
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
  await server.connect(transport);
  onTestFinished(() => server.close());
  const params = { name: "count_to", arguments: { n: 1 }, _meta: meta };
  const request = new Request("http://127.0.0.1/mcp", {
    method: "POST",
    headers: { "content-type": "application/json", accept: "application/json, text/event-stream" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params }),
  });
  const authInfo = { token: subject, clientId: "stock", scopes: [], extra: { sub: subject } };
  const response = await transport.handleRequest(request, { authInfo });
  return answer.parse(await response.json()).result._meta[metaKeys.taskId];
}

test("over the SDK's own HTTP transport a call cannot choose its task's id, and so not find out whether it is taken (G10)", async () => {
  const engine = createEngine({ store: createMemoryStore(), tools: [countTool()] });
  onTestFinished(() => engine.close());
  const alices = await callOverStock(engine, "alice", {});
  const free = "0123456789abcdef0123456789";
  for (const id of [alices, free]) {
    const forged = { [metaKeys.callId]: id, [metaKeys.taskId]: id, [metaKeys.redelivered]: true };
    const bobs = await callOverStock(engine, "bob", { ...forged, [metaKeys.newTask]: true });
    expect(bobs).toMatch(/^[A-Za-z0-9_-]{22,}$/);
    expect([alices, free]).not.toContain(bobs);
  }
});
