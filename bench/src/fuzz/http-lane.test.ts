import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import type { DrawnRequest } from "./draw-request.js";
import { HttpLane } from "./http-lane.js";
import { inspect } from "./run-http-fuzz.js";
import { createCaller } from "./traffic/pools.js";

const sse = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n";
const end = "0\r\n\r\n";
const internalError = '{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"no"}}';
const chunk = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n`;

/** A server that answers each request with what is given. */
async function fakeServer(answer: (socket: Socket, request: string) => void): Promise<number> {
  const server = createServer((socket) => {
    socket.on("error", () => {});
    socket.on("data", (bytes) => answer(socket, bytes.toString()));
  });
  onTestFinished(() => void server.close());
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return (server.address() as AddressInfo).port;
}

interface Parts {
  readonly caller?: number;
  readonly session?: string;
  readonly method?: "POST" | "DELETE";
}

function request(
  message: object | undefined,
  { caller = 0, session = "s", method = "POST" }: Parts = {},
): DrawnRequest {
  const body = message === undefined ? "" : JSON.stringify({ jsonrpc: "2.0", ...message });
  const length = method === "POST" ? `Content-Length: ${body.length}\r\n` : "";
  const head = `${method} /mcp HTTP/1.1\r\nHost: x\r\nMcp-Session-Id: ${session}\r\n${length}\r\n`;
  const bytes = Buffer.from(head + body);
  return {
    ...{ index: 0, caller: createCaller(caller, `token-${caller}`), method, body, bytes, exact: true },
    ...{ session, mutations: [] },
    delivery: { pieces: [bytes], pipelined: false, onNewConnection: false, leaves: "never" },
  };
}

const call = (id: number) => ({ id, method: "tools/call", params: {} });
const cancelOf = (requestId: number) => ({ method: "notifications/cancelled", params: { requestId } });

function lanesOf(port: number, isolated: boolean) {
  const found: string[] = [];
  const outcomes: string[] = [];
  const judgement = {
    find: (_: DrawnRequest, what: string) => void found.push(what),
    count: (outcome: string) => void outcomes.push(outcome),
    ...{ cancelled: new Set<string>(), deleted: new Set<string>(), isolated },
  };
  const lane = () => new HttpLane(port, judgement, 1);
  return { found, outcomes, lane };
}

test("an answer whose connection is closed in the middle is found", async () => {
  const port = await fakeServer((socket) => socket.end(`${sse}${chunk(": hello\n\n")}`));
  const { found, lane } = lanesOf(port, true);
  const one = lane();
  await one.send(request(call(1)));
  await one.drain(60_000);
  expect(found).toEqual(["the connection was closed in the middle of an answer"]);
});

const emptyAnswer = async () =>
  fakeServer((socket, text) => {
    const isCall = text.includes("tools/call");
    socket.write(isCall ? `${sse}${end}` : "HTTP/1.1 202 Accepted\r\nContent-Length: 0\r\n\r\n");
  });

test.each([
  ["that its client cancelled", request(cancelOf(1)), true, []],
  ["that its client cancelled in another session", request(cancelOf(1), { session: "t" }), true, [1]],
  ["that another caller cancelled", request(cancelOf(1), { caller: 1 }), true, [1]],
  ["that another caller of the same user cancelled", request(cancelOf(1), { caller: 1 }), false, []],
  ["whose session its client ended", request(undefined, { method: "DELETE" }), true, []],
  ["whose session another caller wanted to end", request(undefined, { method: "DELETE", caller: 1 }), true, [1]],
])("a stream ends without the answer to a request %s", async (_, before, isolated, missing) => {
  const { found, lane } = lanesOf(await emptyAnswer(), isolated);
  await lane().send(before);
  await lane().send(request(call(1)));
  expect(found).toEqual(missing.map(() => "the stream ended without an answer ([])"));
});

test("answers that ended meanwhile are judged once, and make room for others", async () => {
  const open: Socket[] = [];
  const port = await fakeServer((socket) => {
    open.push(socket);
    socket.write(sse);
  });
  const { found, outcomes, lane } = lanesOf(port, true);
  const one = lane();
  for (let id = 1; id <= 12; id += 1) await one.send(request(call(1)));
  const closed = open.slice(0, 6).map((socket) => once(socket, "close"));
  for (const socket of open.slice(0, 6)) socket.end(`${chunk(`data: ${internalError}\n\n`)}${end}`);
  await Promise.all(closed);
  for (let id = 1; id <= 6; id += 1) await one.send(request(call(1)));
  expect(outcomes.filter((outcome) => outcome.startsWith("left"))).toEqual([]);
  expect(found.map((what) => what.slice(0, 17))).toEqual(Array.from({ length: 6 }, () => "an internal error"));
  for (const socket of open) socket.destroy();
});

test("that a right client gets no session afterwards is a finding, for each of them", async () => {
  const port = await fakeServer((socket) => socket.end("HTTP/1.1 500 No\r\nContent-Length: 0\r\n\r\n"));
  const callers = [createCaller(0, "a"), createCaller(1, "b")];
  const wrong = await inspect({ port, ended: () => undefined }, callers);
  expect(wrong).toEqual(callers.map(() => expect.stringContaining("No session for a right client: 500")));
});
