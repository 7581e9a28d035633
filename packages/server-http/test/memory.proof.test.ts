import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { defineTool } from "@resumable-mcp/core";
import { defineServer } from "@resumable-mcp/mcp/define-server";
import { createFsStore } from "@resumable-mcp/store-fs";
import { expect, test } from "vitest";
import { z } from "zod";
import { serve } from "../src/index.js";
import { afterwards, testFolder } from "./server-process.js";

setFlagsFromString("--expose-gc");
const collectGarbage: () => void = runInNewContext("gc");

const showsApps = { "io.modelcontextprotocol/ui": { mimeTypes: ["text/html;profile=mcp-app"] } };

const takesAnything = defineTool({
  name: "take",
  description: "Takes any value.",
  input: z.object({ value: z.unknown() }),
  run: async () => "taken",
});

async function openSession() {
  const definition = defineServer({ name: "costs", version: "1.0.0", tools: [takesAnything] });
  const store = createFsStore({ directory: await testFolder(), durability: "process" });
  const server = await serve({ definition, store, port: 0 });
  afterwards(() => server.close());
  let session: Record<string, string> = {};
  const post = async (message: string): Promise<number> => {
    const response = await fetch(server.url, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        ...session,
      },
      body: `{"jsonrpc":"2.0",${message}}`,
    });
    await response.text();
    const id = response.headers.get("mcp-session-id");
    if (id !== null) session = { "mcp-session-id": id };
    return response.status;
  };
  const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "raw", version: "1" } };
  expect(await post(`"id":0,"method":"initialize","params":${JSON.stringify(params)}`)).toBe(200);
  let id = 0;
  return (value: string) => {
    id += 1;
    return post(`"id":${id},"method":"tools/call","params":{"name":"take","arguments":{"value":${value}}}`);
  };
}

test("G11 sessions that show the panel share its page", async () => {
  const page = `<!doctype html><html><head></head><body>${"panel ".repeat(150_000)}</body></html>`;
  // A copy each time, as a loaded file would be.
  const panel = async () => Buffer.from(page).toString();
  const definition = defineServer({ name: "panel", version: "1.0.0", tools: [takesAnything], panel });
  const store = createFsStore({ directory: await testFolder(), durability: "process" });
  const server = await serve({ definition, store, port: 0 });
  afterwards(() => server.close());
  const showPanel = async (): Promise<number> => {
    const client = new Client({ name: "host", version: "1" }, { capabilities: { extensions: showsApps } });
    const transport = new StreamableHTTPClientTransport(new URL(server.url));
    await client.connect(transport);
    const { contents } = await client.readResource({ uri: "ui://resumable-mcp/panel" });
    // The session stays.
    await client.close();
    return JSON.stringify(contents).length;
  };
  expect(await showPanel()).toBeGreaterThan(page.length);
  collectGarbage();
  const before = process.memoryUsage().heapUsed;
  for (let times = 0; times < 16; times += 1) await showPanel();
  const grownMiB = () => {
    collectGarbage();
    return (process.memoryUsage().heapUsed - before) / 2 ** 20;
  };
  // One page has 0.9 MiB.
  await expect.poll(grownMiB).toBeLessThan(5);
});

test("G11 what finished calls were made with does not stay in the memory of the process", async () => {
  const call = await openSession();
  // An object takes twenty times its text: 2.5 MiB.
  const objects = `[${"{},".repeat(40_000)}0]`;
  expect(await call('"small"')).toBe(200);
  collectGarbage();
  const before = process.memoryUsage().heapUsed;
  for (let times = 0; times < 24; times += 1) expect(await call(objects)).toBe(200);
  const grownMiB = () => {
    collectGarbage();
    return (process.memoryUsage().heapUsed - before) / 2 ** 20;
  };
  // What the store keeps of tasks that it read lately takes up to 16 MiB.
  await expect.poll(grownMiB).toBeLessThan(24);
});
