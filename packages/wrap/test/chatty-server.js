// An MCP server that sends during a call whatever its arguments say.
import { createInterface } from "node:readline";

const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
const initialized = {
  protocolVersion: "2025-11-25",
  capabilities: { tools: {}, logging: {} },
  serverInfo: { name: "chatty", version: "1" },
};

createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line);
  if (method === "initialize") send({ id, result: initialized });
  else if (method === "tools/list") send({ id, result: { tools: [{ name: "say", inputSchema: { type: "object" } }] } });
  else if (method === "tools/call") {
    const { character = "", times = 0, append, log, dies, rounds = 1, appends, hangs } = params.arguments;
    if (dies) process.exit(1);
    const text = character.repeat(times);
    const checkpoint = appends
      ? { state: "s", append: [{ type: "text", text }] }
      : { state: text, ...(append !== undefined && { append }) };
    const { progressToken } = params._meta;
    if (log) send({ method: "notifications/message", params: { level: "info", data: text } });
    else
      for (let progress = 1; progress <= rounds; progress += 1) {
        const _meta = { "io.github.resumable-mcp/checkpoint": checkpoint };
        send({ method: "notifications/progress", params: { progressToken, progress, _meta } });
      }
    if (!hangs) send({ id, result: { content: [] } });
  } else if (id !== undefined) send({ id, error: { code: -32_601, message: `${method} is not served.` } });
});
