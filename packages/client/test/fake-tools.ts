import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import {
  CallToolRequestSchema,
  type CallToolResult,
  ListToolsRequestSchema,
  ReadResourceRequestSchema,
} from "@modelcontextprotocol/sdk/types.js";
import type { FakeTask, FakeTasks } from "./fake-tasks.js";

const object = { type: "object" as const };
const control = [
  "get_task",
  "wait_for_task",
  "pause_task",
  "resume_task",
  "cancel_task",
  "answer_task",
  "delete_task",
  "get_task_items",
  "list_session_tasks",
  "get_checkpoint_stats",
  "get_session_info",
];

/** Those that are listed: the client calls the others too. */
const minimal = ["wait_for_task", "resume_task", "cancel_task", "answer_task", "list_session_tasks"];

type Notify = (notification: { method: string; params: Record<string, unknown> }) => Promise<void>;

interface FakeCall {
  readonly tasks: FakeTasks;
  readonly owner: string;
  readonly values: Record<string, unknown>;
  readonly meta: Record<string, unknown>;
  readonly notify: Notify;
  readonly signal: AbortSignal;
  readonly sessionId: string | undefined;
}

/** Makes an MCP server that implements docs/control-tools.md over tasks that the test moves. */
export function createFakeMcpServer(tasks: FakeTasks): Server {
  const server = new Server(
    { name: "fake", version: "1" },
    { capabilities: { tools: {}, logging: {}, resources: {} } },
  );
  server.setRequestHandler(ListToolsRequestSchema, () => ({
    tools: [
      { name: "count", description: "Counts.", inputSchema: object, _meta: { "resumable-mcp/durable": "journal" } },
      ...control.filter((name) => minimal.includes(name)).map((name) => ({ name, inputSchema: object })),
    ],
    _meta: {
      "resumable-mcp/control_tools": { listed: "minimal", prefix: "" },
      "resumable-mcp/not_started": tasks.notStarted,
    },
  }));
  server.setRequestHandler(ReadResourceRequestSchema, ({ params: { uri } }) => {
    const task = tasks.all.find(({ id }) => uri === `task://${id}/journal`);
    if (task === undefined) throw new Error("Resource not found");
    const events = task.events.map(({ seq, progress: { message: _message, ...progress } = {} }) => ({
      seq,
      type: "checkpoint",
      ...progress,
    }));
    return { contents: [{ uri, text: JSON.stringify({ last_seq: task.lastSeq, events }) }] };
  });
  server.setRequestHandler(CallToolRequestSchema, (request, extra) => {
    const meta: Record<string, unknown> = request.params._meta ?? {};
    const owner = String(meta["resumable-mcp/client_id"]);
    const { name, arguments: values = {} } = request.params;
    const notify: Notify = (notification) => extra.sendNotification(notification as never);
    return run(name, { tasks, owner, values, meta, notify, signal: extra.signal, sessionId: extra.sessionId });
  });
  return server;
}

async function run(name: string, call: FakeCall): Promise<CallToolResult> {
  const { tasks, owner, values } = call;
  if (name === "count") {
    if (values.refuse === true) return failure("INVALID_VALUE", "refuse: must not be true");
    const task = tasks.start("count", owner, values, call.meta["resumable-mcp/new_task"]);
    if (task.status === "paused") task.move("running");
    return interim(task);
  }
  if (name === "get_checkpoint_stats") {
    return data({ checkpoint_stats: { running: tasks.all.length }, total_checkpoints: tasks.all.length });
  }
  if (name === "get_session_info") return data({ session_id: call.sessionId, request_id: "1", client_id: owner });
  if (name === "list_session_tasks") return list(call);
  if (tasks.fault !== undefined) return refusal(tasks.fault);
  const task = tasks.find(owner, String(values.task_id));
  if (task === undefined) return failure("TASK_NOT_FOUND", `There is no task ${String(values.task_id)}.`);
  if (name === "wait_for_task") return wait(task, call);
  return steer(name, task, values);
}

function steer(name: string, task: FakeTask, values: Record<string, unknown>): CallToolResult {
  switch (name) {
    case "pause_task":
      if (task.status !== "running") return failure("ILLEGAL_TRANSITION", "The task is not running.");
      task.move("paused");
      break;
    case "resume_task":
      task.move("running");
      break;
    case "cancel_task":
      task.result = { isError: true, content: [{ type: "text", text: "cancelled" }] };
      task.move("cancelled");
      break;
    case "answer_task":
      if (task.question?.key !== values.key) return failure("UNKNOWN_QUESTION", "There is no such question.");
      task.answer = values;
      task.question = undefined;
      task.move("running");
      break;
    case "get_task_items": {
      const after = Number(values.after);
      const items = task.items.slice(after, after + Number(values.limit));
      return data({ task_id: task.id, items, next: after + items.length, total: task.items.length });
    }
  }
  return data(task.toWire());
}

function list({ tasks, owner, values }: FakeCall): CallToolResult {
  const wanted = values.status as string[] | undefined;
  const own = tasks.all.filter((task) => task.owner === owner && (wanted?.includes(task.status) ?? true));
  const wire = own.map((task) => {
    const { progress = 0, total } = task.last ?? {};
    return { ...task.toWire(), progress: `${progress}/${total}`, progress_value: progress };
  });
  return data({ session_id: "s", persistent_id: owner, total_tasks: own.length, tasks: wire });
}

async function wait(task: FakeTask, call: FakeCall): Promise<CallToolResult> {
  let seen = Number(call.meta["resumable-mcp/after_seq"] ?? 0);
  const timeout = AbortSignal.timeout(Number(call.values.timeout_seconds) * 1000);
  const over = AbortSignal.any([call.signal, timeout]);
  for (;;) {
    if (call.tasks.fault !== undefined) return refusal(call.tasks.fault);
    for (const event of task.events.filter(({ seq }) => seq > seen)) {
      seen = event.seq;
      const _meta = { "resumable-mcp/task_id": task.id, "resumable-mcp/seq": event.seq };
      if (event.log !== undefined) {
        await call.notify({ method: "notifications/message", params: { ...event.log, _meta } });
      }
      if (event.progress !== undefined) {
        const { progressToken } = call.meta;
        await call.notify({ method: "notifications/progress", params: { progressToken, ...event.progress, _meta } });
      }
    }
    if (task.status !== "running") break;
    if (over.aborted) break;
    const aborted = new Promise<void>((resolve) => over.addEventListener("abort", () => resolve(), { once: true }));
    if (task.lastSeq === seen) await Promise.race([task.changed(), aborted]);
  }
  if (["completed", "failed", "cancelled"].includes(task.status)) {
    const _meta = { "resumable-mcp/task_id": task.id, "resumable-mcp/status": task.status };
    return { content: [], ...task.result, _meta };
  }
  return interim(task);
}

function interim(task: FakeTask): CallToolResult {
  const { progress = 0, total } = task.last ?? {};
  const questions = task.question === undefined ? {} : { questions: [task.question] };
  return data({ status: task.status, task_id: task.id, progress, total, next_tool: "wait_for_task", ...questions });
}

function data(structuredContent: Record<string, unknown>): CallToolResult {
  return { content: [{ type: "text", text: JSON.stringify(structuredContent) }], structuredContent };
}

function refusal(code: string): CallToolResult {
  return failure(code, "The server failed to carry out the call. Its log says more.");
}

function failure(code: string, message: string): CallToolResult {
  return { ...data({ error: { code, message } }), isError: true, content: [{ type: "text", text: message }] };
}
