import { decodeInterim, definedOnly, type InterimResult, type JsonObject, metaKeys } from "@resumable-mcp/protocol";
import { traceCall } from "@resumable-mcp/telemetry";
import type { CallOptions, TaskCall } from "../client.js";
import type { ClientContext } from "../client-context.js";
import { ClientError } from "../client-error.js";
import { callOnce } from "../connection/call-once.js";
import type { ListedTool } from "../connection/link.js";
import { initialFollowState, takeLog, takeProgress } from "../follow/follow-state.js";
import { reportConnection } from "../follow/follow-task.js";
import { type Follow, Follower } from "../follow/follower.js";
import { serverAt } from "../servers/find-server.js";
import type { RemoteServer } from "../servers/remote-server.js";
import { isAlive } from "../state/file-lock.js";
import { argumentsUsed, runPending, taskFinished, taskStarted } from "../state/state-changes.js";
import { type ToolResult, toTaskResult } from "../tool-result.js";
import { createTaskFollower } from "./task-handle.js";

/** Calls a tool: as a task where the server has tasks, else as a plain call that lives with this process. */
export function startCall(
  context: ClientContext,
  tool: string,
  values: JsonObject,
  options: CallOptions,
): Promise<TaskCall> {
  return traceCall(tool, () => callTool(context, tool, values, options));
}

async function callTool(
  context: ClientContext,
  tool: string,
  values: JsonObject,
  options: CallOptions,
): Promise<TaskCall> {
  const { server, listed, resumable } = await findTool(context, tool, options.server);
  await context.stateFile.update(argumentsUsed(tool, values));
  if (!resumable) return plainCall(context, { server, listed, values, ask: options.ask });
  const runId = options.resume === false ? await rememberRun(context, server, tool, values) : undefined;
  const meta = definedOnly({
    [metaKeys.handoff]: 0,
    [metaKeys.callerStays]: options.detached !== true,
    [metaKeys.newTask]: runId,
  });
  const { plainCallTimeoutMs: timeoutMs } = context.limits;
  const request = { name: tool, arguments: values, meta };
  const { ask } = options;
  const answer = await callOnce(server.connection, listed, request, { timeoutMs, resetTimeoutOnProgress: true, ask });
  const interim = decodeInterim(answer.structuredContent);
  if (interim === undefined) return answeredCall(context, server, tool, answer, runId);
  return runningCall(context, server, tool, interim, runId);
}

interface FoundTool {
  readonly server: RemoteServer;
  readonly listed: ListedTool;
  readonly resumable: boolean;
}

async function findTool(context: ClientContext, tool: string, address?: string): Promise<FoundTool> {
  const candidates = address === undefined ? context.servers : [serverAt(context, address)];
  const names: string[] = [];
  let failure: unknown;
  for (const server of candidates) {
    const tools = await server.tools().catch((error: unknown) => {
      failure ??= error;
      return [];
    });
    const listed = tools.find(({ name }) => name === tool);
    if (listed !== undefined) return { server, listed, resumable: await server.isResumable() };
    names.push(...tools.map(({ name }) => name));
  }
  if (failure !== undefined) throw failure;
  const there = names.length === 0 ? "No server lists one." : `There are: ${[...new Set(names)].join(", ")}.`;
  throw new ClientError("UNKNOWN_TOOL", `No tool is named ${tool}. ${there}`);
}

/** Writes down the name of a forced run before it is sent; a run that a dead process left unanswered is taken up. */
async function rememberRun(
  context: ClientContext,
  server: RemoteServer,
  tool: string,
  values: JsonObject,
): Promise<string> {
  const call = JSON.stringify([server.address, tool, values]);
  const { pending_runs } = await context.stateFile.refresh();
  const orphan = pending_runs.find((run) => run.call === call && !isAlive(run.pid));
  const run = { run_id: orphan?.run_id ?? context.newId(), call, pid: process.pid, created_at: context.now() };
  await context.stateFile.update(runPending(run));
  return run.run_id;
}

async function runningCall(
  context: ClientContext,
  server: RemoteServer,
  tool: string,
  interim: InterimResult,
  runId: string | undefined,
): Promise<TaskCall> {
  const taskId = interim.taskId;
  const { active_tasks, completed_tasks } = await context.stateFile.refresh();
  // The same call also continues a task whose failure this client knows.
  const joined = active_tasks[taskId] !== undefined || completed_tasks.some((known) => known.task_id === taskId);
  const now = context.now();
  const task = {
    task_id: taskId,
    task_name: tool,
    server_url: server.address,
    current_step: interim.progress,
    total_steps: interim.total ?? null,
    last_message: interim.message ?? null,
    started_at: now,
    last_update: now,
  };
  await context.stateFile.update(taskStarted(task, runId));
  // What an earlier process has shown is not shown again: it begins at where the task is now.
  const follower = createTaskFollower(context, taskId, async () => server, joined);
  return { taskId, server: server.address, joined, events: () => follower.events(), result: () => follower.result() };
}

/** The server answered at once: a quick tool, a result that was waiting, or arguments that it refuses. */
async function answeredCall(
  context: ClientContext,
  server: RemoteServer,
  tool: string,
  answer: ToolResult,
  runId: string | undefined,
): Promise<TaskCall> {
  const named = answer.meta[metaKeys.taskId];
  const taskId = typeof named === "string" ? named : undefined;
  const result = toTaskResult(answer, taskId);
  await context.stateFile.update((state) => {
    const answered = { ...state, pending_runs: state.pending_runs.filter((run) => run.run_id !== runId) };
    if (taskId === undefined) return answered;
    const task = { task_id: taskId, task_name: tool, server_url: server.address, status: result.status };
    return taskFinished(task, context.now())(answered);
  });
  const follower = new Follower(async () => result, { maxQueuedEvents: context.limits.maxQueuedEvents });
  return {
    taskId,
    server: server.address,
    joined: result.reused,
    events: () => follower.events(),
    result: () => follower.result(),
  };
}

interface PlainCall extends Pick<CallOptions, "ask"> {
  readonly server: RemoteServer;
  readonly listed: ListedTool;
  readonly values: JsonObject;
}

/** Calls a tool of a server without tasks: what the protocol offers and no more. */
function plainCall(context: ClientContext, { server, listed: tool, values, ask }: PlainCall): TaskCall {
  let state = initialFollowState;
  const progressToken = context.newId();
  const follow: Follow = async (emit, signal) => {
    const stop = reportConnection(server, emit);
    const take = (step: ReturnType<typeof takeProgress>) => {
      state = step.state;
      for (const event of step.events) emit(event);
    };
    try {
      const request = { name: tool.name, arguments: values, meta: {} };
      const answer = await callOnce(server.connection, tool, request, {
        timeoutMs: context.limits.plainCallTimeoutMs,
        resetTimeoutOnProgress: true,
        signal,
        progressToken,
        ask,
        onProgress: (message) => take(takeProgress(state, message)),
        onLog: (message) => take(takeLog(state, message)),
      });
      return toTaskResult(answer);
    } finally {
      stop();
    }
  };
  const follower = new Follower(follow, { maxQueuedEvents: context.limits.maxQueuedEvents, eager: true });
  return { server: server.address, joined: false, events: () => follower.events(), result: () => follower.result() };
}
