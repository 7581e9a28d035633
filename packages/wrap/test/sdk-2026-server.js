// A server with the SDK 2.x, which speaks both eras: over stdio, or over HTTP where its argument says so.
import { createServer } from "node:http";
import { toNodeHandler } from "@modelcontextprotocol/node";
import { createMcpHandler, inputRequired, McpServer } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { z } from "zod";

function make() {
  const server = new McpServer({ name: "sdk", version: "2" });
  const inputSchema = z.object({ text: z.string().meta({ "x-mcp-header": "Text" }) });
  server.registerTool("echo", { description: "Echoes.", inputSchema }, async ({ text }, { mcpReq }) => {
    const { progressToken } = mcpReq._meta ?? {};
    if (progressToken !== undefined)
      await mcpReq.notify({ method: "notifications/progress", params: { progressToken, progress: 1, total: 1 } });
    return { content: [{ type: "text", text }] };
  });
  server.registerTool("greet", { description: "Asks.", inputSchema: z.object({}) }, async (_input, { mcpReq }) => {
    const answer = mcpReq.inputResponses?.who;
    if (answer !== undefined) return { content: [{ type: "text", text: `Hello, ${answer.content?.name}.` }] };
    const requestedSchema = { type: "object", properties: { name: { type: "string" } }, required: ["name"] };
    return inputRequired({ inputRequests: { who: inputRequired.elicit({ message: "Who?", requestedSchema }) } });
  });
  server.registerTool(
    "ask",
    { description: "Asks by a request.", inputSchema: z.object({}) },
    async (_input, { mcpReq }) => {
      const requestedSchema = { type: "object", properties: { name: { type: "string" } }, required: ["name"] };
      const { content } = await mcpReq.elicitInput({ message: "Who?", requestedSchema });
      return { content: [{ type: "text", text: `Hello, ${content.name}.` }] };
    },
  );
  server.registerPrompt("hello", { description: "Says hello." }, () => ({ messages: [] }));
  return server;
}

if (process.argv[2] === "http") {
  const http = createServer(toNodeHandler(createMcpHandler(make)));
  http.listen(0, "127.0.0.1", () => process.stderr.write(`listening on http://127.0.0.1:${http.address().port}/mcp\n`));
} else serveStdio(make);
