import { expect, test } from "vitest";
import type { RpcMessage } from "../wire/json-rpc.js";
import { Relay, type Sent } from "./relay.js";

const limits = { maxPending: 10, maxDeliveries: 3, maxToolPages: 3 };
const rpc = (message: object): RpcMessage => ({ jsonrpc: "2.0", ...message });
const call = (id: number, name: string, _meta: object = { progressToken: id }) =>
  rpc({ id, method: "tools/call", params: { name, arguments: {}, _meta } });
const listed = (list: Sent | undefined) =>
  rpc({
    ...(list?.message.id === undefined ? {} : { id: list.message.id }),
    result: {
      tools: [
        { name: "long", _meta: { "resumable-mcp/durable": "journal" } },
        { name: "read", annotations: { readOnlyHint: true } },
        { name: "write" },
      ],
    },
  });

/** A relay whose host said hello and that knows the tools. */
function begun(nowMs?: () => number) {
  const relay = new Relay(limits, nowMs);
  relay.fromHost(rpc({ id: 0, method: "initialize", params: { protocolVersion: "2025-11-25" } }));
  relay.fromServer(rpc({ id: 0, result: {} }));
  relay.fromHost(rpc({ method: "notifications/initialized" }));
  relay.fromHost(call(1, "read"));
  return relay;
}

/** What the new server receives after it has answered the repeated `initialize`. */
function restart(relay: Relay): Sent[] {
  relay.serverLost();
  const [hello] = relay.serverStarted();
  expect(hello).toMatchObject({ to: "server", message: { method: "initialize" } });
  return relay.fromServer(rpc({ ...(hello?.message.id === undefined ? {} : { id: hello.message.id }), result: {} }));
}

test("asks the server for its tools at the first call, and keeps the answer to itself", () => {
  const relay = new Relay(limits);
  const [sent, list] = relay.fromHost(call(1, "long"));
  expect(sent).toMatchObject({ to: "server", message: { id: 1, method: "tools/call" } });
  expect(list).toMatchObject({ to: "server", message: { method: "tools/list" } });
  expect(relay.fromServer(listed(list))).toEqual([]);
});

test("delivers a long call again under the same call id, from the last event that the host saw", () => {
  const relay = begun();
  const [first, list] = [...relay.fromHost(call(2, "long"))];
  relay.fromServer(listed(list ?? { to: "server", message: rpc({ id: "none" }) }));
  const _meta = { "resumable-mcp/task_id": "t", "resumable-mcp/seq": 4 };
  relay.fromServer(rpc({ method: "notifications/progress", params: { progressToken: 2, progress: 1, _meta } }));
  const asked = restart(relay);
  const kinds = asked.find(({ message }) => message.method === "tools/list");
  const again = relay.fromServer(listed(kinds)).find(({ message }) => message.id === 2);
  const callId = Reflect.get(Object(first?.message.params?._meta), "resumable-mcp/call_id");
  expect(again).toMatchObject({
    to: "server",
    message: {
      params: {
        name: "long",
        _meta: {
          progressToken: 2,
          "resumable-mcp/call_id": callId,
          "resumable-mcp/redelivered": true,
          "resumable-mcp/after_seq": 4,
          "resumable-mcp/shown_progress": 1,
          "resumable-mcp/task_id": "t",
        },
      },
    },
  });
});

test("delivers a request for a task's result again from the last event that the host saw", () => {
  const relay = begun();
  relay.fromServer(rpc({ id: 1, result: {} }));
  relay.fromHost(rpc({ id: 2, method: "tasks/result", params: { taskId: "t", _meta: { progressToken: 2 } } }));
  const _meta = { "resumable-mcp/task_id": "t", "resumable-mcp/seq": 4 };
  relay.fromServer(rpc({ method: "notifications/progress", params: { progressToken: 2, progress: 1, _meta } }));
  expect(restart(relay).at(-1)).toEqual({
    to: "server",
    message: rpc({
      id: 2,
      method: "tasks/result",
      params: {
        taskId: "t",
        _meta: {
          progressToken: 2,
          "resumable-mcp/after_seq": 4,
          "resumable-mcp/shown_progress": 1,
          "resumable-mcp/tells_delivery": true,
        },
      },
    }),
  });
});

