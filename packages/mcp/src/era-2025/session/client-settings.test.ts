import type { JSONRPCRequest } from "@modelcontextprotocol/sdk/types.js";
import { createMemoryStore } from "@resumable-mcp/core";
import { expect, test } from "vitest";
import { limits } from "../../limits.js";
import { ClientSettings } from "./client-settings.js";
import { KeptDocument } from "./kept-document.js";
import { type SessionDocument, sessionKind } from "./session-document.js";

const request = (method: string, uri: string): JSONRPCRequest => ({ jsonrpc: "2.0", id: 1, method, params: { uri } });
const settingsOf = (document: SessionDocument) =>
  new ClientSettings({ document, ask: async () => ({}), askOther: async () => ({}) });
const done = { jsonrpc: "2.0", id: 1, result: {} } as const;

test("a session with as many subscriptions as it may have ends one", async () => {
  const uris = Array.from({ length: limits.maxSubscriptionsPerSession }, (_, index) => `task://${index}`);
  const document = new KeptDocument(
    sessionKind,
    createMemoryStore(),
    { id: "a_session_of_a_test", owner: "session:test" },
    { value: { protocolVersion: "2025-11-25", key: "k", initialize: {}, subscriptions: uris }, version: 0 },
  );
  const settings = settingsOf(document);
  await settings.noteAnswer(request("resources/subscribe", "task://more"), done);
  expect(document.value.subscriptions).toEqual(uris);
  await settings.noteAnswer(request("resources/unsubscribe", "task://0"), done);
  expect(document.value.subscriptions).toEqual(uris.slice(1));
});

test("what another process wrote since does not hide a change", async () => {
  const store = createMemoryStore();
  const id = "a_session_of_a_test";
  const first = new KeptDocument(
    sessionKind,
    store,
    { id, owner: "session:test" },
    { value: { protocolVersion: "2025-11-25", key: "k", initialize: {} }, version: 0 },
  );
  await first.change((facts) => facts);
  const second = await KeptDocument.open(sessionKind, store, id);
  if (second === undefined) throw new Error("no such session");
  const [here, there] = [first, second].map(settingsOf);
  const stored = async () => (await KeptDocument.open(sessionKind, store, id))?.value.subscriptions;
  await here?.noteAnswer(request("resources/subscribe", "task://0"), done);
  await there?.noteAnswer(request("resources/unsubscribe", "task://0"), done);
  expect(await stored()).toEqual([]);
  await here?.noteAnswer(request("resources/subscribe", "task://0"), done);
  expect(await stored()).toEqual(["task://0"]);
});
