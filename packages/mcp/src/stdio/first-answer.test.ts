import { SUPPORTED_PROTOCOL_VERSIONS } from "@modelcontextprotocol/sdk/types.js";
import { createEngine, createMemoryStore, defineTool, type JsonObject } from "@resumable-mcp/core";
import { expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import type { ServerDefinition } from "../define-server.js";
import { firstAnswer } from "./first-answer.js";
import { serveStdioEras } from "./stdio-eras.js";

const greet = defineTool({
  name: "greet",
  description: "Greets.",
  input: z.object({ name: z.string() }),
  durable: true,
  run: async ({ name }) => `Hello, ${name}!`,
});
const plain: ServerDefinition = { name: "plain", version: "1.2.3", tools: [greet] };
const uncontrolled: ServerDefinition = { ...plain, controlTools: "none" };
const instructed: ServerDefinition = { ...plain, instructions: "Greet politely." };

const icons = [{ src: "https://example.com/i.png", mimeType: "image/png", sizes: ["48x48"] }];
const clientInfo = { name: "host", title: "A host", version: "1", websiteUrl: "https://example.com", icons };
const capabilities = {
  roots: { listChanged: true },
  sampling: { tools: {} },
  elicitation: { form: { applyDefaults: true }, url: {} },
  experimental: { "x/y": {} },
  extensions: { "io.modelcontextprotocol/ui": { mimeTypes: ["text/html;profile=mcp-app"] } },
};
const initialize = (params: object = {}, others: object = {}) => ({
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-11-25", capabilities, clientInfo, ...params },
  ...others,
});
const discover = (meta: object = {}) => ({
  jsonrpc: "2.0",
  id: "d",
  method: "server/discover",
  params: {
    _meta: {
      "io.modelcontextprotocol/protocolVersion": "2026-07-28",
      "io.modelcontextprotocol/clientInfo": clientInfo,
      "io.modelcontextprotocol/clientCapabilities": capabilities,
      ...meta,
    },
  },
});

/** A connection whose SDKs answer, and what it has written. */
function connect(definition: ServerDefinition) {
  const engine = createEngine({ store: createMemoryStore(), tools: definition.tools });
  const written: JsonObject[] = [];
  const waiting: (() => void)[] = [];
  const connection = serveStdioEras({
    definition,
    engine,
    write: async (message) => {
      written.push(message as JsonObject);
      for (const wake of waiting.splice(0)) wake();
    },
    onError: (error) => {
      throw error;
    },
  });
  onTestFinished(async () => {
    await connection.close();
    await engine.close();
  });
  const next = async (): Promise<JsonObject> => {
    while (written.length === 0) await new Promise<void>((resolve) => waiting.push(resolve));
    return written.shift() ?? {};
  };
  return { connection, next };
}

test.each([
  ["plain", plain],
  ["with instructions", instructed],
  ["without control tools", uncontrolled],
])("every first answer that is given without an SDK is the one that the SDK gives: a definition %s", async (_, of) => {
  const requests = SUPPORTED_PROTOCOL_VERSIONS.map((protocolVersion) => initialize({ protocolVersion }));
  for (const request of [...requests, discover(), discover({ "io.modelcontextprotocol/clientInfo": undefined })]) {
    const { connection, next } = connect(of);
    await connection.receive(JSON.parse(JSON.stringify(request)));
    expect(firstAnswer(of, JSON.parse(JSON.stringify(request)))).toEqual(await next());
  }
});

test("only clients of 2025-11-25 hear of its tasks", async () => {
  const knowing: string[] = [];
  for (const protocolVersion of SUPPORTED_PROTOCOL_VERSIONS) {
    const { connection, next } = connect(plain);
    await connection.receive(initialize({ protocolVersion }));
    if ("tasks" in Object(Reflect.get(Object((await next()).result), "capabilities"))) knowing.push(protocolVersion);
  }
  expect(knowing).toEqual(["2025-11-25"]);
});

test.each([
  ["a definition with setup", { ...plain, setup: () => {} }, initialize()],
  ["a definition with setup2026", { ...plain, setup2026: () => {} }, discover()],
  ["two tools of one name", { ...plain, tools: [greet, greet] }, initialize()],
  ["a tool with the name of a control tool", { ...plain, tools: [{ ...greet, name: "get_task" }] }, initialize()],
  ["an unknown version", plain, initialize({ protocolVersion: "2030-01-01" })],
  ["an unknown version of the 2026 era", plain, discover({ "io.modelcontextprotocol/protocolVersion": "2030-01-01" })],
  ["params with more in them", plain, initialize({ _meta: { progressToken: {} } })],
  ["a message with more in it", plain, initialize({}, { more: 1 })],
  ["an id that is not one", plain, initialize({}, { id: 1.5 })],
  ["no params", plain, initialize({}, { params: undefined })],
  ["a client without a version", plain, initialize({ clientInfo: { name: "host" } })],
  ["a client with a malformed icon", plain, initialize({ clientInfo: { ...clientInfo, icons: [{ src: 1 }] } })],
  ["a client with a malformed title", plain, initialize({ clientInfo: { ...clientInfo, title: 1 } })],
  ["capabilities that are not objects", plain, initialize({ capabilities: { sampling: true } })],
  ["a flag that is not one", plain, initialize({ capabilities: { roots: { listChanged: {} } } })],
  ["an unknown key of the envelope", plain, discover({ "io.modelcontextprotocol/logLevel": 1 })],
  ["another request", plain, initialize({}, { method: "ping" })],
])("the SDK is asked about %s", (_, definition, request) => {
  expect(firstAnswer(definition, request)).toBeUndefined();
});

test("what was answered before an SDK was loaded is not answered again, and the SDK knows it", async () => {
  const { connection, next } = connect(plain);
  const request = initialize();
  await connection.receive(request, firstAnswer(plain, request));
  await connection.receive({ jsonrpc: "2.0", method: "notifications/initialized" });
  await connection.receive({
    jsonrpc: "2.0",
    id: 2,
    method: "tools/call",
    params: { name: "greet", arguments: { name: "Ada" } },
  });
  expect(await next()).toMatchObject({ id: 2, result: { content: [{ type: "text", text: "Hello, Ada!" }] } });
});
