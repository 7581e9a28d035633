import { expect, test } from "vitest";
import { type RpcMessage, readMeta } from "../wire/json-rpc.js";
import { Relay, type Sent } from "./relay.js";

const limits = { maxPending: 10, maxDeliveries: 3, maxToolPages: 3 };
const clientKey = "resumable-mcp/client_id";
const keptKey = "resumable-mcp/session_client_id";
const rpc = (message: object): RpcMessage => ({ jsonrpc: "2.0", ...message });
const call = (id: number, name: string, args: object = {}, _meta: object = {}) =>
  rpc({ id, method: "tools/call", params: { name, arguments: args, _meta } });
const answerTo = (sent: Sent | undefined, result: object): RpcMessage =>
  rpc({ ...(sent?.message.id === undefined ? {} : { id: sent.message.id }), result });
const isList = ({ message }: Sent) => message.method === "tools/list" && typeof message.id === "string";
const tools = [
  { name: "long", _meta: { "resumable-mcp/durable": "journal", [clientKey]: "argument" } },
  { name: "own", annotations: { readOnlyHint: true } },
];

/** A relay that knows the tools. */
function begun(): Relay {
  const relay = new Relay(limits);
  relay.fromHost(rpc({ id: 0, method: "initialize", params: { protocolVersion: "2025-11-25" } }));
  relay.fromServer(rpc({ id: 0, result: {} }));
  relay.fromServer(answerTo(relay.fromHost(call(1, "own")).find(isList), { tools }));
  relay.fromServer(rpc({ id: 1, result: {} }));
  return relay;
}

/** The ids of the requests that the server gets, each with the client that it names, or that the connection named. */
const clientsOf = (sent: readonly Sent[]) =>
  sent
    .filter(({ to, message }) => to === "server" && typeof message.id === "number")
    .map(({ message }) => [message.id, readMeta(message)[clientKey] ?? readMeta(message)[keptKey]]);

/** What a new server gets once it has answered the repeated `initialize` and listed its tools. */
function restart(relay: Relay): Sent[] {
  relay.serverLost();
  const sent = relay.fromServer(answerTo(relay.serverStarted()[0], {}));
  const list = sent.find(isList);
  return list === undefined ? sent : relay.fromServer(answerTo(list, { tools }));
}

test("a request without client_id gets the one that the connection named last (G10)", () => {
  const relay = begun();
  expect(clientsOf(relay.fromHost(call(2, "long")))).toEqual([[2, undefined]]);
  expect(clientsOf(relay.fromHost(call(3, "long", { client_id: "ada" })))).toEqual([[3, undefined]]);
  expect(clientsOf(relay.fromHost(call(4, "own")))).toEqual([[4, "ada"]]);
  expect(clientsOf(relay.fromHost(rpc({ id: 5, method: "tasks/list" })))).toEqual([[5, "ada"]]);
  expect(clientsOf(relay.fromHost(call(6, "long", { client_id: "ada" }, { [clientKey]: "bob" })))).toEqual([
    [6, "bob"],
  ]);
  expect(clientsOf(relay.fromHost(call(7, "own")))).toEqual([[7, "bob"]]);
});

test("what initialize names is the connection's client from the beginning", () => {
  const relay = new Relay(limits);
  relay.fromHost(rpc({ id: 0, method: "initialize", params: { _meta: { [clientKey]: "ada" } } }));
  relay.fromServer(rpc({ id: 0, result: {} }));
  expect(clientsOf(relay.fromHost(rpc({ id: 1, method: "tasks/list" })))).toEqual([[1, "ada"]]);
});

test("an argument client_id that a tool has for itself names no client", () => {
  const relay = begun();
  relay.fromHost(call(2, "own", { client_id: "ada" }));
  relay.fromHost(call(3, "unlisted", { client_id: "ada" }));
  expect(clientsOf(relay.fromHost(call(4, "long")))).toEqual([[4, undefined]]);
});

test("a client_id that is too long, or no text, is not kept, in _meta and as an argument (G11)", () => {
  const relay = begun();
  const [tooLong, noText] = ["x".repeat(257), { deep: true }];
  relay.fromHost(call(2, "long", { client_id: tooLong }));
  relay.fromHost(call(3, "long", { client_id: noText }));
  relay.fromHost(call(4, "long", {}, { [clientKey]: tooLong }));
  relay.fromHost(call(5, "long", {}, { [clientKey]: noText }));
  expect(clientsOf(relay.fromHost(call(6, "long")))).toEqual([[6, undefined]]);
});

test("a request whose _meta is malformed reaches the server as it is, so that the server can refuse it", () => {
  const relay = begun();
  relay.fromHost(call(2, "long", { client_id: "ada" }));
  const malformed = rpc({ id: 3, method: "tasks/list", params: { _meta: 5 } });
  expect(relay.fromHost(malformed)).toEqual([{ to: "server", message: malformed }]);
});

test("requests of the 2026 era name no client of the connection and get none", () => {
  const relay = begun();
  const _meta = { "io.modelcontextprotocol/protocolVersion": "2026-07-28" };
  relay.fromHost(call(2, "long", { client_id: "ada" }, _meta));
  expect(clientsOf(relay.fromHost(call(3, "long")))).toEqual([[3, undefined]]);
  relay.fromHost(call(4, "long", { client_id: "bob" }));
  const list = rpc({ id: 5, method: "tools/list", params: { _meta } });
  expect(relay.fromHost(list)).toEqual([{ to: "server", message: list }]);
});

