import type { JsonObject } from "@resumable-mcp/core";
import { request2026 } from "../two-owners/raw-caller.js";
import type { BadCase, Sent } from "./bad-case.js";

const posted =
  (method: string, params: JsonObject = {}, given: Record<string, string> = {}) =>
  (): Sent => {
    const { headers, message } = request2026(method, params, { headers: given });
    return { headers, body: JSON.stringify(message) };
  };
const without = (name: string, sent: () => Sent) => (): Sent => {
  const { [name]: _left, ...headers } = sent().headers;
  return { ...sent(), headers };
};
const replacing =
  (text: string, other: string, given: Record<string, string> = {}) =>
  (): Sent => {
    const { headers, body = "" } = posted("tools/list")();
    return { headers: { ...headers, ...given }, body: body.replace(text, other) };
  };
const call = { name: "gated", arguments: { label: "never", hold: false } };
const task = { taskId: "x".repeat(22) };
const version = (name: string) => ({ "mcp-protocol-version": name });

const headers: readonly BadCase[] = [
  ["no Mcp-Method", without("mcp-method", posted("tools/list")), 400, -32_020, /Mcp-Method header is absent/],
  ["another Mcp-Method", posted("tools/list", {}, { "mcp-method": "ping" }), 400, -32_020, /header names ping/],
  ["no Mcp-Name", without("mcp-name", posted("tools/call", call)), 400, -32_020, /Mcp-Name header is absent/],
  ["another Mcp-Name", posted("tools/call", call, { "mcp-name": "other" }), 400, -32_020, /header names "other"/],
  ["another task's Mcp-Name", posted("tasks/get", task, { "mcp-name": "other" }), 400, -32_020, /header names "other"/],
  [
    "no version header",
    without("mcp-protocol-version", posted("tools/list")),
    400,
    -32_020,
    /Version header is absent/,
  ],
  ["another version header", posted("tools/list", {}, version("2025-11-25")), 400, -32_020, /header names 2025-11-25/],
  [
    "an unknown protocol version",
    replacing("2026-07-28", "2099-01-01", version("2099-01-01")),
    ...([400, -32_022, /Unsupported protocol version: 2099-01-01/] as const),
  ],
  ["no client capabilities", replacing("clientCapabilities", "x"), 400, -32_602, /clientCapabilities: missing/],
  [
    "GET",
    () => ({ method: "GET", headers: { ...version("2026-07-28"), accept: "text/event-stream" } }),
    ...([405, -32_000, /POST only/] as const),
  ],
];

const params: readonly BadCase[] = [
  ["an unknown method", posted("no/such"), 404, -32_601, /Method not found/],
  ["a call that names no tool", posted("tools/call"), 200, -32_602, /^Invalid params: name: /],
  ["a call of an unknown tool", posted("tools/call", { name: "none" }), 200, -32_602, /Tool none not found/],
  [
    "arguments that are a list",
    posted("tools/call", { ...call, arguments: [1] }),
    200,
    -32_602,
    /^Invalid params: arguments: /,
  ],
  [
    "an invented requestState",
    posted("tools/call", { ...call, requestState: "none" }),
    200,
    -32_602,
    /Send the call again without it/,
  ],
  ["resources/read without a URI", posted("resources/read"), 200, -32_602, /^Invalid params: uri: /],
  [
    "resources/read of no URI",
    posted("resources/read", { uri: "no uri" }),
    200,
    -32_602,
    /^Invalid params: uri: "no uri" is not a URI\.$/,
  ],
  [
    "a resource that there is not",
    posted("resources/read", { uri: "test://none" }),
    200,
    -32_602,
    /not found: test:\/\/none/,
  ],
  ["tasks/get of a number", posted("tasks/get", { taskId: 7 }), 200, -32_602, /taskId: Invalid input/],
  ["tasks/get of no task", posted("tasks/get", task), 200, -32_602, /There is no task x+\. It may have been deleted/],
  ["tasks/update without answers", posted("tasks/update", task), 200, -32_602, /inputResponses is missing/],
  [
    "tasks/update of no task",
    posted("tasks/update", { ...task, inputResponses: {} }),
    200,
    -32_602,
    /There is no task/,
  ],
  ["a subscription to nothing", posted("subscriptions/listen"), 200, -32_602, /'notifications' is required/],
];

/** What is wrong in the 2026 era only. */
export const cases2026: readonly BadCase[] = [...headers, ...params];
