import type { JSONRPCRequest } from "@modelcontextprotocol/sdk/types.js";
import { createEngine, createMemoryStore, defineTool } from "@resumable-mcp/core";
import type { Repeatable } from "@resumable-mcp/protocol";
import { expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { sessionLimits } from "../../../limits.js";
import { nameStream } from "../event-id.js";
import { KeptDocument } from "../kept-document.js";
import { sessionKind } from "../session-document.js";
import type { InFlightRequest } from "../session-stream.js";
import { InFlightCalls } from "./in-flight-calls.js";

const quick = defineTool({ name: "quick", description: "Ends.", input: z.object({}), run: async () => "done" });

/** The calls of a new session in memory. */
async function openCalls() {
  const engine = createEngine({ store: createMemoryStore(), tools: [quick] });
  onTestFinished(() => engine.close());
  const value = { protocolVersion: "2025-11-25", key: "k", initialize: {} };
  const place = { id: "a_session_of_a_test", owner: "session:test" };
  const document = new KeptDocument(sessionKind, engine.documents, place, { value, version: 0 });
  await document.change((facts) => facts);
  return { engine, calls: new InFlightCalls(document, engine, sessionLimits) };
}

const large = "x".repeat(100_000);
const callWith = (id: number): JSONRPCRequest => ({
  jsonrpc: "2.0",
  id,
  method: "tools/call",
  params: { name: "measure", arguments: { value: large }, _meta: { progressToken: "p", notes: large } },
});

test.each<[Repeatable]>([["once"], ["journal"], ["again"]])(
  "G11 a session holds nothing of what its finished calls of the kind %s were made with, beyond their names",
  async (kind) => {
    const { calls } = await openCalls();
    const made: InFlightRequest[] = [];
    for (let id = 1; id <= 20; id += 1) {
      const inFlight = calls.create(callWith(id), kind);
      if (kind !== "journal") await calls.name(inFlight);
      made.push(calls.add(inFlight));
    }
    const held = () => JSON.stringify(made.map(({ request }) => request)).length;
    expect(held()).toBeGreaterThan(4_000_000);
    for (const inFlight of made) {
      inFlight.finished = true;
      calls.noteFinished(inFlight);
    }
    expect(held()).toBeLessThan(20_000);
    expect(made.map(({ request }) => [request.id, request.params?.name])).toEqual(
      made.map((_inFlight, index) => [index + 1, "measure"]),
    );
  },
);

test("a process that continues a call refuses a place in its stream that was never sent (G5)", async () => {
  const { engine, calls } = await openCalls();
  const { record } = await engine.forOwner("session:test").start({ tool: "quick", input: {} });
  const facts = { requestId: 1, method: "tools/call", taskId: record.id, params: { name: "quick" }, acceptedMs: 0 };
  const stream = nameStream("k", "n0nce", { kind: "journal", ...facts }) ?? "";
  const found = await calls.find({ stream, place: 99 });
  expect(found && (await calls.judge(found, 99))).toBe("ahead");
});
