import type { JsonObject } from "@resumable-mcp/core";
import type { Target, TargetKind } from "./foreign-target.js";
import type { Extras, RawCaller, Reply } from "./raw-caller.js";

/** A way by which something of another owner's might be reached. */
export interface Route {
  readonly name: string;
  /** What it goes through: tools, methods, resources, prompts and keys, as the server names them. */
  readonly covers: readonly string[];
  readonly kind: TargetKind;
  /** Its owner gets the same answer: nothing of the target is in it. */
  readonly sameForOwner?: true;
  send(caller: RawCaller, target: Target): Promise<Reply>;
}

/** The parts of a control tool's route. */
interface ControlRoute {
  readonly tool: string;
  readonly kind: TargetKind;
  readonly input: (target: Target) => JsonObject;
  readonly sameForOwner?: true;
}

const byId = ({ id }: Target): JsonObject => ({ task_id: id });

/** Every control tool, and whatever it takes that could lead to a task. */
const controlRoutes: readonly ControlRoute[] = [
  ...(["running", "asking", "paused", "done"] as const).map((kind) => ({ tool: "get_task", kind, input: byId })),
  { tool: "get_task", kind: "done", input: ({ id }) => ({ task_id: id, include: ["result"] }) },
  { tool: "wait_for_task", kind: "running", input: ({ id }) => ({ task_id: id, timeout_seconds: 0 }) },
  { tool: "wait_for_task", kind: "done", input: byId },
  { tool: "pause_task", kind: "running", input: byId },
  { tool: "pause_task", kind: "done", input: byId },
  { tool: "resume_task", kind: "paused", input: byId },
  { tool: "cancel_task", kind: "running", input: byId },
  {
    tool: "answer_task",
    kind: "asking",
    input: ({ id }) => ({ task_id: id, key: "name", action: "accept", content: { name: "Eve" } }),
  },
  { tool: "answer_task", kind: "asking", input: ({ id }) => ({ task_id: id, key: "none", action: "decline" }) },
  { tool: "delete_task", kind: "done", input: byId },
  { tool: "delete_task", kind: "running", input: byId },
  { tool: "get_task_items", kind: "done", input: byId },
  { tool: "list_session_tasks", kind: "running", input: () => ({}) },
  { tool: "list_session_tasks", kind: "done", input: ({ subject }) => ({ client_id: subject }) },
  { tool: "list_session_tasks", kind: "running", input: () => ({ status: ["running"], task_name: "gated" }) },
  { tool: "get_checkpoint_stats", kind: "running", input: ({ subject }) => ({ client_id: subject }) },
  { tool: "find_task", kind: "running", input: ({ label }) => ({ tool: "gated", arguments: { label, hold: true } }) },
  { tool: "get_task_journal", kind: "running", input: byId },
  { tool: "get_task_journal", kind: "done", input: ({ id }) => ({ task_id: id, after: 1 }) },
  {
    tool: "answer_question",
    kind: "asking",
    input: ({ id }) => ({ task_id: id, key: "name", action: "accept", content: { name: "Eve" } }),
  },
  { tool: "restart_task", kind: "done", input: byId },
  {
    tool: "run_tool",
    kind: "running",
    input: ({ label }) => ({ tool: "gated", arguments: { label, hold: "wrong" } }),
    sameForOwner: true,
  },
  { tool: "list_tools", kind: "running", input: () => ({ tool: "gated" }), sameForOwner: true },
  { tool: "get_server_info", kind: "running", input: () => ({}), sameForOwner: true },
  { tool: "get_session_info", kind: "running", input: () => ({}), sameForOwner: true },
];

/** URIs of a task's resources, by their templates. */
export const resourceParts = ["", "/journal", "/items"] as const;

type Send = (caller: RawCaller, method: string, params?: JsonObject, extras?: Extras) => Promise<Reply>;

/** What a call of `gated` or `asking` had as its arguments. */
export const callArguments = ({ label }: Target): JsonObject => ({ label, hold: true });
/** The call is handed off as soon as it runs. */
export const atOnce = { "resumable-mcp/handoff": 0 };

