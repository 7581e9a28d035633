import { isJsonObject, type JsonObject, type OwnedTasks, type Tool } from "@resumable-mcp/core";
import { rpcCodes } from "@resumable-mcp/protocol";
import { z } from "zod";
import type { Call } from "../../call/call.js";
import { asRpcError, RpcError } from "../../call/rpc-error.js";
import { knownTask, startRequest } from "../../call/run-tool-call.js";
import { splitClientId } from "../../call/session-client.js";
import { errorResult } from "../../call/tool-result.js";
import {
  answerBefore,
  forSdk,
  handleRequest,
  handlerOf,
  isRegisteredTool,
  isUnknownTool,
} from "../../sdk-workarounds.js";
import { call2025, type Environment2025 } from "../call-2025.js";
import { hasNoneOf, type RequestExtra } from "../server-2025.js";
import { knowsTasks } from "./knows-tasks.js";
import { cancelTask, createTaskResult2025, listTasks, relatedTaskKey, task2025, taskResult } from "./task-2025.js";

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
const callRequest = z.looseObject({ method: z.literal("tools/call") });
const listRequest = z.looseObject({ method: z.literal("tools/list") });

/**
 * Registers the tasks of 2025-11-25 as views of an engine's, unless the server has tasks of its own.
 *
 * Bound to the owner: a caller with the same token or `client_id` finds them in any session, and in the other era.
 * Source: MCP 2025-11-25, Tasks.
 */
export function registerTasks(environment: Environment2025): void {
  const { server } = environment.mcp;
  if (!hasNoneOf(environment.mcp, Object.keys(methods))) return;
  server.registerCapabilities({ tasks: { list: {}, cancel: {}, requests: { tools: { call: {} } } } });
  answerBefore(server, "initialize", async (_request, _extra, next) => forVersion(await next()));
  const watched: Watched = new Map();
  for (const [index, [method, run]] of Object.entries(methods).entries()) {
    const handler = async ({ params }: { params: Params }, extra: RequestExtra): Promise<object> => {
      try {
        const { taskId } = params;
        const isResult = method === "tasks/result";
        const call = call2025(environment, isResult ? aboutTask(extra, taskId) : extra);
        const token = isResult ? watched.get(taskId) : undefined;
        return await run(token === undefined ? call : withToken(call, token), params);
      } catch (error) {
        throw asRpcError(error);
      }
    };
    handleRequest(server, requests[index], handler);
  }
  takeTaskCalls(environment, watched);
}

type ProgressToken = Call["meta"]["progressToken"];

/** The unfinished tasks that the calls of a session began, and the progress token of each call: it stays valid until the task ends. */
type Watched = Map<string, ProgressToken>;

/** Source: MCP 2025-11-25, Progress, "Behavior Requirements" (3). */
function withToken(call: Call, progressToken: ProgressToken): Call {
  return { ...call, meta: { ...call.meta, progressToken } };
}

/** A client of an older version may refuse a capability that its version does not have. */
function forVersion(answer: JsonObject): JsonObject {
  const { capabilities, protocolVersion } = answer;
  if (knowsTasks(protocolVersion) || !isJsonObject(capabilities)) return answer;
  const { tasks: _tasks, ...older } = capabilities;
  return { ...answer, capabilities: older };
}

/**
 * Lets whatever a request's handler sends to the client name the task that it is about.
 *
 * Source: MCP 2025-11-25, Tasks, "Associating Task-Related Messages".
 */
