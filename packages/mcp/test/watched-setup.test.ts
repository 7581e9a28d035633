import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { InMemoryServerEventBus } from "@modelcontextprotocol/server";
import { createEngine, createMemoryStore } from "@resumable-mcp/core";
import { expect, onTestFinished, test } from "vitest";
import { EndingController } from "../src/call/ending.js";
import { OtherServer2025 } from "../src/era-2025/other-server.js";
import { SetupServer } from "../src/era-2026/setup-server.js";
import { makeNotifier } from "../src/era-2026/subscriptions/listener.js";
import { forSdk, openRegistry, watchTransport } from "../src/sdk-workarounds.js";

/** Watches a server's messages from when it is connected on, as instrumentations of the SDKs do. */
function watch(server: object): unknown[] {
  const heard: unknown[] = [];
  const { connect }: { connect: (transport: object) => Promise<void> } = forSdk(server);
  const connectWatched = async (transport: object) => {
    await connect.call(server, transport);
    watchTransport(
      transport,
      () => undefined,
      (message) => heard.push(Reflect.get(Object(message), "method")),
    );
  };
  Object.assign(server, { connect: connectWatched });
  return heard;
}

const unused = { carry() {}, authenticated: () => undefined };

test("what watches the messages of a server of the 2025 era hears of its requests", async () => {
  const server = new McpServer({ name: "own", version: "1" });
  server.registerTool("echo", {}, () => ({ content: [] }));
  const heard = watch(server);
  const other = await OtherServer2025.connect(server, { send: async () => {} });
  await other.ask(undefined, "tools/list", {});
  expect(heard).toEqual(["tools/list"]);
});

test("what watches the messages of a server of the 2026 era hears of its requests", async () => {
  const engine = createEngine({ store: createMemoryStore(), tools: [] });
  onTestFinished(() => engine.close());
  let heard: unknown[] = [];
  const definition = {
    ...{ name: "own", version: "1", tools: [] },
    setup2026(mcp: object) {
      openRegistry(mcp).registerTool("echo", {}, () => ({ content: [] }));
      heard = watch(mcp);
    },
  };
  const changes = makeNotifier(new InMemoryServerEventBus());
  const server = await SetupServer.build(definition, engine, {}, { changes, callTool: fail, onOther: undefined });
  const meta = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
  };
  const request = { id: 1, meta, ending: new EndingController(), notify: async () => {}, ...unused };
  await server.ask(request, "tools/list", { _meta: meta });
  expect(heard).toEqual(["tools/list"]);
});

async function fail(): Promise<never> {
  throw new Error("Not asked here.");
}
