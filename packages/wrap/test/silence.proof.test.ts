import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { createEngine, createMemoryStore } from "@resumable-mcp/core";
import { serveUpstream } from "@resumable-mcp/mcp/define-server";
import { expect, it, onTestFinished } from "vitest";
import { wrap } from "../src/index.js";

/** Longer than `fetch` waits for the next word of an answer. */
const silenceMs = 310_000;

it.concurrent.each([
  ["answers by a stream", true],
  ["answers at once with all", false],
])(
  "a server over HTTP that %s may work on a call for longer than five minutes without a word",
  async (_what, streams) => {
    const http = createServer(async (request, response) => {
      const { id, method } = JSON.parse(await text(request));
      const body = (result: object) => JSON.stringify({ jsonrpc: "2.0", id, result });
      if (method === "server/discover")
        return void response.end(body({ supportedVersions: ["2026-07-28"], capabilities: { tools: {} } }));
      if (method === "tools/list") return void response.end(body({ tools: [{ name: "slow", inputSchema: {} }] }));
      if (streams) response.writeHead(200, { "content-type": "text/event-stream" }).flushHeaders();
      const result = body({ content: [{ type: "text", text: "done" }] });
      setTimeout(() => response.end(streams ? `data: ${result}\n\n` : result), silenceMs);
    });
    await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => {
      http.closeAllConnections();
      http.close();
    });
    const definition = await wrap({ url: `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp` });
    const engine = createEngine({ store: createMemoryStore(), tools: definition.tools });
    serveUpstream(engine, definition);
    onTestFinished(async () => {
      await engine.close();
      await definition.upstream?.close();
    });
    const tasks = engine.forOwner("local:test");
    const { record } = await tasks.start({ tool: "slow", input: {} });
    expect(JSON.stringify((await tasks.wait(record.id)).record.output)).toContain("done");
  },
  2 * silenceMs,
);
