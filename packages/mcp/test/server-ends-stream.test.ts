import { expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { createGate } from "./counting-tool.js";
import { eventsOf, openEndpoint, openSession, post } from "./http-endpoint.js";

async function allOf<Value>(values: AsyncIterable<Value>): Promise<readonly Value[]> {
  const all: Value[] = [];
  for await (const value of values) all.push(value);
  return all;
}

/** An endpoint with an ordinary tool that ends its stream, if it may, waits for the gate, and does both again. */
async function begin(protocolVersion: string) {
  const [gate, left] = [createGate(), createGate()];
  const offered: boolean[] = [];
  const { url, close } = await openEndpoint({
    tools: [],
    setup: (server) => {
      server.registerTool("poll", { inputSchema: { n: z.number() } }, async ({ n }, extra) => {
        offered.push(extra.closeSSEStream !== undefined);
        extra.closeSSEStream?.();
        await gate.pass();
        extra.closeSSEStream?.();
        left.open();
        await gate.pass();
        return { content: [{ type: "text", text: `n is ${n}` }] };
      });
    },
  });
  onTestFinished(close);
  const session = await openSession(url, {}, protocolVersion);
  const params = { name: "poll", arguments: { n: 7 } };
  const response = await post(url, { jsonrpc: "2.0", id: 1, method: "tools/call", params }, session);
  return { url, gate, left, session, response, offered };
}

const answer = { jsonrpc: "2.0", id: 1, result: { content: [{ type: "text", text: "n is 7" }] } };

test("a handler may end the stream of its request, also twice; the client gets the answer on the stream with which it returns", async () => {
  const { url, gate, left, session, response } = await begin("2025-11-25");
  const before = await allOf(eventsOf(response));
  expect(before).toEqual([{ id: expect.stringMatching(/\.0$/) }]);
  gate.open();
  await left.pass();
  const headers = { accept: "text/event-stream", "last-event-id": before[0]?.id ?? "", ...session };
  const resumed = await fetch(url, { headers });
  gate.open();
  const after = await allOf(eventsOf(resumed));
  expect(after.map(({ message }) => message)).toEqual([undefined, answer]);
});

test("a handler may not end the stream of an older client, which comes back after a broken connection alone", async () => {
  const { gate, response, offered } = await begin("2025-06-18");
  gate.open(2);
  expect((await allOf(eventsOf(response))).at(-1)?.message).toEqual(answer);
  expect(offered).toEqual([false]);
});
