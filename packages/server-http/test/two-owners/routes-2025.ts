import type { JsonObject } from "@resumable-mcp/core";
import type { Target } from "./foreign-target.js";
import { controlRoutes, type Route, resourceParts } from "./route.js";

const callArguments = ({ label }: Target): JsonObject => ({ label, hold: true });
const atOnce = { "resumable-mcp/handoff": 0 };
const otherSession = ({ session }: Target) => ({ "mcp-session-id": session });
const lastEvent = ({ cursor }: Target) => ({ "last-event-id": cursor });

/** Every way of the 2025 era. */
export const routes2025: readonly Route[] = [
  ...controlRoutes.map(
    ({ tool, input, ...rest }): Route => ({
      ...rest,
      name: `${tool} of a task that is ${rest.kind}`,
      covers: [`tool ${tool}`, "method tools/call"],
      send: (caller, target) => caller.send2025("tools/call", { name: tool, arguments: input(target) }),
    }),
  ),
  ...(["tasks/get", "tasks/result", "tasks/cancel"] as const).map(
    (method): Route => ({
      name: method,
      covers: [`method ${method}`],
      kind: "done",
      send: (caller, { id }) => caller.send2025(method, { taskId: id }),
    }),
  ),
  {
    name: "tasks/cancel of a task that runs",
    covers: ["method tasks/cancel"],
    kind: "running",
    send: (caller, { id }) => caller.send2025("tasks/cancel", { taskId: id }),
  },
  {
    name: "tasks/list",
    covers: ["method tasks/list"],
    kind: "running",
    send: (caller) => caller.send2025("tasks/list"),
  },
  {
    name: "the same call",
    covers: ["tool gated"],
    kind: "running",
    send: (caller, target) =>
      caller.send2025("tools/call", { name: "gated", arguments: callArguments(target) }, { meta: atOnce }),
  },
  {
    name: "the same call with the owner's name as client_id",
    covers: ["argument client_id"],
    kind: "running",
    send: (caller, target) => {
      const args = { ...callArguments(target), client_id: target.subject };
      return caller.send2025("tools/call", { name: "gated", arguments: args }, { meta: atOnce });
    },
  },
  {
    name: "the same call as a task",
    covers: ["tool asking"],
    kind: "asking",
    send: (caller, target) =>
      caller.send2025("tools/call", { name: "asking", arguments: callArguments(target), task: {} }),
  },
  {
    name: "a call under the task's id",
    covers: ["_meta resumable-mcp/call_id"],
    kind: "running",
    sameForOwner: true,
    send: (caller, { id }) => {
      const meta = { ...atOnce, "resumable-mcp/call_id": id };
      return caller.send2025("tools/call", { name: "gated", arguments: { label: "new", hold: true } }, { meta });
    },
  },
  {
    name: "a delivery again of the task's call",
    covers: ["_meta resumable-mcp/redelivered", "_meta resumable-mcp/task_id", "_meta resumable-mcp/request_id"],
    kind: "done",
    sameForOwner: true,
    send: (caller, { id }) => {
      const named = { "resumable-mcp/call_id": id, "resumable-mcp/task_id": id, "resumable-mcp/request_id": 7 };
      const meta = { ...atOnce, ...named, "resumable-mcp/redelivered": true };
      return caller.send2025("tools/call", { name: "gated", arguments: { label: "new", hold: true } }, { meta });
    },
  },
  {
    name: "list_session_tasks with the owner's name in _meta",
    covers: ["_meta resumable-mcp/client_id"],
    kind: "running",
    send: (caller, { subject }) => {
      const meta = { "resumable-mcp/client_id": subject };
      return caller.send2025("tools/call", { name: "list_session_tasks", arguments: {} }, { meta });
    },
  },
  ...resourceParts.flatMap((part): readonly Route[] => [
    {
      name: `resources/read task://{id}${part}`,
      covers: [`resource task://{id}${part}`, "method resources/read"],
      kind: "running",
      send: (caller, { id }) => caller.send2025("resources/read", { uri: `task://${id}${part}` }),
    },
    {
      name: `resources/subscribe task://{id}${part}`,
      covers: ["method resources/subscribe"],
      kind: "running",
      send: (caller, { id }) => caller.send2025("resources/subscribe", { uri: `task://${id}${part}` }),
    },
  ]),
  {
    name: "resources/unsubscribe",
    covers: ["method resources/unsubscribe"],
    kind: "running",
    sameForOwner: true,
    send: (caller, { id }) => caller.send2025("resources/unsubscribe", { uri: `task://${id}` }),
  },
  {
    name: "resources/list",
    covers: ["method resources/list"],
    kind: "running",
    send: (caller) => caller.send2025("resources/list"),
  },
  ...["resources/templates/list", "tools/list", "prompts/list", "ping"].map(
    (method): Route => ({
      name: method,
      covers: [`method ${method}`],
      kind: "running",
      sameForOwner: true,
      send: (caller) => caller.send2025(method),
    }),
  ),
  {
    name: "logging/setLevel",
    covers: ["method logging/setLevel"],
    kind: "running",
    sameForOwner: true,
    send: (caller) => caller.send2025("logging/setLevel", { level: "debug" }),
  },
  {
    name: "the prompt of unfinished tasks",
    covers: ["prompt unfinished_tasks", "method prompts/get"],
    kind: "running",
    send: (caller) => caller.send2025("prompts/get", { name: "unfinished_tasks" }),
  },
  {
    name: "the instructions of a new session",
    covers: ["method initialize"],
    kind: "running",
    send: (caller) => caller.initialize(),
  },
  ...(["stream", "once", "standalone"] as const).flatMap((kind): readonly Route[] => [
    {
      name: `Last-Event-ID of a foreign stream (${kind}) in an own session`,
      covers: ["header Last-Event-ID"],
      kind,
      sameForOwner: true,
      send: (caller, target) => caller.open("GET", lastEvent(target)),
    },
    {
      name: `Last-Event-ID of a foreign stream (${kind}) in its session`,
      covers: ["header Last-Event-ID", "header Mcp-Session-Id"],
      kind,
      send: (caller, target) => caller.open("GET", { ...otherSession(target), ...lastEvent(target) }),
    },
  ]),
  {
    name: "the standalone stream of a foreign session",
    covers: ["header Mcp-Session-Id"],
    kind: "stream",
    send: (caller, target) => caller.open("GET", otherSession(target)),
  },
  {
    name: "the end of a foreign session",
    covers: ["header Mcp-Session-Id"],
    kind: "stream",
    send: (caller, target) => caller.open("DELETE", otherSession(target)),
  },
  {
    name: "a request in a foreign session",
    covers: ["header Mcp-Session-Id"],
    kind: "stream",
    send: (caller, target) => caller.send2025("tasks/list", {}, { headers: otherSession(target) }),
  },
  {
    name: "notifications/cancelled in a foreign session",
    covers: ["notification notifications/cancelled"],
    kind: "stream",
    send: (caller, target) =>
      caller.post(
        { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 7 } },
        otherSession(target),
      ),
  },
  {
    name: "notifications/cancelled for a foreign request",
    covers: ["notification notifications/cancelled"],
    kind: "stream",
    sameForOwner: true,
    send: (caller) => caller.post({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 7 } }),
  },
  {
    name: "the answer to a foreign task's question",
    covers: ["response elicitation/create"],
    kind: "asking",
    sameForOwner: true,
    send: (caller, { id }) => {
      const result = { action: "accept", content: { name: "Eve" } };
      return caller.post({ jsonrpc: "2.0", id: `ask:${id}:name`, result });
    },
  },
];
