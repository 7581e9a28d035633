import {
  decodeStats,
  decodeTaskPage,
  isFinal,
  JsonFields,
  type JsonObject,
  metaKeys,
  unfinishedStatuses,
} from "@resumable-mcp/protocol";
import type { ServerStats, SessionInfo, TaskFilter } from "../client.js";
import type { ClientContext } from "../client-context.js";
import { isClientError } from "../client-error.js";
import { fromEach, serverAt } from "../servers/find-server.js";
import type { RemoteServer } from "../servers/remote-server.js";
import { inTurn, taskForgotten, taskSeen } from "../state/state-changes.js";
import { parseTaskInfo, type TaskInfo } from "../task-info.js";

const pageSize = 100;

/** Lists the tasks of every server that answers, newest first. */
export async function listTasks(context: ClientContext, filter: TaskFilter): Promise<readonly TaskInfo[]> {
  const servers = filter.server === undefined ? context.servers : [serverAt(context, filter.server)];
  const lists = await fromEach(servers, (server) => listOf(context, server, filter), filter.onFailed);
  return newestFirst(lists.flat());
}

/** Lists what is not over, and brings the state file up to date with what the servers say. */
export async function listUnfinished(
  context: ClientContext,
  filter: Pick<TaskFilter, "server" | "onFailed">,
): Promise<readonly TaskInfo[]> {
  const servers = filter.server === undefined ? context.servers : [serverAt(context, filter.server)];
  const lists = await fromEach(servers, (server) => unfinishedOf(context, server), filter.onFailed);
  return newestFirst(lists.flat());
}

/** Counts the tasks of every server that answers. */
export async function listStats(
  context: ClientContext,
  filter: Pick<TaskFilter, "allOwners" | "onFailed">,
): Promise<readonly ServerStats[]> {
  const ask = async (server: RemoteServer) => {
    const answer = await server.control("get_checkpoint_stats", {}, undefined, metaOf(filter));
    return { server: server.address, ...decodeStats(answer.structuredContent) };
  };
  return fromEach(context.servers, ask, filter.onFailed);
}

/** Asks every server under which session and name it knows this client. */
export async function listSessionInfo(context: ClientContext): Promise<readonly SessionInfo[]> {
  return fromEach(context.servers, async (server) => {
    const fields = JsonFields.of((await server.control("get_session_info", {})).structuredContent);
    const requestId = fields?.text("request_id") ?? fields?.number("request_id");
    return {
      server: server.address,
      sessionId: fields?.text("session_id"),
      requestId: requestId === undefined ? undefined : String(requestId),
      clientId: fields?.text("client_id"),
    };
  });
}

async function unfinishedOf(context: ClientContext, server: RemoteServer): Promise<readonly TaskInfo[]> {
  // Of a server of another maker nothing is expected; one that runs without its control tools is a failure.
  const isForeign = (await server.controlTools()) === undefined;
  const all = isForeign ? [] : await listOf(context, server, { status: unfinishedStatuses });
  const { active_tasks, forgotten_tasks } = await context.stateFile.refresh();
  const listed = all.filter(({ id }) => !forgotten_tasks.includes(id));
  const missing = Object.values(active_tasks).filter(
    (task) => task.server_url === server.address && !listed.some(({ id }) => id === task.task_id),
  );
  const looked = await Promise.all(missing.map((task) => lookUp(server, task.task_id)));
  const seen = [...listed, ...looked.flatMap((answer) => (answer.info === undefined ? [] : [answer.info]))];
  const changes = [
    ...seen.map((info) => taskSeen(info, context.now())),
    ...looked.flatMap((answer) => (answer.gone === undefined ? [] : [taskForgotten(answer.gone)])),
  ];
  if (changes.length > 0) await context.stateFile.update(inTurn(changes));
  return seen.filter((info) => !isFinal(info.status));
}

async function lookUp(server: RemoteServer, taskId: string): Promise<{ info?: TaskInfo; gone?: string }> {
  try {
    const answer = await server.control("get_task", { task_id: taskId });
    const info = parseTaskInfo(answer.structuredContent, server.address);
    return { info };
  } catch (error) {
    if (isClientError(error) && error.code === "TASK_NOT_FOUND") return { gone: taskId };
    if (isClientError(error) && error.code === "NOT_RESUMABLE") return {};
    throw error;
  }
}

async function listOf(context: ClientContext, server: RemoteServer, filter: TaskFilter): Promise<readonly TaskInfo[]> {
  const wanted = filter.limit ?? Number.POSITIVE_INFINITY;
  const tasks: TaskInfo[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < context.limits.maxPages && tasks.length < wanted; page += 1) {
    const values = {
      limit: Math.min(pageSize, wanted - tasks.length),
      status: filter.status,
      task_name: filter.tool,
      cursor,
    };
    const answer = await server.control("list_session_tasks", values, undefined, metaOf(filter));
    const read = decodeTaskPage(answer.structuredContent);
    tasks.push(...read.tasks.map((facts) => ({ ...facts, server: server.address })));
    cursor = read.nextCursor;
    if (cursor === undefined) break;
  }
  return tasks;
}

function metaOf({ allOwners = false }: Pick<TaskFilter, "allOwners">): JsonObject {
  return allOwners ? { [metaKeys.allOwners]: true } : {};
}

function newestFirst(tasks: readonly TaskInfo[]): readonly TaskInfo[] {
  return tasks.toSorted((left, right) => (right.createdAt ?? "").localeCompare(left.createdAt ?? ""));
}
