import type { JSONRPCRequest, RequestId } from "@modelcontextprotocol/sdk/types.js";
import { createEngine, createMemoryStore } from "@resumable-mcp/core";
import { metaKeys } from "@resumable-mcp/protocol";
import { expect, onTestFinished, test } from "vitest";
import { sessionLimits } from "../../limits.js";
import { InFlightCalls } from "./calls/in-flight-calls.js";
import { KeptDocument } from "./kept-document.js";
import { sessionKind } from "./session-document.js";
import { SessionTransport } from "./session-transport.js";

const call: JSONRPCRequest = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "count_to" } };

test("a finished call ends at its response from the first moment on, whatever is written or asked for then (G5)", async () => {
  const engine = createEngine({ store: createMemoryStore(), tools: [] });
  onTestFinished(() => engine.close());
  const value = { protocolVersion: "2025-11-25", initialize: {}, calls: [] };
  const place = { id: "a_session_of_a_test", owner: "session:test" };
  const document = new KeptDocument(sessionKind, engine.documents, place, { value, version: 0 });
  const calls = new InFlightCalls(document, engine, sessionLimits);
  const transport = new SessionTransport({
    ...{ id: place.id, closed: false, limits: sessionLimits, calls },
    check: async () => true,
    sendUnrelated: async () => {},
    end: () => {},
  });
  let innerId: RequestId = "";
  transport.onmessage = (message) => {
    if ("id" in message) innerId = message.id ?? "";
  };
  const inFlight = calls.create(call, "journal");
  await calls.store(inFlight);
  calls.add(inFlight);
  transport.deliver(inFlight, { redelivered: false, extra: {} });
  let isSent = false;
  const result = { content: [], _meta: { [metaKeys.seq]: 5 } };
  const sending = transport.send({ jsonrpc: "2.0", id: innerId, result }).then(() => {
    isSent = true;
  });
  const ends = new Set<unknown>();
  while (!isSent) {
    ends.add(inFlight.finished ? inFlight.place : undefined).add(document.value.calls[0]?.end);
    await Promise.resolve();
  }
  await sending;
  expect([...ends]).toEqual([undefined, 5]);
});