test("a request for a task's result keeps the token of the call that began the task, and its progress rises", () => {
  const relay = begun();
  relay.fromServer(rpc({ id: 1, result: {} }));
  relay.fromHost(rpc({ id: 2, method: "tasks/result", params: { taskId: "t", _meta: { progressToken: 2 } } }));
  const tell = (progress: number) => {
    const _meta = { "resumable-mcp/task_id": "t", "resumable-mcp/seq": progress + 3 };
    const params = { progressToken: 1, progress, _meta };
    return relay.fromServer(rpc({ method: "notifications/progress", params })).length;
  };
  expect([tell(1), tell(2)]).toEqual([1, 1]);
  const seen = { "resumable-mcp/after_seq": 5, "resumable-mcp/shown_progress": 2 };
  const asked = { id: 2, method: "tasks/result", params: { _meta: { progressToken: 1, ...seen } } };
  expect(restart(relay).at(-1)).toMatchObject({ to: "server", message: asked });
  expect([tell(2), tell(3)]).toEqual([0, 1]);
});

test("a repeated call continues where its progress rises above what the host saw", () => {
  const relay = begun();
  const tell = (progress: number) => {
    const notification = rpc({ method: "notifications/progress", params: { progressToken: 1, progress, total: 3 } });
    return relay.fromServer(notification).map(({ message }) => message.params?.progress);
  };
  expect([1, 2].flatMap(tell)).toEqual([1, 2]);
  const kinds = restart(relay).find(({ message }) => message.method === "tools/list");
  expect(relay.fromServer(listed(kinds))).toMatchObject([{ to: "server", message: { id: 1, method: "tools/call" } }]);
  expect([1, 2, 3].flatMap(tell)).toEqual([3]);
});

test("a subscription continues in the next server, and its host receives one acknowledgement", () => {
  const relay = begun();
  relay.fromServer(rpc({ id: 1, result: {} }));
  const params = { notifications: { taskIds: ["t"] } };
  relay.fromHost(rpc({ id: 2, method: "subscriptions/listen", params }));
  const _meta = { "io.modelcontextprotocol/subscriptionId": 2 };
  const acknowledged = rpc({ method: "notifications/subscriptions/acknowledged", params: { ...params, _meta } });
  expect(relay.fromServer(acknowledged)).toEqual([{ to: "host", message: acknowledged }]);
  expect(restart(relay).at(-1)).toMatchObject({ to: "server", message: { id: 2, method: "subscriptions/listen" } });
  expect(relay.fromServer(acknowledged)).toEqual([]);
});

test("never delivers an ordinary tool twice", () => {
  const relay = begun();
  relay.fromHost(call(2, "write"));
  const kinds = restart(relay).find(({ message }) => message.method === "tools/list");
  const sent = relay.fromServer(listed(kinds));
  expect(sent.map(({ to, message }) => [to, message.id])).toEqual([
    ["server", 1],
    ["host", 2],
  ]);
  expect(sent[1]?.message.result).toMatchObject({
    isError: true,
    structuredContent: { error: { code: "OUTCOME_UNKNOWN" } },
  });
});

test("holds what comes while no server runs, and delivers it for the first time then", () => {
  const relay = begun();
  relay.fromServer(rpc({ id: 1, result: {} }));
  relay.serverLost();
  expect(relay.fromHost(call(2, "write"))).toEqual([]);
  const [hello] = relay.serverStarted();
  const sent = relay.fromServer(
    rpc({ ...(hello?.message.id === undefined ? {} : { id: hello.message.id }), result: {} }),
  );
  expect(sent.at(-1)).toMatchObject({ to: "server", message: { id: 2, method: "tools/call" } });
});

test("tells the next server the log level", () => {
  const relay = begun();
  relay.fromServer(rpc({ id: 1, result: {} }));
  relay.fromHost(rpc({ id: 5, method: "logging/setLevel", params: { level: "error" } }));
  relay.fromServer(rpc({ id: 5, result: {} }));
  expect(restart(relay).map(({ message }) => message.method)).toEqual([
    "notifications/initialized",
    "logging/setLevel",
  ]);
});

