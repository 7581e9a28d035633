import type { JsonObject } from "@resumable-mcp/core";
import type { Target, TargetKind } from "./foreign-target.js";
import type { RawCaller, Reply } from "./raw-caller.js";

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
export interface ControlRoute {
  readonly tool: string;
  readonly kind: TargetKind;
  readonly input: (target: Target) => JsonObject;
  readonly sameForOwner?: true;
}

const byId = ({ id }: Target): JsonObject => ({ task_id: id });

/** Every control tool, and whatever it takes that could lead to a task. */
export const controlRoutes: readonly ControlRoute[] = [
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
  { tool: "get_server_info", kind: "running", input: () => ({}), sameForOwner: true },
  { tool: "get_session_info", kind: "running", input: () => ({}), sameForOwner: true },
];

/** URIs of a task's resources, by their templates. */
export const resourceParts = ["", "/journal", "/items"] as const;
