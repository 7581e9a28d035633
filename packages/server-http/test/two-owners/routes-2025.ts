import type { Target } from "./foreign-target.js";
import { atOnce, callArguments, type Route, resourceParts, sharedRoutes } from "./route.js";

const otherSession = ({ session }: Target) => ({ "mcp-session-id": session });
const lastEvent = ({ cursor }: Target) => ({ "last-event-id": cursor });

/** Every way of the 2025 era. */
export const routes2025: readonly Route[] = [
  ...sharedRoutes((caller, ...request) => caller.send2025(...request)),
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
    name: "the same call as a task",
    covers: ["tool asking"],
    kind: "asking",
    send: (caller, target) =>
      caller.send2025("tools/call", { name: "asking", arguments: callArguments(target), task: {} }),
  },
  ...resourceParts.map(
    (part): Route => ({
      name: `resources/subscribe task://{id}${part}`,
      covers: ["method resources/subscribe"],
      kind: "running",
      send: (caller, { id }) => caller.send2025("resources/subscribe", { uri: `task://${id}${part}` }),
    }),
  ),
  {
    name: "resources/unsubscribe",
    covers: ["method resources/unsubscribe"],
    kind: "running",
    sameForOwner: true,
    send: (caller, { id }) => caller.send2025("resources/unsubscribe", { uri: `task://${id}` }),
  },
  {
    name: "ping",
    covers: ["method ping"],
    kind: "running",
    sameForOwner: true,
    send: (caller) => caller.send2025("ping"),
  },
  {
    name: "logging/setLevel",
    covers: ["method logging/setLevel"],
    kind: "running",
    sameForOwner: true,
    send: (caller) => caller.send2025("logging/setLevel", { level: "debug" }),
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