test("shows a question once, and gives its answer to the server that asks then", () => {
  const relay = begun();
  const _meta = { "resumable-mcp/task_id": "t", "resumable-mcp/question": "k" };
  const [shown] = relay.fromServer(rpc({ id: 7, method: "elicitation/create", params: { message: "?", _meta } }));
  expect(shown).toMatchObject({ to: "host", message: { id: "ask:t:k" } });
  relay.serverLost();
  expect(relay.fromHost(rpc({ id: "ask:t:k", result: { action: "decline" } }))).toEqual([]);
  expect(relay.fromServer(rpc({ id: 0, method: "elicitation/create", params: { message: "?", _meta } }))).toEqual([
    { to: "server", message: rpc({ id: 0, result: { action: "decline" } }) },
  ]);
});

test("a cancelled request is not delivered again", () => {
  const relay = begun();
  relay.fromHost(rpc({ method: "notifications/cancelled", params: { requestId: 1 } }));
  expect(restart(relay).map(({ message }) => message.method)).toEqual(["notifications/initialized"]);
});

test("refuses more requests in flight than the limit", () => {
  const relay = new Relay({ ...limits, maxPending: 1 });
  relay.fromHost(call(1, "read"));
  expect(relay.fromHost(call(2, "read"))).toMatchObject([{ to: "host", message: { id: 2, error: { code: -32000 } } }]);
});

/** A server that lists its tools on many pages, the one that is in flight on the last; says what became of the call. */
function restartWithPages(count: number): { readonly cursors: readonly unknown[]; readonly last: Sent | undefined } {
  const relay = new Relay(limits);
  relay.fromHost(rpc({ id: 0, method: "initialize", params: { protocolVersion: "2025-11-25" } }));
  relay.fromServer(rpc({ id: 0, result: {} }));
  relay.fromHost(call(2, "read"));
  let sent = restart(relay);
  const cursors: unknown[] = [];
  for (let page = 1; sent.at(-1)?.message.method === "tools/list"; page++) {
    const { id, params } = sent.at(-1)?.message ?? {};
    cursors.push(params?.cursor);
    const tools =
      page === count ? [{ name: "read", annotations: { readOnlyHint: true } }] : [{ name: `other_${page}` }];
    const result = page === count ? { tools } : { tools, nextCursor: `after ${page}` };
    sent = relay.fromServer(rpc({ ...(id === undefined ? {} : { id }), result }));
  }
  return { cursors, last: sent.at(-1) };
}

test("reads every page of the list of tools before it delivers a call again", () => {
  const { cursors, last } = restartWithPages(3);
  expect(cursors).toEqual([undefined, "after 1", "after 2"]);
  expect(last).toMatchObject({ to: "server", message: { id: 2, method: "tools/call" } });
});

test("reads no more pages than the limit, and delivers no call again of a tool that it did not find", () => {
  const { cursors, last } = restartWithPages(5);
  expect(cursors).toEqual([undefined, "after 1", "after 2"]);
  expect(last).toMatchObject({ to: "host", message: { id: 2, result: { isError: true } } });
});

test("a request that servers die of is given to so many, a call with a task and a request that only waits to each", () => {
  const relay = begun();
  relay.fromServer(rpc({ id: 1, result: {} }));
  relay.fromHost(call(2, "long"));
  relay.fromHost(rpc({ id: 3, method: "tasks/result", params: { taskId: "t" } }));
  relay.fromHost(call(4, "read"));
  relay.fromHost(rpc({ id: 5, method: "resources/read", params: { uri: "task://t" } }));
  const rounds = Array.from({ length: 4 }, () => {
    const sent = restart(relay);
    const list = sent.find(({ message }) => message.method === "tools/list");
    const all = list === undefined ? sent : relay.fromServer(listed(list));
    return all.filter(({ message }) => message.id !== undefined);
  });
  const places = rounds.map((sent) => sent.map(({ to, message }) => `${message.id} to ${to}`).join());
  expect(places).toEqual([
    "2 to server,3 to server,4 to server,5 to server",
    "2 to server,3 to server,4 to server,5 to server",
    "2 to server,3 to server,4 to host,5 to host",
    "2 to server,3 to server",
  ]);
  expect(rounds[2]?.[2]?.message.result).toMatchObject({ structuredContent: { error: { code: "CRASH_LOOP" } } });
  expect(rounds[2]?.[3]?.message.error).toMatchObject({ code: -32_603 });
});

