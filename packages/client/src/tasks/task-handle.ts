import {
  artifactUri,
  type ControlToolName,
  decodeJournal,
  type Json,
  type JsonObject,
  type QuestionAnswer,
  type TaskArtifact,
  type TaskJournal,
} from "@resumable-mcp/protocol";
import { inThisTrace } from "@resumable-mcp/telemetry";
import type { ClientEvent, TaskHandle } from "../client.js";
import type { ClientContext } from "../client-context.js";
import { ClientError, isClientError } from "../client-error.js";
import { initialFollowState } from "../follow/follow-state.js";
import { followTask } from "../follow/follow-task.js";
import { type Follow, Follower } from "../follow/follower.js";
import { findServer } from "../servers/find-server.js";
import type { RemoteServer } from "../servers/remote-server.js";
import { taskDismissed, taskFinished, taskForgotten, taskSeen } from "../state/state-changes.js";
import { parseTaskInfo, type TaskInfo } from "../task-info.js";
import type { TaskResult } from "../tool-result.js";

const defaultPageSize = 100;

/** Creates the handle of a task; its server is looked for when it is first needed. */
export function createTaskHandle(context: ClientContext, id: string, address?: string): TaskHandle {
  let found: Promise<RemoteServer> | undefined;
  const server = () => {
    found ??= findServer(context, id, address).catch((error: unknown) => {
      found = undefined;
      throw error;
    });
    return found;
  };
  const control = async (tool: ControlToolName, values: JsonObject = {}) => {
    const remote = await server();
    const result = await remote.control(tool, { task_id: id, ...values });
    return { remote, result };
  };
  const steer = async (tool: ControlToolName, values?: JsonObject): Promise<TaskInfo> => {
    const { remote, result } = await control(tool, values);
    const info = parseTaskInfo(result.structuredContent, remote.address);
    if (info === undefined)
      throw new ClientError(
        "MALFORMED_ANSWER",
        `${remote.address} answered ${tool} without a task. Check that the server and this client have matching versions.`,
      );
    await context.stateFile.update(taskSeen(info, context.now()));
    return info;
  };
  const followers = { now: lazyFollower(context, id, server, true), start: lazyFollower(context, id, server, false) };
  return {
    id,
    info: () => steer("get_task"),
    follow: ({ fromStart = false } = {}) => (fromStart ? followers.start : followers.now)().events(),
    result: () => followers.now().result(),
    pause: () => steer("pause_task"),
    resume: () => steer("resume_task"),
    cancel: () => steer("cancel_task"),
    answer: (key: string, answer: QuestionAnswer) => steer("answer_task", { key, ...answer }),
    items: (options) =>
      readItems(async (values) => (await control("get_task_items", values)).result.structuredContent, options),
    artifact: (file) => readArtifact(context, server, id, file),
    journal: async () => readJournal(context, await server(), id),
    async forget() {
      await context.stateFile.update(taskDismissed(id));
    },
    async remove() {
      await control("delete_task");
      await context.stateFile.update(taskForgotten(id));
    },
  };
}

async function* readArtifact(
  { limits }: ClientContext,
  server: () => Promise<RemoteServer>,
  id: string,
  { name, bytes }: TaskArtifact,
): AsyncIterableIterator<Uint8Array> {
  const { connection, address } = await server();
  const options = { timeoutMs: limits.requestTimeoutMs };
  for (let from = 0; from < bytes; ) {
    const uri = artifactUri(id, name, from);
    const part = await connection.run((link) => link.readBytes(uri, options), { retry: "always" });
    if (part === undefined || part.length === 0 || from + part.length > bytes)
      throw new ClientError(
        "MALFORMED_ANSWER",
        `${address} gave another part of ${name} than was asked for. Ask for the file again.`,
      );
    yield part;
    from += part.length;
  }
}

async function readJournal(context: ClientContext, server: RemoteServer, id: string): Promise<TaskJournal | undefined> {
  const { requestTimeoutMs: timeoutMs } = context.limits;
  try {
    const read = server.connection.run((link) => link.readResource(`task://${id}/journal`, { timeoutMs }), {
      retry: "always",
    });
    const value = await read;
    return value === undefined ? undefined : decodeJournal(value);
  } catch (error) {
    // A server that offers no resources refuses; its tasks can be followed all the same.
    if (isClientError(error) && error.code === "SERVER_REFUSED") return undefined;
    throw error;
  }
}

function lazyFollower(
  context: ClientContext,
  id: string,
  server: () => Promise<RemoteServer>,
  fromNow: boolean,
): () => Follower {
  let follower: Follower | undefined;
  return () => {
    follower ??= createTaskFollower(context, id, server, fromNow);
    return follower;
  };
}

/** Creates a follower of a task that keeps the state file up to date. */
export function createTaskFollower(
  context: ClientContext,
  taskId: string,
  server: () => Promise<RemoteServer>,
  fromNow: boolean,
): Follower {
  const cursor = { state: initialFollowState };
  const follow: Follow = async (emit, signal) => {
    const remote = await server();
    const { limits, delay } = context;
    const recorded = (event: ClientEvent) => {
      if (event.type === "progress") context.recordProgress(taskId, event);
      emit(event);
    };
    const result = await followTask({ server: remote, taskId, limits, delay, emit: recorded, signal, cursor, fromNow });
    await noteEnd(context, taskId, remote, result);
    return result;
  };
  return new Follower(inThisTrace(follow), { maxQueuedEvents: context.limits.maxQueuedEvents });
}

async function noteEnd(
  context: ClientContext,
  taskId: string,
  server: RemoteServer,
  { status }: TaskResult,
): Promise<void> {
  const task = { task_id: taskId, task_name: "", server_url: server.address, status };
  await context.stateFile.update(taskFinished(task, context.now()));
}

async function* readItems(
  page: (values: JsonObject) => Promise<JsonObject | undefined>,
  { after = 0, pageSize = defaultPageSize }: { readonly after?: number; readonly pageSize?: number } = {},
): AsyncIterableIterator<Json> {
  for (let next: number | undefined = after; next !== undefined; ) {
    const content = await page({ after: next, limit: pageSize });
    const items = Array.isArray(content?.items) ? content.items : [];
    yield* items;
    const following = content?.next;
    // A page that leads nowhere ends the list, whatever the server says.
    next = typeof following === "number" && following > next && items.length > 0 ? following : undefined;
  }
}
