import type { JsonObject } from "@resumable-mcp/core";
import type { Target } from "./foreign-target.js";
import { controlRoutes, type Route, resourceParts } from "./route.js";

const callArguments = ({ label }: Target): JsonObject => ({ label, hold: true });
const inputResponses = { name: { action: "accept", content: { name: "Eve" } } };
const atOnce = { "resumable-mcp/handoff": 0 };

/** Every way of the 2026 era. */
export const routes2026: readonly Route[] = [
  ...controlRoutes.map(
    ({ tool, input, ...rest }): Route => ({
      ...rest,
      name: `${tool} of a task that is ${rest.kind}`,
      covers: [`tool ${tool}`, "method tools/call"],
      send: (caller, target) => caller.send2026("tools/call", { name: tool, arguments: input(target) }),
    }),
  ),
  ...(["running", "asking", "paused", "done"] as const).map(
    (kind): Route => ({
      name: `tasks/get of a task that is ${kind}`,
      covers: ["method tasks/get"],
      kind,
      send: (caller, { id }) => caller.send2026("tasks/get", { taskId: id }),
    }),
  ),
  ...(["running", "done"] as const).map(
    (kind): Route => ({
      name: `tasks/cancel of a task that is ${kind}`,
      covers: ["method tasks/cancel"],
      kind,
      send: (caller, { id }) => caller.send2026("tasks/cancel", { taskId: id }),
    }),
  ),
  {
    name: "tasks/update",
    covers: ["method tasks/update"],
    kind: "asking",
    send: (caller, { id }) => caller.send2026("tasks/update", { taskId: id, inputResponses }),
  },
  ...["tasks/list", "tasks/result"].map(
    (method): Route => ({
      name: `${method}, which this era does not have`,
      covers: [],
      kind: "running",
      sameForOwner: true,
      send: (caller, { id }) => caller.send2026(method, { taskId: id }),
    }),
  ),
  ...[true, false].map(
    (plain): Route => ({
      name: plain ? "the same call without the extension" : "the same call as a task",
      covers: ["tool gated"],
      kind: "running",
      send: (caller, target) =>
        caller.send2026("tools/call", { name: "gated", arguments: callArguments(target) }, { plain, meta: atOnce }),
    }),
  ),
  {
    name: "the same call with the owner's name as client_id",
    covers: ["argument client_id"],
    kind: "running",
    send: (caller, target) => {
      const args = { ...callArguments(target), client_id: target.subject };
      return caller.send2026("tools/call", { name: "gated", arguments: args }, { plain: true, meta: atOnce });
    },
  },
  {
    name: "the owner's requestState with the same call",
    covers: ["tool asking", "argument requestState"],
    kind: "state",
    send: (caller, target) => {
      const { requestState } = target;
      const call = { name: "asking", arguments: callArguments(target), requestState, inputResponses };
      return caller.send2026("tools/call", call, { plain: true });
    },
  },
  {
    name: "the owner's requestState with the same call as a task",
    covers: ["argument requestState"],
    kind: "state",
    send: (caller, target) => {
      const { requestState } = target;
      return caller.send2026("tools/call", { name: "asking", arguments: callArguments(target), requestState });
    },
  },
  {
    name: "a call under the task's id",
    covers: ["_meta resumable-mcp/call_id"],
    kind: "running",
    sameForOwner: true,
    send: (caller, { id }) => {
      const meta = { ...atOnce, "resumable-mcp/call_id": id };
      return caller.send2026("tools/call", { name: "gated", arguments: { label: "new", hold: true } }, { meta });
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
      return caller.send2026("tools/call", { name: "gated", arguments: { label: "new", hold: true } }, { meta });
    },
  },
  {
    name: "list_session_tasks with the owner's name in _meta",
    covers: ["_meta resumable-mcp/client_id"],
    kind: "running",
    send: (caller, { subject }) => {
      const meta = { "resumable-mcp/client_id": subject };
      return caller.send2026("tools/call", { name: "list_session_tasks", arguments: {} }, { meta });
    },
  },
  {
    name: "subscriptions/listen to the task",
    covers: ["method subscriptions/listen"],
    kind: "running",
    send: (caller, { id }) => caller.send2026("subscriptions/listen", { notifications: { taskIds: [id] } }),
  },
  ...resourceParts.flatMap((part): readonly Route[] => [
    {
      name: `resources/read task://{id}${part}`,
      covers: [`resource task://{id}${part}`, "method resources/read"],
      kind: "running",
      send: (caller, { id }) => caller.send2026("resources/read", { uri: `task://${id}${part}` }),
    },
    {
      name: `subscriptions/listen to task://{id}${part}`,
      covers: ["method subscriptions/listen"],
      kind: "running",
      send: (caller, { id }) => {
        const resourceSubscriptions = [`task://${id}${part}`];
        return caller.send2026("subscriptions/listen", { notifications: { resourceSubscriptions } });
      },
    },
  ]),
  {
    name: "resources/list",
    covers: ["method resources/list"],
    kind: "running",
    send: (caller) => caller.send2026("resources/list"),
  },
  ...["resources/templates/list", "tools/list", "prompts/list", "server/discover"].map(
    (method): Route => ({
      name: method,
      covers: [`method ${method}`],
      kind: "running",
      sameForOwner: true,
      send: (caller) => caller.send2026(method),
    }),
  ),
  ...["ping", "initialize", "logging/setLevel"].map(
    (method): Route => ({
      name: `${method}, which this era does not have`,
      covers: [`method ${method}`],
      kind: "running",
      sameForOwner: true,
      send: (caller) => caller.send2026(method, { level: "debug" }),
    }),
  ),
  {
    name: "the prompt of unfinished tasks",
    covers: ["prompt unfinished_tasks", "method prompts/get"],
    kind: "running",
    send: (caller) => caller.send2026("prompts/get", { name: "unfinished_tasks" }),
  },
];