test("until the tools are known, a call with the argument client_id waits, and all requests behind it do", () => {
  const relay = new Relay(limits);
  const sent = relay.fromHost(call(1, "long", { client_id: "ada" }));
  expect(sent.map(({ message }) => message.method)).toEqual(["tools/list"]);
  expect(relay.fromHost(call(2, "own", { client_id: "eve" }))).toEqual([]);
  expect(relay.fromHost(rpc({ id: 3, method: "tasks/list" }))).toEqual([]);
  expect(relay.fromHost(call(4, "long", {}, { [clientKey]: "bob" }))).toEqual([]);
  expect(clientsOf(relay.fromServer(answerTo(sent[0], { tools })))).toEqual([
    [1, undefined],
    [2, "ada"],
    [3, "ada"],
    [4, "bob"],
  ]);
});

test("a list of tools that cannot be read keeps no call waiting", () => {
  const relay = new Relay(limits);
  const [list] = relay.fromHost(call(1, "long", { client_id: "ada" }));
  const refused = rpc({ ...(list?.message.id === undefined ? {} : { id: list.message.id }), error: { code: -32_601 } });
  expect(clientsOf(relay.fromServer(refused))).toEqual([[1, undefined]]);
});

test("the connection's client outlives the server (G1, G10)", () => {
  const relay = begun();
  relay.fromHost(call(2, "long", { client_id: "ada" }));
  relay.fromServer(rpc({ id: 2, result: {} }));
  restart(relay);
  expect(clientsOf(relay.fromHost(rpc({ id: 3, method: "tasks/list" })))).toEqual([[3, "ada"]]);
});

test("a call delivered again keeps the client of its first delivery, whatever the connection named since (G7, G10)", () => {
  const relay = begun();
  relay.fromHost(call(2, "long", { client_id: "ada" }));
  relay.fromServer(rpc({ id: 2, result: {} }));
  relay.fromHost(call(3, "long", { n: 1 }));
  relay.fromHost(call(4, "long", { client_id: "bob" }));
  expect(clientsOf(restart(relay))).toEqual([
    [3, "ada"],
    [4, undefined],
  ]);
  expect(clientsOf(relay.fromHost(rpc({ id: 5, method: "tasks/list" })))).toEqual([[5, "bob"]]);
});

test("what comes while no server runs gets its client in the order of arrival, also when the tools are not known", () => {
  const relay = new Relay(limits);
  relay.fromHost(rpc({ id: 0, method: "initialize", params: { protocolVersion: "2025-11-25" } }));
  relay.fromServer(rpc({ id: 0, result: {} }));
  relay.serverLost();
  relay.fromHost(call(1, "long", { client_id: "ada" }));
  relay.fromHost(rpc({ id: 2, method: "tasks/list" }));
  expect(clientsOf(restart(relay))).toEqual([
    [1, undefined],
    [2, "ada"],
  ]);
});

test("a call that waits for the tools is delivered when the server dies before it lists them", () => {
  const relay = new Relay(limits);
  relay.fromHost(call(1, "long", { client_id: "ada" }));
  relay.serverLost();
  const [list] = relay.serverStarted();
  expect(clientsOf(relay.fromServer(answerTo(list, { tools })))).toEqual([[1, undefined]]);
});

test("a waiting call that is cancelled is not delivered and names no client, and the requests behind it wait no more", () => {
  const relay = new Relay(limits);
  const [list] = relay.fromHost(call(1, "long", { client_id: "ada" }));
  relay.fromHost(rpc({ id: 2, method: "tasks/list" }));
  relay.fromHost(call(3, "long", { client_id: "bob" }));
  relay.fromHost(rpc({ id: 4, method: "tasks/list" }));
  const cancelled = relay.fromHost(rpc({ method: "notifications/cancelled", params: { requestId: 1 } }));
  expect(clientsOf(cancelled)).toEqual([[2, undefined]]);
  expect(clientsOf(relay.fromServer(answerTo(list, { tools })))).toEqual([
    [3, undefined],
    [4, "bob"],
  ]);
});

test("requests that wait behind a cancelled call get their client when the server dies, too", () => {
  const relay = new Relay(limits);
  relay.fromHost(call(1, "long", { client_id: "ada" }));
  relay.serverLost();
  relay.fromHost(rpc({ id: 2, method: "tasks/list" }));
  relay.fromHost(call(3, "long", { client_id: "bob" }));
  relay.fromHost(rpc({ id: 4, method: "tasks/list" }));
  relay.fromHost(rpc({ method: "notifications/cancelled", params: { requestId: 1 } }));
  const [list] = relay.serverStarted();
  expect(clientsOf(relay.fromServer(answerTo(list, { tools })))).toEqual([
    [2, undefined],
    [3, undefined],
    [4, "bob"],
  ]);
});

test("when the server does not list its tools in time, the waiting calls are delivered and name no client (G11)", () => {
  const relay = new Relay(limits);
  const [list] = relay.fromHost(call(1, "long", { client_id: "ada" }));
  relay.fromHost(rpc({ id: 2, method: "tasks/list" }));
  expect(relay.waitsForTools).toBe(true);
  expect(clientsOf(relay.toolsLate())).toEqual([
    [1, undefined],
    [2, undefined],
  ]);
  expect(relay.waitsForTools).toBe(false);
  expect(relay.fromServer(answerTo(list, { tools }))).toEqual([]);
  relay.fromHost(call(3, "long", { client_id: "ada" }));
  expect(clientsOf(relay.fromHost(rpc({ id: 4, method: "tasks/list" })))).toEqual([[4, "ada"]]);
});