test("refuses a request whose id another one in flight has, so that both get a response", () => {
  const relay = new Relay(limits);
  relay.fromHost(rpc({ id: 1, method: "tools/list" }));
  const error = { code: -32_600, message: expect.stringMatching(/a request in flight has the id 1 too/) };
  expect(relay.fromHost(rpc({ id: 1, method: "ping" }))).toEqual([{ to: "host", message: rpc({ id: 1, error }) }]);
  expect(relay.fromServer(rpc({ id: 1, result: {} }))).toEqual([{ to: "host", message: rpc({ id: 1, result: {} }) }]);
});

/** A relay whose host was just sent the result of a task. */
function answered(nowMs?: () => number) {
  const relay = begun(nowMs);
  relay.fromServer(rpc({ id: 1, result: {} }));
  relay.fromHost(call(2, "long"));
  const _meta = { "resumable-mcp/task_id": "t", "resumable-mcp/status": "completed" };
  const [sent] = relay.fromServer(rpc({ id: 2, result: { content: [], _meta } }));
  return { relay, carries: sent?.carries ?? { requestId: 0, taskId: "" } };
}
const report = (delivered: boolean) => ({
  to: "server",
  message: { method: "resumable-mcp/delivery", params: { taskId: "t", delivered } },
});
const cancel = rpc({ method: "notifications/cancelled", params: { requestId: 2 } });

test("tells the server that a result was delivered when the host was written it, and the next server if need be (G7)", () => {
  const { relay, carries } = answered();
  const [first] = relay.hostGot(carries);
  expect(first).toMatchObject(report(true));
  const [again] = restart(relay).filter(({ message }) => message.method === "resumable-mcp/delivery");
  expect(again).toEqual(first);
  relay.fromServer(rpc({ ...(again?.message.id === undefined ? {} : { id: again.message.id }), result: {} }));
  expect(restart(relay).filter(({ message }) => message.method === "resumable-mcp/delivery")).toEqual([]);
});

test("tells the server that a result was not delivered when its request is cancelled afterwards (G7)", () => {
  const { relay, carries } = answered();
  relay.hostGot(carries);
  expect(relay.fromHost(cancel)).toMatchObject([{ message: cancel }, report(false)]);
  expect(restart(relay).filter(({ message }) => message.method === "resumable-mcp/delivery")).toMatchObject([
    report(false),
  ]);
});

test("a cancellation that cannot have crossed the result leaves it delivered (G7)", () => {
  let nowMs = 0;
  const { relay, carries } = answered(() => nowMs);
  relay.hostGot(carries);
  nowMs += 80;
  expect(relay.fromHost(cancel)).toMatchObject([{ message: cancel }]);
});

test("says nothing of a result whose request was cancelled before the host was written it (G7)", () => {
  const { relay, carries } = answered();
  relay.fromHost(cancel);
  expect(relay.hostGot(carries)).toEqual([]);
});

test("a result that is inlined in a task is one, and that of a running or failed task is none (G7)", () => {
  const relay = begun();
  relay.fromServer(rpc({ id: 1, result: {} }));
  const carriesOf = (result: object) => {
    relay.fromHost(rpc({ id: 2, method: "tasks/get", params: { taskId: "t" } }));
    return relay.fromServer(rpc({ id: 2, result }))[0]?.carries;
  };
  const metaOf = (status: string) => ({ "resumable-mcp/task_id": "t", "resumable-mcp/status": status });
  const carried = { requestId: 2, taskId: "t" };
  expect(carriesOf({ status: "completed", result: { _meta: metaOf("completed") } })).toEqual(carried);
  expect(carriesOf({ _meta: metaOf("running") })).toBeUndefined();
  expect(carriesOf({ _meta: metaOf("failed"), isError: true })).toBeUndefined();
  expect(carriesOf({ taskId: "t", status: "working" })).toBeUndefined();
});
