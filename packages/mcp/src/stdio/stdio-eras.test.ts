import { createEngine, createMemoryStore, defineTool, type JsonObject } from "@resumable-mcp/core";
import { expect, onTestFinished, test, vi } from "vitest";
import { z } from "zod";
import type { ServerDefinition } from "../define-server.js";
import { serveStdioEras } from "./stdio-eras.js";

const tool = defineTool({
  name: "greet",
  description: "Greets.",
  input: z.object({ name: z.string() }),
  durable: true,
  run: async ({ name }) => `Hello, ${name}!`,
});

interface ConnectOptions extends Pick<ServerDefinition, "setup" | "setup2026"> {
  readonly onWrite?: (message: object) => void;
  readonly onError?: (error: unknown) => void;
}

function failTest(error: unknown): never {
  throw error;
}

function connect({ onWrite = () => {}, onError = failTest, ...setups }: ConnectOptions = {}) {
  const engine = createEngine({ store: createMemoryStore(), tools: [tool] });
  const opened = vi.spyOn(engine, "open");
  const waiting = new Map<unknown, (message: JsonObject) => void>();
  const connection = serveStdioEras({
    definition: { name: "test", version: "1", tools: [tool], ...setups },
    engine,
    write: async (message) => {
      onWrite(message);
      waiting.get((message as JsonObject).id)?.(message as JsonObject);
    },
    onError,
  });
  onTestFinished(() => engine.close());
  onTestFinished(() => connection.close());
  let nextId = 0;
  const ask = (method: string, params: JsonObject = {}) => {
    const id = ++nextId;
    return new Promise<JsonObject>((resolve, reject) => {
      waiting.set(id, resolve);
      connection.receive({ jsonrpc: "2.0", id, method, params }).catch(reject);
    });
  };
  return { ask, opened, connection };
}

const _meta = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientCapabilities": {},
};
const clientInfo = { name: "stock", version: "1" };
const initialize = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo };
const greet = { name: "greet", arguments: { name: "Ada" } };
const hello = { result: { content: [{ type: "text", text: "Hello, Ada!" }] } };

test("a client of the 2025 era is served by its first message", async () => {
  const { ask, connection } = connect();
  expect(await ask("initialize", initialize)).toMatchObject({ result: { protocolVersion: "2025-11-25" } });
  await connection.receive({ jsonrpc: "2.0", method: "notifications/initialized" });
  expect(await ask("tools/call", greet)).toMatchObject(hello);
});

test("a client of the 2026 era is served by its first message", async () => {
  const { ask } = connect();
  expect(await ask("tools/call", { ...greet, _meta })).toMatchObject(hello);
});

test("what is malformed and not a request gets no answer in the 2026 era", async () => {
  const written: object[] = [];
  const { ask, connection } = connect({ onWrite: (message) => written.push(message) });
  const malformed = { _meta: { ..._meta, "io.modelcontextprotocol/protocolVersion": 7 } };
  await connection.receive({ jsonrpc: "2.0", method: "notifications/progress", params: malformed });
  await connection.receive({ jsonrpc: "2.0", id: "none", result: {}, params: malformed });
  await ask("tools/list", { _meta });
  expect(written).toMatchObject([{ id: 1, result: {} }]);
});

/** Rejections that no handler took, from now on to the end of the test. */
function unhandledRejections(): unknown[] {
  const unhandled: unknown[] = [];
  const note = (error: unknown) => unhandled.push(error);
  process.on("unhandledRejection", note);
  onTestFinished(async () => void process.off("unhandledRejection", note));
  return unhandled;
}

/** A client that hears of changes, of either era; `ready` is the last message that it is sent before. */
const listening = {
  "2025": {
    ready: "answer",
    messages: [
      { id: "answer", method: "initialize", params: initialize },
      { method: "notifications/initialized", params: {} },
    ],
  },
  "2026": {
    ready: "notifications/subscriptions/acknowledged",
    messages: [
      { id: "s", method: "subscriptions/listen", params: { notifications: { toolsListChanged: true }, _meta } },
    ],
  },
} as const;

test.each(["2025", "2026"] as const)(
  "a change that cannot be written ends no process in the %s era, and is reported",
  async (era) => {
    const unhandled = unhandledRejections();
    const errors: unknown[] = [];
    const broken = new Error("EPIPE: broken pipe, write");
    let announce = () => {};
    let isReady = () => {};
    const ready = new Promise<void>((resolve) => {
      isReady = resolve;
    });
    const { connection } = connect({
      onWrite: (message) => {
        const { id, method } = message as JsonObject;
        if (method === "notifications/tools/list_changed") throw broken;
        if ((method ?? id) === listening[era].ready) isReady();
      },
      onError: (error) => void errors.push(error),
      setup: (server) => {
        announce = () => server.sendToolListChanged();
      },
      setup2026: (_server, { changes }) => {
        announce = changes.toolsChanged;
      },
    });
    for (const message of listening[era].messages) await connection.receive({ jsonrpc: "2.0", ...message });
    await ready;
    announce();
    // The process hears of a rejection without a handler after the microtasks of the turn.
    await new Promise((resolve) => setImmediate(resolve));
    expect([errors, unhandled]).toEqual([[broken], []]);
  },
);

test("a change that is announced after the connection was closed ends no process", async () => {
  const unhandled = unhandledRejections();
  let announce = () => {};
  const { ask, connection } = connect({
    setup2026: (_server, { changes }) => {
      announce = () => {
        changes.toolsChanged();
        changes.resourceUpdated("test://resource");
      };
    },
  });
  await ask("tools/list", { _meta });
  await connection.close();
  announce();
  // The process hears of a rejection without a handler after the microtasks of the turn.
  await new Promise((resolve) => setImmediate(resolve));
  expect(unhandled).toEqual([]);
});

test("a client that asks what there is opens no store", async () => {
  const { ask, opened } = connect();
  expect(await ask("server/discover", { _meta })).toMatchObject({
    result: {
      supportedVersions: ["2026-07-28"],
      capabilities: { extensions: { "io.modelcontextprotocol/tasks": {} } },
    },
  });
  expect(opened).not.toHaveBeenCalled();
  await ask("tools/list", { _meta });
  expect(opened).toHaveBeenCalledOnce();
});

test("a client may go on in the 2025 era after it asked what there is", async () => {
  const { ask } = connect();
  await ask("server/discover", { _meta });
  expect(await ask("initialize", initialize)).toMatchObject({ result: { protocolVersion: "2025-11-25" } });
  expect(await ask("tools/list")).toMatchObject({ result: { tools: expect.any(Array) } });
});

test("a client of the 2025 era has its first answer before the store is opened, which then happens by itself", async () => {
  const written: string[] = [];
  const { ask, opened } = connect({ onWrite: (message) => written.push("id" in message ? "answer" : "other") });
  opened.mockImplementationOnce(async () => void written.push("opened"));
  await ask("initialize", initialize);
  await vi.waitFor(() => expect(written).toEqual(["answer", "opened"]), { timeout: 60_000 });
});
