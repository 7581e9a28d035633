import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { z } from "zod";
import type { PanelServer } from "./panel-server.js";

const started = z.object({ task_id: z.string() });
const page = z.object({ items: z.array(z.unknown()), next: z.number(), total: z.number() });
const itemsPerPage = 1_000;

/** Another client of the server, for what no page does. */
export interface OtherClient {
  /** Calls a tool of which the answer comes at once: its task continues by itself. Resolves to the id of the task. */
  start(tool: string, args?: Record<string, unknown>): Promise<string>;
  /** Calls a tool; resolves to its structured content. */
  call(tool: string, args?: Record<string, unknown>, meta?: Record<string, unknown>): Promise<unknown>;
  /** All items of a task. */
  items(taskId: string): Promise<readonly unknown[]>;
}

/** Through a proxy comes another user than the one of this machine. */
export const ofAnotherUser = {
  headers: { "x-forwarded-for": "192.0.2.1" },
  client_id: "6731a09a9cac4ba4f8d3e1f8309bed7f",
};

/** Connects a client of the stateless revision: it needs no session, and outlives the server. */
export async function connectClient(
  { url }: PanelServer,
  token?: string,
  more: Record<string, string> = {},
): Promise<OtherClient> {
  const client = new Client(
    { name: "other", version: "1.0.0" },
    { versionNegotiation: { mode: { pin: "2026-07-28" } } },
  );
  const headers = token === undefined ? more : { ...more, authorization: `Bearer ${token}` };
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }));
  const call: OtherClient["call"] = async (name, args = {}, _meta = {}) => {
    const { structuredContent, isError, content } = await client.callTool({ name, arguments: args, _meta });
    if (isError === true) throw new Error(`${name} failed: ${JSON.stringify(content)}`);
    return structuredContent;
  };
  return {
    call,
    start: async (tool, args) => started.parse(await call(tool, args, { "resumable-mcp/handoff": 0 })).task_id,
    items: async (taskId) => {
      const items: unknown[] = [];
      for (;;) {
        const args = { task_id: taskId, after: items.length, limit: itemsPerPage };
        const part = page.parse(await call("get_task_items", args));
        items.push(...part.items);
        if (part.items.length === 0 || part.next >= part.total) return items;
      }
    },
  };
}
