import { atOnce, callArguments, type Route, resourceParts, sharedRoutes } from "./route.js";

const inputResponses = { name: { action: "accept", content: { name: "Eve" } } };

/** Every way of the 2026 era. */
export const routes2026: readonly Route[] = [
  ...sharedRoutes((caller, ...request) => caller.send2026(...request)),
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
    name: "subscriptions/listen to the task",
    covers: ["method subscriptions/listen"],
    kind: "running",
    send: (caller, { id }) => caller.send2026("subscriptions/listen", { notifications: { taskIds: [id] } }),
  },
  ...resourceParts.map(
    (part): Route => ({
      name: `subscriptions/listen to task://{id}${part}`,
      covers: ["method subscriptions/listen"],
      kind: "running",
      send: (caller, { id }) => {
        const resourceSubscriptions = [`task://${id}${part}`];
        return caller.send2026("subscriptions/listen", { notifications: { resourceSubscriptions } });
      },
    }),
  ),
  {
    name: "server/discover",
    covers: ["method server/discover"],
    kind: "running",
    sameForOwner: true,
    send: (caller) => caller.send2026("server/discover"),
  },
  ...["ping", "initialize", "logging/setLevel"].map(
    (method): Route => ({
      name: `${method}, which this era does not have`,
      covers: [`method ${method}`],
      kind: "running",
      sameForOwner: true,
      send: (caller) => caller.send2026(method, { level: "debug" }),
    }),
  ),
];
