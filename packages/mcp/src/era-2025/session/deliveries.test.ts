import type { JSONRPCRequest } from "@modelcontextprotocol/sdk/types.js";
import { createEngine, createMemoryStore } from "@resumable-mcp/core";
import { metaKeys } from "@resumable-mcp/protocol";
import { expect, onTestFinished, test } from "vitest";
import { sessionLimits } from "../../limits.js";
import type { Connection2025 } from "../call-2025.js";
import { Router2025 } from "../router.js";
import { Watches } from "../watches.js";
import { InFlightCalls } from "./calls/in-flight-calls.js";
import { Deliveries } from "./deliveries.js";
import { KeptDocument } from "./kept-document.js";
import { sessionKind } from "./session-document.js";

const call: JSONRPCRequest = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "count_to" } };

test("a finished call ends at its response from the first moment on, whatever is written or asked for then (G5)", async () => {
  const engine = createEngine({ store: createMemoryStore(), tools: [] });
  onTestFinished(() => engine.close());
  const value = { protocolVersion: "2025-11-25", key: "k", initialize: {} };
  const place = { id: "a_session_of_a_test", owner: "session:test" };
  const document = new KeptDocument(sessionKind, engine.documents, place, { value, version: 0 });
  const calls = new InFlightCalls(document, engine, sessionLimits);
  let respond: (result: object) => void = () => {};
  const result = new Promise<object>((resolve) => {
    respond = resolve;
  });
  const connection: Connection2025 = {
    client: {},
    other: { ask: async () => ({ ...(await result) }), hasTool: () => true, hasMethod: () => true },
    watches: new Watches({ tell: async () => {}, closed: () => new AbortController().signal }),
    wantsLog: () => true,
    setLevel: async () => {},
  };
  const deliveries = new Deliveries({
    ...{ id: place.id, limits: sessionLimits, calls, connection, other: undefined },
    router: new Router2025({ engine }),
    check: async () => true,
    onError: (error) => {
      throw error;
    },
  });
  const inFlight = calls.create(call, "journal");
  calls.add(inFlight).beginTask("a_task");
  deliveries.deliver(inFlight, { redelivered: false, extra: {} });
  respond({ content: [], _meta: { [metaKeys.seq]: 5 } });
  const ends = new Set<unknown>();
  for (let turn = 0; turn < 1_000; turn++) {
    ends.add(inFlight.finished ? inFlight.place : undefined);
    await Promise.resolve();
  }
  expect([...ends]).toEqual([undefined, 5]);
});