function aboutTask(extra: RequestExtra, taskId: string): RequestExtra {
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

/**
 * Lets calls of an engine's tools become tasks, and lists which tools may. Calls that ask for no task, and those of
 * other tools, go the way that they went before.
 *
 * The SDK has no seam for a tool that is a task for one caller and a stream for the next, so its two handlers are
 * wrapped; where it hides them differently one day, tools are simply called without tasks.
 *
 * Source: MCP 2025-11-25, Tasks, "Creating Tasks" and "Tool-Level Negotiation".
 */
function takeTaskCalls(environment: Environment2025, watched: Watched): void {
  const { server } = environment.mcp;
  const callTool = handlerOf<RequestExtra>(server, "tools/call");
  const listTools = handlerOf<RequestExtra>(server, "tools/list");
  if (callTool === undefined || listTools === undefined) return;
  const tools = new Map(environment.engine.tools.map((tool) => [tool.name, tool]));
  const tellStatus = createStatusTeller(environment, watched);
  const listed = async (extra: RequestExtra): Promise<readonly JsonObject[]> => {
    const list: unknown = Reflect.get(await listTools({ method: "tools/list" }, extra), "tools");
    return Array.isArray(list) ? list.filter(isJsonObject) : [];
  };
  const takeCall = async (request: JsonObject, extra: RequestExtra): Promise<object> => {
    const { name, task, arguments: input } = isJsonObject(request.params) ? request.params : {};
    const tool = tools.get(String(name));
    if (tool === undefined) {
      if (task !== undefined) throw notAsTask(environment, String(name), await listed(extra));
      const answer = await callTool(request, extra);
      return isUnknownTool(String(name), answer)
        ? errorResult("UNKNOWN_TOOL", unknownTool(String(name), await listed(extra)))
        : answer;
    }
    checkSupport(tool, task !== undefined);
    if (task === undefined) return callTool(request, extra);
    return createTask(environment, tool, isJsonObject(input) ? input : {}, extra, tellStatus);
  };
  const takeList = async (request: JsonObject, extra: RequestExtra): Promise<object> => {
    const answer = await listTools(request, extra);
    const list: unknown = Reflect.get(answer, "tools");
    return { ...answer, tools: Array.isArray(list) ? list.map((entry) => withExecution(entry, tools)) : [] };
  };
  handleRequest(server, callRequest, takeCall);
  handleRequest(server, listRequest, takeList);
}

/** The SDK says of a tool that it does not know just that; what there is instead is what helps. */
function unknownTool(name: string, tools: readonly JsonObject[]): string {
  const known = tools.map((tool) => String(tool.name)).join(", ");
  return `There is no tool ${JSON.stringify(name.slice(0, 100))}. There are: ${known}.`;
}

/** The SDK runs such a tool first, and then finds that its result is not a task. */
function notAsTask({ mcp }: Environment2025, name: string, tools: readonly JsonObject[]): RpcError {
  if (!isRegisteredTool(mcp, name)) return new RpcError(rpcCodes.invalidParams, unknownTool(name, tools));
  return new RpcError(rpcCodes.methodNotFound, `Tool ${name} ${problems.forbidden}`);
}

const problems = {
  required: `has to be called as a task: add "task": {} to the params.`,
  forbidden: `cannot be called as a task: leave out "task".`,
} as const;

function checkSupport({ name, taskSupport = "optional" }: Tool, asTask: boolean): void {
  const isWrong = asTask ? taskSupport === "forbidden" : taskSupport === "required";
  if (isWrong && taskSupport !== "optional")
    throw new RpcError(rpcCodes.methodNotFound, `Tool ${name} ${problems[taskSupport]}`);
}

type TellStatus = (call: Call, taskId: string) => void;

async function createTask(
  environment: Environment2025,
  tool: Tool,
  input: JsonObject,
  extra: RequestExtra,
  tellStatus: TellStatus,
): Promise<JsonObject> {
  const { rest, ...argument } = splitClientId(input, tool);
  try {
    const call = call2025(environment, extra, argument);
    const begun = (await knownTask(call)) ?? (await call.tasks.start(startRequest(call, tool, rest, true)));
    if (!begun.created) await call.tasks.detach(begun.record.id);
    tellStatus(call, begun.record.id);
    return createTaskResult2025(begun);
  } catch (error) {
    throw asRpcError(error);
  }
}

/**
 * Tells the session's own stream of each new status of a task, once however many calls join it, for as long as
 * there is a session. Source: the same, "Task Status Notification".
 */
function createStatusTeller({ mcp: { server }, options, closedSignal }: Environment2025, watched: Watched): TellStatus {
  const tell = async (tasks: OwnedTasks, taskId: string, signal: AbortSignal): Promise<void> => {
    let shown: unknown;
    for await (const _event of tasks.follow(taskId, { signal })) {
      const params = task2025(await tasks.get(taskId));
      if (signal.aborted) return;
      if (params.status === shown) continue;
      shown = params.status;
      await server.notification(forSdk({ method: "notifications/tasks/status", params }));
    }
  };
  return ({ tasks, meta }, taskId) => {
    const isWatched = watched.has(taskId);
    watched.set(taskId, meta.progressToken);
    if (isWatched) return;
    tell(tasks, taskId, closedSignal())
      .catch((error: unknown) => options.onError?.(error))
      .finally(() => watched.delete(taskId));
  };
}

function withExecution(entry: unknown, tools: ReadonlyMap<string, Tool>): unknown {
  const tool = isJsonObject(entry) ? tools.get(String(entry.name)) : undefined;
  return tool === undefined ? entry : { ...Object(entry), execution: { taskSupport: tool.taskSupport ?? "optional" } };
}
