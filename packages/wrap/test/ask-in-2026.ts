import type { JsonObject } from "@resumable-mcp/core";

/** A client of the 2026 era with these capabilities: gives the result of a request over HTTP, or the whole response where that is an error. */
export function askIn2026(url: string, capabilities: JsonObject) {
  return async (method: string, params: JsonObject): Promise<JsonObject> => {
    const _meta = {
      "io.modelcontextprotocol/protocolVersion": "2026-07-28",
      "io.modelcontextprotocol/clientInfo": { name: "test", version: "1" },
      "io.modelcontextprotocol/clientCapabilities": capabilities,
    };
    const name = params.name ?? params.taskId;
    const headers = {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      "mcp-protocol-version": "2026-07-28",
      "mcp-method": method,
      ...(typeof name === "string" && { "mcp-name": name }),
    };
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params: { ...params, _meta } });
    const text = await (await fetch(url, { method: "POST", headers, body })).text();
    const lines = text.split("\n").map((line) => line.replace(/^data: /, ""));
    const last = lines.findLast((line) => line.startsWith("{")) ?? "{}";
    return Object(JSON.parse(last).result ?? JSON.parse(last));
  };
}
