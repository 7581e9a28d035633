// A server that sends its user to a URL, by raw JSON-RPC over stdio, in the era of its argument.
import { createInterface } from "node:readline";

const [era = ""] = process.argv.slice(2);
const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
const text = (said) => ({ content: [{ type: "text", text: said }] });
const params = { mode: "url", message: "Sign in.", url: "https://example.com/secret" };
const tools = [{ name: "visit", inputSchema: { type: "object" } }];
const ofEra2026 = { resultType: "complete", ttlMs: 0, cacheScope: "private" };
let calling;
let calls = 0;

function answer({ id, method, params: given = {}, result, error }) {
  if (method === "server/discover" && era === "2026") {
    const _meta = { "io.modelcontextprotocol/serverInfo": { name: "url", version: "1" } };
    return { result: { ...ofEra2026, supportedVersions: ["2026-07-28"], capabilities: { tools: {} }, _meta } };
  }
  if (method === "initialize" && era === "2025") {
    const serverInfo = { name: "url", version: "1" };
    return { result: { protocolVersion: "2025-11-25", capabilities: { tools: {} }, serverInfo } };
  }
  if (method === "tools/list") return { result: { ...(era === "2026" && ofEra2026), tools } };
  if (method === "tools/call" && era === "2026") {
    const { requestState, inputResponses } = given;
    if (inputResponses !== undefined)
      return { result: { resultType: "complete", ...text(`${requestState}: ${inputResponses.go.action}`) } };
    const inputRequests = { go: { method: "elicitation/create", params } };
    return { result: { resultType: "input_required", inputRequests, requestState: "visited" } };
  }
  if (method === "tools/call" && given.arguments.before === true) {
    calls += 1;
    const data = { elicitations: [{ ...params, elicitationId: "e1" }] };
    return calls < 3 ? { error: { code: -32_042, message: "Sign in first.", data } } : { result: text("signed in") };
  }
  if (method === "tools/call") {
    calling = id;
    send({ id: "go", method: "elicitation/create", params: { ...params, elicitationId: "e1" } });
    return undefined;
  }
  if (id === "go") {
    if (result !== undefined) send({ method: "notifications/elicitation/complete", params: { elicitationId: "e1" } });
    send({ id: calling, result: text(`visited: ${result?.action ?? error.message}`) });
    return undefined;
  }
  return { error: { code: -32_601, message: `${method} is not served.` } };
}

createInterface({ input: process.stdin }).on("line", (line) => {
  const message = JSON.parse(line);
  const answered = message.id === undefined ? undefined : answer(message);
  if (answered !== undefined) send({ id: message.id, ...answered });
});
