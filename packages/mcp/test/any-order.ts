import { defineTool, type JsonObject } from "@resumable-mcp/core";
import { z } from "zod";

/** A quick tool. */
export const greet = defineTool({
  name: "greet",
  description: "Greets.",
  input: z.object({ name: z.string() }),
  durable: true,
  run: async ({ name }) => `Hello, ${name}!`,
});

const _meta = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientCapabilities": {},
};
const call = { name: "greet", arguments: { name: "Ada" } };
const clientInfo = { name: "raw", version: "1" };
const initialize = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo };

/** What a client may send, right or wrong; all of it has an id, so that all of it is answered. */
const requests: readonly JsonObject[] = [
  { method: "initialize", params: initialize },
  { method: "initialize", params: {} },
  { method: "server/discover", params: { _meta } },
  { method: "server/discover" },
  { method: "tools/list", params: { _meta } },
  { method: "tools/list" },
  { method: "tools/call", params: { ...call, _meta } },
  { method: "tools/call", params: call },
  { method: "tools/call", params: { name: "nothing", _meta } },
  { method: "tools/call", params: {} },
  { method: "ping" },
  { method: "ping", params: { _meta } },
  { method: "tasks/get", params: { taskId: "none", _meta } },
  { method: "tasks/get", params: { taskId: "none" } },
  { method: "resources/read", params: { uri: "task://none" } },
  { method: "logging/setLevel", params: { level: "info" } },
  { method: "no/such" },
  { method: "no/such", params: { _meta } },
  { method: "tools/list", params: { _meta: { "io.modelcontextprotocol/protocolVersion": 7 } } },
  { method: "tools/list", params: { _meta: { ..._meta, "io.modelcontextprotocol/protocolVersion": "2025-11-25" } } },
  { method: "tools/list", params: { _meta: "text" } },
  { method: "tools/list", params: { _meta: { progressToken: {} } } },
  { method: "tools/list", params: { _meta: { ..._meta, progressToken: {} } } },
  { method: "tools/list", params: [] },
  { method: "tools/list", params: null },
  { method: "ping", more: true },
];
const notifications: readonly JsonObject[] = [
  { method: "notifications/initialized" },
  { method: "notifications/no_such", params: { _meta } },
  { method: "notifications/cancelled", params: { requestId: "none" } },
];
const maxMessages = 8;

/** Numbers from 0 up to a bound, the same for the same seed. Source: mulberry32, public domain. */
export function createRandom(seed: number): (bound: number) => number {
  let state = seed;
  return (bound) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % bound;
  };
}

/** Some messages in some order; requests have their index as id. */
export function someMessages(random: (bound: number) => number): readonly JsonObject[] {
  return Array.from({ length: 1 + random(maxMessages) }, (_, index): JsonObject => {
    const isRequest = random(5) > 0;
    const source = isRequest ? requests : notifications;
    return { jsonrpc: "2.0", ...source[random(source.length)], ...(isRequest ? { id: index } : {}) };
  });
}
