import type { JsonObject } from "@resumable-mcp/core";
import type { Random } from "../../kills/kill-plan.js";
import type { Header } from "../http-draft.js";
import type { Caller, Known } from "./pools.js";

/** A message as a right client sends it. */
export interface Said {
  readonly method: "POST" | "GET" | "DELETE";
  /** Besides those of the caller. */
  readonly headers: readonly Header[];
  readonly message?: JsonObject;
  /** The session that it is sent in. */
  readonly session?: string | undefined;
}

/** Out of what a message is made. */
export interface Scene {
  readonly random: Random;
  readonly caller: Caller;
  /** What is known of the one whose things it names: mostly the caller itself. */
  readonly known: Known;
  /** Of the message: no two have the same. */
  readonly id: number | string;
}

/** The extension of a client that shows apps: for it the panel and its tools are there. */
export const showsApps: JsonObject = { "io.modelcontextprotocol/ui": { mimeTypes: ["text/html;profile=mcp-app"] } };

const unknownId = "x".repeat(22);
const handoff = { "resumable-mcp/handoff": 0 };

/** An id of a task. */
export const taskOf = ({ random, known }: Scene): string => known.tasks.pick(random, unknownId);

/** A call of one of the tools of `fuzz-tools-module.ts`, with right arguments. */
export function drawCall(scene: Scene): JsonObject {
  const { random, caller } = scene;
  const label = `${caller.canary}${random.between(0, 400)}`;
  const call = random.pick<() => JsonObject>([
    () => ({ name: "note", arguments: { label } }),
    () => ({ name: "note", arguments: { label } }),
    () => ({ name: "slow", arguments: { label, steps: random.between(1, 4), stepMs: random.between(0, 30) } }),
    () => ({ name: "question", arguments: { label } }),
    () => ({ name: "failing", arguments: { label, how: random.between(0, 7) } }),
    () => ({ name: "take", arguments: { label, value: { n: random.next(), list: [label, null, true] } } }),
    () => ({ name: "plain", arguments: { label } }),
    () => drawControl(scene),
    () => drawControl(scene),
  ])();
  const meta = random.pick<JsonObject>([
    {},
    {},
    { progressToken: `p${scene.id}` },
    handoff,
    { "resumable-mcp/new_task": true },
  ]);
  return Object.keys(meta).length === 0 ? call : { ...call, _meta: meta };
}

function drawControl(scene: Scene): JsonObject {
  const { random, known } = scene;
  const task_id = taskOf(scene);
  const [name, args] = random.pick<readonly [string, JsonObject]>([
    ["get_task", { task_id, include: ["result"] }],
    ["wait_for_task", { task_id, timeout_seconds: random.pick([0, 0.05, 0.3]) }],
    ["pause_task", { task_id }],
    ["resume_task", { task_id }],
    ["resume_task", { task_id }],
    ["cancel_task", { task_id }],
    [
      "answer_task",
      { task_id, key: "name", action: random.pick(["accept", "decline", "cancel"]), content: { name: "Ada" } },
    ],
    ["delete_task", { task_id }],
    ["get_task_items", { task_id, after: random.between(0, 5), limit: random.between(1, 1_000) }],
    [
      "list_session_tasks",
      { status: ["running", "completed"], limit: random.between(1, 200), cursor: known.cursors.pick(random, "none") },
    ],
    ["list_session_tasks", {}],
    ["get_checkpoint_stats", {}],
    [
      "find_task",
      {
        tool: random.pick(["note", "slow", "no such"]),
        arguments: { label: `${scene.caller.canary}${random.between(0, 400)}` },
      },
    ],
    ["get_task_journal", { task_id, after: random.between(0, 5), limit: random.between(1, 1_000) }],
    ["answer_question", { task_id, key: "name", action: "accept", content: { name: "Ada" } }],
    ["restart_task", { task_id }],
    ["get_server_info", {}],
    ["get_session_info", {}],
  ]);
  return { name, arguments: args };
}

/** Methods that both eras have, with their params. */
export function drawShared(scene: Scene): readonly [method: string, params: JsonObject] {
  const { random } = scene;
  const uri = `task://${taskOf(scene)}${random.pick(["", "/journal", "/items"])}`;
  return random.pick<readonly [string, JsonObject]>([
    ["tools/list", {}],
    ["resources/list", {}],
    ["resources/templates/list", {}],
    ["resources/read", { uri }],
    ["resources/read", { uri }],
    ["resources/read", { uri: random.pick(["fuzz://text", "ui://resumable-mcp/panel"]) }],
    ["prompts/list", {}],
    ["prompts/get", { name: "unfinished_tasks" }],
    ["prompts/get", { name: "hello", arguments: { name: "Ada" } }],
    ["tasks/get", { taskId: taskOf(scene) }],
    ["tasks/get", { taskId: taskOf(scene) }],
    ["tasks/cancel", { taskId: taskOf(scene) }],
    ["completion/complete", { ref: { type: "ref/prompt", name: "hello" }, argument: { name: "name", value: "A" } }],
    ["no/such", {}],
    ["resumable-mcp/delivery", { taskId: taskOf(scene), delivered: true }],
  ]);
}

/** How an answer to a question looks. */
export function drawAnswer(random: Random): JsonObject {
  return random.pick<JsonObject>([
    { action: "accept", content: { name: "Ada" } },
    { action: "accept", content: { name: "Ada" } },
    { action: "decline" },
    { action: "cancel" },
    { action: "accept", content: { name: 7 } },
  ]);
}
