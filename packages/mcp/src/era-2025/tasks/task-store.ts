import {
  type Engine,
  isFinal,
  isJsonObject,
  type JsonObject,
  type OwnedTasks,
  ResumableError,
} from "@resumable-mcp/core";
import { rpcCodes, toText } from "@resumable-mcp/protocol";
import { findTask } from "../../call/call.js";
import { bringValidator } from "../../call/json-schema-validator.js";
import { asRpcError, RpcError } from "../../call/rpc-error.js";
import { splitClientId } from "../../call/session-client.js";
import { limits } from "../../limits.js";
import { ownerOfSubject } from "../../owner/owner.js";
import type { CallToolResult, GetTaskResult, RequestTaskStore, TaskStore } from "../../sdk-2025.js";
import { answerOfTask, cancelTask, listTasks, task2025 } from "./task-2025.js";

/** Whose tasks a task store shows. */
export interface TaskStoreOptions {
  readonly engine: Engine;
  /**
   * The authenticated subject: one for all requests, where every session or request has a store of its own, or derived
   * from the session, where all share one. `undefined` refuses the request with `NO_OWNER`.
   */
  readonly owner: string | ((sessionId: string | undefined) => string | undefined);
}

/**
 * Makes a durable task store for the SDK's own server: its tasks are those of an engine, so they go on after a
 * restart, and other clients of the same owner find them, in either era.
 *
 * A tool whose calls create tasks here has the name of one of the engine's tools, which does the work. The engine keeps
 * its results too: `storeTaskResult` is refused. The SDK puts questions through a queue in memory, so what a task asks is
 * not asked here; `registerTools` asks it. Nor does it say what became of a result: the same call gets it again for
 * `reuseResultMs`.
 *
 * @throws {@link ResumableError} `INVALID_OPTION` when a tool of the engine requires scopes: the SDK tells a store no token.
 *
 * Durability: a task exists durably before its id leaves the server.
 * Source: MCP 2025-11-25, Tasks.
 * @example
 * const taskStore = createTaskStore({ engine, owner: subject });
 * new McpServer(info, { capabilities: { tasks: { list: {}, cancel: {}, requests: { tools: { call: {} } } } }, taskStore });
 */
export function createTaskStore({ engine, owner }: TaskStoreOptions): TaskStore {
  const closed = engine.tools.find(({ requiredScopes = [] }) => requiredScopes.length > 0);
  if (closed !== undefined) {
    const message = `The tool ${closed.name} requires scopes, and a task store does not know what a caller's token has. Serve it with registerTools.`;
    throw new ResumableError("INVALID_OPTION", message, { details: { option: "engine" } });
  }
  bringValidator(engine);
  /** Cancelled, while their code may still be about to stop. */
  const stopping = new Set<string>();
  const tasksOf = (sessionId: string | undefined): OwnedTasks => {
    const subject = typeof owner === "string" ? owner : owner(sessionId);
    if (subject !== undefined) return engine.forOwner(ownerOfSubject(subject));
    const message =
      "The function owner of the task store gave no owner for this session. Authenticate, and open a session.";
    throw new ResumableError("NO_OWNER", message, { details: {} });
  };
  return {
    getTask: (taskId, sessionId) =>
      answering(async () => {
        const view = await findTask(tasksOf(sessionId), taskId);
        if (view === undefined) return null;
        if (isFinal(view.status)) stopping.delete(taskId);
        return task2025({ engine }, stopping.has(taskId) ? { ...view, status: "cancelled" } : view);
      }),
    createTask: (_params, _requestId, request, sessionId) =>
      answering(async () => {
        const tasks = tasksOf(sessionId);
        const { tool, input } = callOf(engine, request);
        const started = await tasks.start({ tool, input, detached: true, session: sessionId });
        if (!started.created) await tasks.detach(started.record.id);
        return task2025({ engine }, started);
      }),
    getTaskResult: (taskId, sessionId) =>
      answering(async () => {
        const view = await tasksOf(sessionId).get(taskId);
        if (isFinal(view.status)) return { ...answerOfTask({ engine, prefix: "" }, view) };
        throw notNow(`Task ${taskId} has no result yet: it is ${view.status}. Wait until it has finished.`);
      }),
    updateTaskStatus: (taskId, status, _message, sessionId) =>
      answering(async () => {
        if (status !== "cancelled")
          throw notNow(
            `Only the engine sets the status of task ${taskId} to ${status}. Do not call updateTaskStatus for that.`,
          );
        const { record } = await cancelTask(tasksOf(sessionId), taskId);
        if (isFinal(record.status)) return;
        stopping.add(taskId);
        for (const oldest of [...stopping].slice(0, -limits.maxStoppingTasks)) stopping.delete(oldest);
      }),
    storeTaskResult: (taskId) =>
      Promise.reject(notNow(`The result of task ${taskId} is what its tool returns. Do not call storeTaskResult.`)),
    listTasks: (cursor, sessionId) => answering(() => listTasks({ engine, tasks: tasksOf(sessionId) }, cursor)),
  };
}

/** What the SDK shows to the caller are JSON-RPC errors. */
async function answering<Value>(run: () => Promise<Value>): Promise<Value> {
  try {
    return await run();
  } catch (error) {
    throw asRpcError(error);
  }
}

function callOf(engine: Engine, { method, params }: { method: string; params?: object | undefined }) {
  if (method !== "tools/call") throw notNow(`Only tools/call can become a task here, not ${method}.`);
  const { name, arguments: given }: { name?: unknown; arguments?: unknown } = params ?? {};
  const tool = engine.tool(toText(name));
  const input: JsonObject = isJsonObject(given) ? given : {};
  return { tool: tool.name, input: splitClientId(input, tool).rest };
}

function notNow(message: string): RpcError {
  return new RpcError(rpcCodes.invalidParams, message);
}

/** What a handler of tasks is given by the SDK: the part that is used here. */
export interface TaskHandlerExtra {
  readonly taskStore: Pick<RequestTaskStore, "createTask" | "getTask" | "getTaskResult">;
}

/**
 * Handles a tool whose tasks `createTaskStore` keeps, for the SDK's `registerToolTask`: it leaves everything to the store.
 *
 * Source: MCP 2025-11-25, Tasks.
 * @example
 * server.experimental.tasks.registerToolTask("count_to", { inputSchema: { n: z.number() } }, taskHandler);
 */
export const taskHandler = {
  async createTask(_input: unknown, { taskStore }: TaskHandlerExtra) {
    return { task: await taskStore.createTask({}) };
  },
  getTask(_input: unknown, { taskStore, taskId }: TaskHandlerExtra & { taskId: string }): Promise<GetTaskResult> {
    return taskStore.getTask(taskId);
  },
  async getTaskResult(_input: unknown, { taskStore, taskId }: TaskHandlerExtra & { taskId: string }) {
    // The store gives what the tool was answered with; the SDK's type for it covers the results of any method.
    return (await taskStore.getTaskResult(taskId)) as CallToolResult;
  },
};
