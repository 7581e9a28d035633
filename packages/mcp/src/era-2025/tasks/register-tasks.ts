import { type Engine, isJsonObject, type JsonObject } from "@resumable-mcp/core";
import { z } from "zod";
import type { Call } from "../../call/call.js";
import { asRpcError } from "../../call/rpc-error.js";
import { forSdk } from "../../sdk-workarounds.js";
import { type CallPolicy2025, call2025 } from "../call-2025.js";
import type { RequestExtra, Server2025 } from "../server-2025.js";
import { cancelTask, listTasks, relatedTaskKey, task2025 } from "./task-2025.js";
import { taskResult } from "./task-result.js";

type TaskMethod = (call: Call, params: Params) => Promise<object>;
const paramsSchema = z.looseObject({
  taskId: z.string().max(256).default(""),
  cursor: z.string().max(1_024).optional(),
});
type Params = z.output<typeof paramsSchema>;

const methods: Readonly<Record<string, TaskMethod>> = {
  "tasks/get": async ({ tasks }, { taskId }) => task2025(await tasks.get(taskId)),
  "tasks/result": (call, { taskId }) => taskResult(call, taskId),
  "tasks/cancel": async ({ tasks }, { taskId }) => task2025(await cancelTask(tasks, taskId)),
  "tasks/list": ({ tasks }, { cursor }) => listTasks(tasks, cursor),
};

/** One for all sessions: a schema is larger than all else that a session keeps of a method. */
const requests = Object.keys(methods).map((method) =>
  z.looseObject({ method: z.literal(method), params: paramsSchema.default({ taskId: "" }) }),
);

/**
 * Registers the tasks of 2025-11-25 as views of an engine's. False when the server has tasks of its own.
 *
 * Bound to the owner: a caller with the same token or `client_id` finds them in any session, and in the other era.
 * Source: MCP 2025-11-25, Tasks.
 */
export function registerTasks(mcp: Server2025, engine: Engine, policy: CallPolicy2025): boolean {
  const { server } = mcp;
  try {
    for (const method of Object.keys(methods)) server.assertCanSetRequestHandler(method);
  } catch {
    return false;
  }
  server.registerCapabilities({ tasks: { list: {}, cancel: {}, requests: { tools: { call: {} } } } });
  for (const [index, [method, run]] of Object.entries(methods).entries()) {
    const handler = async ({ params }: { params: Params }, extra: RequestExtra): Promise<object> => {
      try {
        const shown = method === "tasks/result" ? aboutTask(extra, params.taskId) : extra;
        return await run(call2025(mcp, engine, policy, shown, undefined), params);
      } catch (error) {
        throw asRpcError(error);
      }
    };
    server.setRequestHandler(forSdk(requests[index]), forSdk(handler));
  }
  return true;
}

/**
 * Lets whatever a request's handler sends to the client name the task that it is about.
 *
 * Source: MCP 2025-11-25, Tasks, "Associating Task-Related Messages".
 */
export function aboutTask(extra: RequestExtra, taskId: string): RequestExtra {
  return {
    ...extra,
    sendNotification: (notification) => extra.sendNotification(forSdk(related(notification, taskId))),
    sendRequest: (request, schema, options) => extra.sendRequest(forSdk(related(request, taskId)), schema, options),
  };
}

function related(message: JsonObject, taskId: string): JsonObject {
  const params = isJsonObject(message.params) ? message.params : {};
  const meta = isJsonObject(params._meta) ? params._meta : {};
  return { ...message, params: { ...params, _meta: { ...meta, [relatedTaskKey]: { taskId } } } };
}
