import type { JsonObject } from "@resumable-mcp/core";
import { unknownTarget } from "../two-owners/foreign-target.js";
import { type BadCase, json, request, type Sent, type World } from "./bad-case.js";

const inSession =
  (method: string, params?: unknown) =>
  ({ session }: World): Sent => ({ headers: session, body: request(method, params) });
const called = (params: JsonObject) => inSession("tools/call", params);
const posted =
  (body: string, headers: Record<string, string> = {}) =>
  ({ session }: World): Sent => ({ headers: { ...session, ...headers }, body });
const elsewhere = (id: string) => (): Sent => ({ headers: { ...json, "mcp-session-id": id }, body: request("ping") });
const got =
  (headersIn: (world: World) => Record<string, string>) =>
  (world: World): Sent => ({
    method: "GET",
    headers: { ...world.session, accept: "text/event-stream", ...headersIn(world) },
  });
const resuming = (cursorIn: (world: World) => string) => got((world) => ({ "last-event-id": cursorIn(world) }));

const task = `task://${"x".repeat(22)}`;
const noOne = "x".repeat(32);
const again = { protocolVersion: "2025-11-25" };

const sessions: readonly BadCase[] = [
  ["no session", () => ({ headers: json, body: request("ping") }), 400, -32_600, /is missing\. Send an initialize/],
  ["an unknown session", elsewhere(noOne), 404, -32_001, /Session not found\. Open a new one/],
  ["a malformed session", elsewhere("../../x"), 404, -32_001, /Session not found/],
  [
    "DELETE of an unknown session",
    () => ({ method: "DELETE", headers: { "mcp-session-id": noOne } }),
    ...([404, -32_001, /Session not found/] as const),
  ],
  [
    "an unknown protocol version",
    posted(request("ping"), { "mcp-protocol-version": "1999-01-01" }),
    ...([400, -32_600, /unsupported protocol version. Supported: 2025-11-25/] as const),
  ],
  [
    "initialize without params",
    () => ({ headers: json, body: request("initialize") }),
    ...([200, -32_602, /^Invalid params: protocolVersion: /] as const),
  ],
  ["initialize in a session", inSession("initialize", again), 400, -32_600, /initialized already/],
  ["a client that accepts neither", posted(request("ping"), { accept: "text/html" }), 406, -32_000, /must accept both/],
];

const params: readonly BadCase[] = [
  ["an unknown method", inSession("no/such"), 200, -32_601, /Method not found/],
  [
    "a log level that there is not",
    inSession("logging/setLevel", { level: "loud" }),
    200,
    -32_602,
    /^Invalid params: level: .*"debug"/,
  ],
  ["a call that names no tool", called({}), 400, -32_600, /params or the _meta of the request are malformed/],
  [
    "a call whose arguments are a list",
    called({ name: "gated", arguments: [1] }),
    200,
    -32_602,
    /^Invalid params: arguments: /,
  ],
  ["resources/read without a URI", inSession("resources/read", {}), 200, -32_602, /^Invalid params: uri: /],
  ...["", "\ud800", '"test://none"'].map(
    (uri): BadCase => [
      `resources/read of ${JSON.stringify(uri)}`,
      inSession("resources/read", { uri }),
      ...([200, -32_602, /^Invalid params: uri: ".*" is not a URI\./] as const),
    ],
  ),
  ...["get_task", "ordinary"].map(
    (name): BadCase => [
      `${name} as a task`,
      called({ name, arguments: { label: "x", task_id: "x" }, task: {} }),
      ...([200, -32_601, /cannot be called as a task: leave out "task"\./] as const),
    ],
  ),
  [
    "an unknown tool as a task",
    called({ name: "none", task: {} }),
    200,
    -32_602,
    /^No tool is named "none"\. There are: /,
  ],
  [
    "a resource that there is not",
    inSession("resources/read", { uri: "test://none" }),
    200,
    -32_602,
    /test:\/\/none not found/,
  ],
  [
    "a subscription to a task that there is not",
    inSession("resources/subscribe", { uri: task }),
    200,
    -32_602,
    /Resource not found/,
  ],
  ["a prompt that there is not", inSession("prompts/get", { name: "none" }), 200, -32_602, /Prompt none not found/],
  ["tasks/get of a number", inSession("tasks/get", { taskId: 7 }), 200, -32_602, /^Invalid params: taskId: /],
  [
    "tasks/get of no task",
    inSession("tasks/get", {}),
    200,
    -32_602,
    /There is no task of that id\. It may have been deleted/,
  ],
  [
    "tasks/list from no page's cursor",
    inSession("tasks/list", { cursor: "none" }),
    200,
    -32_602,
    /cursor .* Leave the cursor out/,
  ],
];

const streams: readonly BadCase[] = [
  [
    "GET that accepts no stream",
    got(() => ({ accept: "application/json" })),
    406,
    -32_000,
    /must accept text\/event-stream/,
  ],
  ["an event id that is malformed", resuming(() => "a.b"), 400, -32_600, /does not name an event of this server/],
  ["an event id that the server never gave", resuming(() => `${noOne}.1`), 405, undefined, /^""$/],
  ["an event id of an invented call", resuming(() => unknownTarget("once").cursor), 405, undefined, /^""$/],
  [
    "an event id ahead of the log",
    resuming(({ ahead }) => ahead),
    400,
    -32_600,
    /later than every event that this server sent/,
  ],
  ["the end of a finished stream", resuming(({ last }) => last), 405, undefined, /^""$/],
  ["an answer that no request waits for", posted('{"jsonrpc":"2.0","id":77,"result":{}}'), 202, undefined, /^""$/],
  [
    "an answer to a question of no task",
    posted('{"jsonrpc":"2.0","id":"ask:none:name","result":{}}'),
    202,
    undefined,
    /^""$/,
  ],
];

/** What is wrong in the 2025 era only. */
export const cases2025: readonly BadCase[] = [...sessions, ...params, ...streams];
