import { type Engine, isJsonObject, type JsonObject, type OwnedTasks, type Tool } from "@resumable-mcp/core";
import { rpcCodes } from "@resumable-mcp/protocol";
import { z } from "zod";
import { asRpcError, RpcError } from "../../call/rpc-error.js";
import { beginTask } from "../../call/run-tool-call.js";
import { splitClientId } from "../../call/session-client.js";
import { forSdk, handlerOf, isUnknownTool } from "../../sdk-workarounds.js";
import { type CallPolicy2025, call2025 } from "../call-2025.js";
import { closedSignal, type RequestExtra, type Server2025 } from "../server-2025.js";
import { createTaskResult2025, task2025 } from "./task-2025.js";

const requests = {
  "tools/call": z.looseObject({ method: z.literal("tools/call") }),
  "tools/list": z.looseObject({ method: z.literal("tools/list") }),
};

type Handler = (request: JsonObject, extra: RequestExtra) => Promise<object>;

/**
 * Lets calls of an engine's tools become tasks, and lists which tools may. Calls that ask for no task, and those of
 * other tools, go the way that they went before.
 *
 * The SDK has no seam for a tool that is a task for one caller and a stream for the next, so its two handlers are
 * wrapped; where it hides them differently one day, tools are simply called without tasks.
 *
 * Source: MCP 2025-11-25, Tasks, "Creating Tasks" and "Tool-Level Negotiation".
 */
export function takeTaskCalls(mcp: Server2025, engine: Engine, policy: CallPolicy2025): void {
  const callTool = handlerOf<RequestExtra>(mcp.server, "tools/call");
  const listTools = handlerOf<RequestExtra>(mcp.server, "tools/list");
  if (callTool === undefined || listTools === undefined) return;
  const tools = new Map(engine.tools.map((tool) => [tool.name, tool]));
  const tellStatus = createStatusTeller(mcp, policy.onError);
  const wrap = (method: keyof typeof requests, handler: Handler): void => {
    mcp.server.setRequestHandler(forSdk(requests[method]), forSdk(handler));
  };
  wrap("tools/call", async (request, extra) => {
    const { name, task } = isJsonObject(request.params) ? request.params : {};
    const tool = tools.get(String(name));
    if (tool === undefined)
      return orUnknown(String(name), await callTool(request, extra), () => listTools({ method: "tools/list" }, extra));
    checkSupport(tool, task !== undefined);
    if (task === undefined) return callTool(request, extra);
    return createTask({ mcp, engine, policy, tellStatus }, tool, request, extra);
  });
  wrap("tools/list", async (request, extra) => {
    const listed = await listTools(request, extra);
    return { ...listed, tools: asList(Reflect.get(listed, "tools")).map((entry) => withExecution(entry, tools)) };
  });
}

/** The SDK says of a tool that it does not know just that; what there is instead is what helps. */
async function orUnknown(name: string, answer: object, list: () => Promise<object>): Promise<object> {
  if (!isUnknownTool(name, answer)) return answer;
  const known = asList(Reflect.get(await list(), "tools")).map((entry) => String(Reflect.get(Object(entry), "name")));
  const message = `There is no tool ${JSON.stringify(name.slice(0, 100))}. There are: ${known.join(", ")}.`;
  return {
    isError: true,
    content: [{ type: "text", text: message }],
    structuredContent: { error: { code: "UNKNOWN_TOOL", message } },
  };
}

function checkSupport({ name, taskSupport = "optional" }: Tool, asTask: boolean): void {
  if (taskSupport === "required" && !asTask) {
    throw new RpcError({
      code: rpcCodes.methodNotFound,
      message: `Tool ${name} has to be called as a task: add "task": {} to the params.`,
    });
  }
  if (taskSupport === "forbidden" && asTask) {
    throw new RpcError({
      code: rpcCodes.methodNotFound,
      message: `Tool ${name} cannot be called as a task: leave out "task".`,
    });
  }
}

interface TaskCalls {
  readonly mcp: Server2025;
  readonly engine: Engine;
  readonly policy: CallPolicy2025;
  readonly tellStatus: (tasks: OwnedTasks, taskId: string) => void;
}

async function createTask(
  { mcp, engine, policy, tellStatus }: TaskCalls,
  tool: Tool,
  { params }: JsonObject,
  extra: RequestExtra,
): Promise<JsonObject> {
  const input = isJsonObject(params) && isJsonObject(params.arguments) ? params.arguments : {};
  const split = tool.clientIdArgument === true ? splitClientId(input) : { clientId: undefined, rest: input };
  try {
    const call = call2025(mcp, engine, policy, extra, split.clientId);
    const begun = await beginTask(call, tool, split.rest, true);
    if (!begun.created) await call.tasks.detach(begun.record.id);
    tellStatus(call.tasks, begun.record.id);
    return createTaskResult2025(begun);
  } catch (error) {
    throw asRpcError(error);
  }
}

/**
 * Tells the session's own stream of each new status of a task, once however many calls join it, for as long as
 * there is a session. Source: the same, "Task Status Notification".
 */
function createStatusTeller({ server }: Server2025, onError: CallPolicy2025["onError"]): TaskCalls["tellStatus"] {
  const watched = new Set<string>();
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
  return (tasks, taskId) => {
    if (watched.has(taskId)) return;
    watched.add(taskId);
    tell(tasks, taskId, closedSignal(server))
      .catch((error: unknown) => onError?.(error))
      .finally(() => watched.delete(taskId));
  };
}

function withExecution(entry: unknown, tools: ReadonlyMap<string, Tool>): unknown {
  const tool = isJsonObject(entry) ? tools.get(String(entry.name)) : undefined;
  return tool === undefined ? entry : { ...Object(entry), execution: { taskSupport: tool.taskSupport ?? "optional" } };
}

function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
