// An MCP server of the 2025 era, by raw JSON-RPC over stdio. A call of its tool changes everything that it offers; `die` ends it.
import { createInterface } from "node:readline";

const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
const tools = ["change", "die", "subscribed"].map((name) => ({ name, inputSchema: { type: "object" } }));
const subscribed = [];

function answer(method, params) {
  if (method === "initialize") {
    const changing = { listChanged: true };
    return {
      protocolVersion: "2025-11-25",
      capabilities: { tools: changing, prompts: changing, resources: { ...changing, subscribe: true } },
      serverInfo: { name: "changing", version: "1" },
    };
  }
  if (method === "tools/list") return { tools };
  if (method === "resources/subscribe" && params.uri.startsWith("none:")) return undefined;
  if (method === "resources/subscribe") subscribed.push(params.uri);
  if (method === "resources/unsubscribe") subscribed.splice(subscribed.indexOf(params.uri), subscribed.length);
  if (method !== "tools/call") return {};
  if (params.name === "die") process.exit(1);
  if (params.name === "change") {
    for (const uri of ["file:///a", "file:///b/part"])
      send({ method: "notifications/resources/updated", params: { uri } });
    tools.push({ name: `new-${tools.length}`, inputSchema: { type: "object" } });
    for (const part of ["tools", "prompts", "resources"]) send({ method: `notifications/${part}/list_changed` });
  }
  return { content: [{ type: "text", text: JSON.stringify(subscribed) }] };
}

createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  const result = method === "server/discover" ? undefined : answer(method, params);
  send(result === undefined ? { id, error: { code: -32_602, message: "It has none." } } : { id, result });
});
