// An MCP server by raw JSON-RPC over stdio that offers something of each kind, and answers with its name and what it was asked.
import { createInterface } from "node:readline";

const [name = "", instructions] = process.argv.slice(2);
const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
const inputSchema = { type: "object" };
const tools = ["read", `${name}_only`, ...(name === "two" ? ["one_read"] : [])].map((tool) => ({
  name: tool,
  inputSchema,
}));

const lists = {
  "tools/list": { tools },
  "prompts/list": { prompts: [{ name: "greet" }, { name: `greet_${name}` }] },
  "resources/templates/list": { resourceTemplates: [{ uriTemplate: `${name}://item/{id}`, name: "item" }] },
};
let listed = 0;
const pages = [`${name}://first`, "same://both", `${name}://last`].map((uri) => ({ uri, name: uri }));

function answer(method, params) {
  if (method === "initialize")
    return {
      protocolVersion: params.protocolVersion,
      capabilities: { tools: {}, prompts: {}, resources: { subscribe: true }, completions: {}, logging: {} },
      serverInfo: { name, version: "1" },
      ...(instructions !== undefined && { instructions }),
    };
  if (method === "resources/list") {
    listed += 1;
    const at = Number(params.cursor ?? 0);
    return { resources: pages.slice(at, at + 1), ...(at + 1 < pages.length && { nextCursor: String(at + 1) }) };
  }
  if (lists[method] !== undefined) return lists[method];
  const text = `${name}: ${params.level ?? params.uri ?? params.name ?? JSON.stringify(params.ref)}`;
  if (method === "tools/call" || method === "prompts/get") return { content: [{ type: "text", text }], messages: [] };
  if (method === "resources/read" && params.uri.startsWith("hidden:") && name === "one") return undefined;
  if (params.uri === "hidden:count") return { text: `listed ${listed}` };
  return { text };
}

createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  const result = method === "server/discover" ? undefined : answer(method, params);
  send(result === undefined ? { id, error: { code: -32_601, message: `${name} does not have it.` } } : { id, result });
  if (method === "resources/subscribe")
    send({ method: "notifications/resources/updated", params: { uri: `${params.uri}/of-${name}` } });
  if (params?.uri === "hidden:change") send({ method: "notifications/resources/list_changed" });
  if (method === "logging/setLevel")
    send({ method: "notifications/own", params: { level: `${name} ${params.level}` } });
});
