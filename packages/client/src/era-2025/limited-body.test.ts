import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { LinkFailure } from "../connection/link.js";
import { limitedBody } from "./complete-events.js";
import { openServerLink } from "./open-server-link.js";

const mebibyte = "x".repeat(1024 * 1024);

/** Answers everything with a JSON text that never ends. */
async function endless(): Promise<{ readonly url: string; readonly cut: Promise<void> }> {
  let cutNow = () => {};
  const cut = new Promise<void>((resolve) => {
    cutNow = resolve;
  });
  const server = createServer((_request, response) => {
    response.on("close", cutNow);
    response.writeHead(200, { "content-type": "application/json" });
    const go = () => {
      while (response.write(mebibyte));
    };
    response.on("drain", go);
    response.write('{"jsonrpc":"2.0","id":"');
    go();
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`, cut };
}

test("an answer without an end is given up at its limit, and its connection cut (G11)", async () => {
  const { url, cut } = await endless();
  const options = {
    clientInfo: { name: "test", version: "1" },
    idPrefix: "test:",
    meta: {},
    connectTimeoutMs: 60_000,
    maxEventBytes: 1_000,
  };
  const error = await openServerLink({ url }, undefined, options).catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(LinkFailure);
  expect(error).toMatchObject({ kind: "answer", message: "its answer is larger than maxEventBytes = 1000" });
  await cut;
});

test("an answer of just the limit is read whole", async () => {
  const body = new Response("12345").body ?? new ReadableStream();
  expect(await new Response(limitedBody(body, 5)).text()).toBe("12345");
});
