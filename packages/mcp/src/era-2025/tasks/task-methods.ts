import { isJsonObject, type JsonObject, type Tool } from "@resumable-mcp/core";
import { rpcCodes, toText } from "@resumable-mcp/protocol";
import { z } from "zod";
import type { Call } from "../../call/call.js";
import { asRpcError, RpcError } from "../../call/rpc-error.js";
import { knownTask, startTask } from "../../call/run-tool-call.js";
import { splitClientId } from "../../call/session-client.js";
import { errorResult } from "../../call/tool-result.js";
import type { Method, Methods } from "../../control/methods.js";
import { parseParams } from "../../control/params.js";
import { toArray } from "../../control/resource-methods.js";
import { toolsByName } from "../../control/tool-list.js";
import { forSdk, isUnknownTool } from "../../sdk-workarounds.js";
import { call2025, type Environment2025, type Request2025 } from "../call-2025.js";
import { cancelTask, createTaskResult2025, listTasks, relatedTaskKey, task2025, taskResult } from "./task-2025.js";

const schema = z.looseObject({
  taskId: z.string().max(256).default(""),
  cursor: z.string().max(1_024).optional(),
});
type TaskMethod = (call: Call, params: z.output<typeof schema>) => Promise<object>;

const methods = {
  "tasks/get": async (call, { taskId }) => task2025(call, await call.tasks.get(taskId)),
  "tasks/result": (call, { taskId }) => taskResult(call, taskId),
  "tasks/cancel": async (call, { taskId }) => task2025(call, await cancelTask(call.tasks, taskId)),
  "tasks/list": (call, { cursor }) => listTasks(call, cursor),
} as const satisfies Readonly<Record<string, TaskMethod>>;

/**
 * The tasks of 2025-11-25 as views of an engine's. Bound to the owner: a caller with the same token or `client_id` finds them in any
 * session, and in the other era.
 *
 * Source: MCP 2025-11-25, Tasks.
 */
export function taskMethods(environment: Environment2025): Methods<Request2025> {
  return Object.fromEntries(
    Object.entries<TaskMethod>(methods).map(([method, run]) => {
      const isResult = method === "tasks/result";
      const answer: Method<Request2025> = async (given, request) => {
        const params = parseParams(schema, given);
        try {
          const call = call2025(environment, isResult ? aboutTask(request, params.taskId) : request);
          const progressToken = isResult ? request.connection.watches.tokenOf(params.taskId) : undefined;
          return await run(
            progressToken === undefined ? call : { ...call, meta: { ...call.meta, progressToken } },
            params,
          );
        } catch (error) {
          throw asRpcError(error);
        }
      };
      return [method, answer];
    }),
  );
}

/**
 * Lets whatever is sent to the client for a request name the task that it is about.
 *
 * Source: MCP 2025-11-25, Tasks, "Associating Task-Related Messages".
 */
function aboutTask(request: Request2025, taskId: string): Request2025 {
  return {
    ...request,
    sendNotification: (notification) => request.sendNotification(forSdk(related(notification, taskId))),
    sendRequest: (asked, ...rest) => request.sendRequest(forSdk(related(asked, taskId)), ...rest),
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
 * Source: MCP 2025-11-25, Tasks, "Creating Tasks" and "Tool-Level Negotiation".
 */
export function withTaskCalls(environment: Environment2025, own: Methods<Request2025>): Methods<Request2025> {
  const { "tools/call": callTool, "tools/list": listTools } = own;
  if (callTool === undefined || listTools === undefined) return own;
  const tools = () => toolsByName(environment.engine);
  const listed = async (request: Request2025): Promise<readonly JsonObject[]> => {
    const next = async () => request.connection.other?.ask(request, "tools/list", {}) ?? {};
    return toArray(Reflect.get(await listTools({}, request, next), "tools"));
  };
  return {
    ...own,
    async "tools/list"(params, request, next) {
      if (hasOwnTasks(request)) return listTools(params, request, next);
      const answer = await listTools(params, request, next);
      return { ...answer, tools: toArray(Reflect.get(answer, "tools")).map((entry) => withExecution(entry, tools())) };
    },
    async "tools/call"(params, request, next) {
      if (hasOwnTasks(request)) return callTool(params, request, next);
      const name = toText(params.name);
      const tool = tools().get(name);
      const asTask = params.task !== undefined;
      if (tool !== undefined) {
        checkSupport(tool, asTask);
        return asTask ? createTask(environment, tool, params, request) : callTool(params, request, next);
      }
      if (asTask) throw notAsTask(name, request, await listed(request));
      let isUnknown = false;
      const answer = await callTool(params, request, async () => {
        isUnknown = request.connection.other === undefined;
        return isUnknown ? {} : next();
      });
      if (!isUnknown && !isUnknownTool(name, answer)) return answer;
      return errorResult("UNKNOWN_TOOL", unknownTool(name, await listed(request)));
    },
  };
}

function hasOwnTasks({ connection }: Request2025): boolean {
  return connection.other?.hasMethod("tasks/get") === true;
}

/** What there is instead is what helps. */
function unknownTool(name: string, tools: readonly JsonObject[]): string {
  const known = tools.map((tool) => String(tool.name)).join(", ");
  const there = known === "" ? "The server lists none at present." : `There are: ${known}.`;
  return `No tool is named ${JSON.stringify(name.slice(0, 100))}. ${there}`;
}

/** An SDK runs such a tool first, and then finds that its result is not a task. */
function notAsTask(name: string, { connection }: Request2025, tools: readonly JsonObject[]): RpcError {
  const isKnown = connection.other?.hasTool(name) === true || tools.some((tool) => tool.name === name);
  if (!isKnown) return new RpcError(rpcCodes.invalidParams, unknownTool(name, tools));
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

async function createTask(
  environment: Environment2025,
  tool: Tool,
  { arguments: input }: JsonObject,
  request: Request2025,
): Promise<JsonObject> {
  const { rest, ...argument } = splitClientId(isJsonObject(input) ? input : {}, tool);
  try {
    const call = call2025(environment, request, argument);
    const begun = (await knownTask(call)) ?? (await startTask(call, tool, rest, true));
    if (!begun.created) await call.tasks.detach(begun.record.id);
    await call.begun?.(begun.record.id);
    request.connection.watches.tellStatus(call, begun.record.id);
    return createTaskResult2025(call, begun);
  } catch (error) {
    throw asRpcError(error);
  }
}

function withExecution(entry: JsonObject, tools: ReadonlyMap<string, Tool>): JsonObject {
  const tool = tools.get(String(entry.name));
  return tool === undefined ? entry : { ...entry, execution: { taskSupport: tool.taskSupport ?? "optional" } };
}