/** The ways that both eras have, each by its own way to send. */
export function sharedRoutes(send: Send): readonly Route[] {
  const callNew = (caller: RawCaller, meta: JsonObject) => {
    const call = { name: "gated", arguments: { label: "new", hold: true } };
    return send(caller, "tools/call", call, { meta: { ...atOnce, ...meta } });
  };
  return [
    ...controlRoutes.map(
      ({ tool, input, ...rest }): Route => ({
        ...rest,
        name: `${tool} of a task that is ${rest.kind}`,
        covers: [`tool ${tool}`, "method tools/call"],
        send: (caller, target) => send(caller, "tools/call", { name: tool, arguments: input(target) }),
      }),
    ),
    // No operator: neither an owner nor a stranger is.
    ...controlRoutes.map(
      ({ tool, kind, input }): Route => ({
        name: `all owners: ${tool} of a task that is ${kind}`,
        covers: ["_meta resumable-mcp/all_owners"],
        kind,
        sameForOwner: true,
        send: (caller, target) => {
          const meta = { "resumable-mcp/all_owners": true };
          return send(caller, "tools/call", { name: tool, arguments: input(target) }, { meta });
        },
      }),
    ),
    {
      name: "all owners: resources/read",
      covers: ["_meta resumable-mcp/all_owners"],
      kind: "running",
      send: (caller, { id }) =>
        send(caller, "resources/read", { uri: `task://${id}` }, { meta: { "resumable-mcp/all_owners": true } }),
    },
    {
      name: "the same call with the owner's name as client_id",
      covers: ["argument client_id"],
      kind: "running",
      send: (caller, target) => {
        const args = { ...callArguments(target), client_id: target.subject };
        return send(caller, "tools/call", { name: "gated", arguments: args }, { plain: true, meta: atOnce });
      },
    },
    {
      name: "a call under the task's id",
      covers: ["_meta resumable-mcp/call_id"],
      kind: "running",
      sameForOwner: true,
      send: (caller, { id }) => callNew(caller, { "resumable-mcp/call_id": id }),
    },
    {
      name: "a delivery again of the task's call",
      covers: ["_meta resumable-mcp/redelivered", "_meta resumable-mcp/task_id", "_meta resumable-mcp/request_id"],
      kind: "done",
      sameForOwner: true,
      send: (caller, { id }) => {
        const named = { "resumable-mcp/call_id": id, "resumable-mcp/task_id": id, "resumable-mcp/request_id": 7 };
        return callNew(caller, { ...named, "resumable-mcp/redelivered": true });
      },
    },
    {
      name: "list_session_tasks with the owner's name in _meta",
      covers: ["_meta resumable-mcp/client_id"],
      kind: "running",
      send: (caller, { subject }) => {
        const meta = { "resumable-mcp/client_id": subject };
        return send(caller, "tools/call", { name: "list_session_tasks", arguments: {} }, { meta });
      },
    },
    ...resourceParts.map(
      (part): Route => ({
        name: `resources/read task://{id}${part}`,
        covers: [`resource task://{id}${part}`, "method resources/read"],
        kind: "running",
        send: (caller, { id }) => send(caller, "resources/read", { uri: `task://${id}${part}` }),
      }),
    ),
    ...["", "?from=0"].map(
      (from): Route => ({
        name: `resources/read of an artifact${from}`,
        covers: ["resource task://{id}/artifacts/{name}{?from}"],
        kind: "running",
        send: (caller, { id }) => send(caller, "resources/read", { uri: `task://${id}/artifacts/secret.txt${from}` }),
      }),
    ),
    {
      name: "resources/list",
      covers: ["method resources/list"],
      kind: "running",
      send: (caller) => send(caller, "resources/list"),
    },
    ...["resources/templates/list", "tools/list", "prompts/list"].map(
      (method): Route => ({
        name: method,
        covers: [`method ${method}`],
        kind: "running",
        sameForOwner: true,
        send: (caller) => send(caller, method),
      }),
    ),
    {
      name: "the prompt of unfinished tasks",
      covers: ["prompt unfinished_tasks", "method prompts/get"],
      kind: "running",
      send: (caller) => send(caller, "prompts/get", { name: "unfinished_tasks" }),
    },
  ];
}
