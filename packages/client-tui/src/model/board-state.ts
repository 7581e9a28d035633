import {
  type ActiveTask,
  type ClientEvent,
  isFinal,
  type ServerInfo,
  type TaskInfo,
  type TaskResult,
} from "@resumable-mcp/client";
import type { TaskJournal } from "@resumable-mcp/protocol";
import { plainText } from "../display/plain-text.js";
import { applyEvent, type BoardTask, newBoardTask, rememberedTask, stillRequested, withAway } from "./board-task.js";

/** The last thing that the user should know. */
export interface Notice {
  readonly kind: "info" | "error";
  readonly text: string;
}

/** Everything that the screens show, as one value that is replaced and never changed. */
export interface BoardState {
  readonly tasks: ReadonlyMap<string, BoardTask>;
  readonly servers: readonly ServerInfo[];
  /** The servers that have answered once, or have failed to. */
  readonly answered: ReadonlySet<string>;
  readonly notice?: Notice;
}

/** What happens to a board. */
export type BoardAction =
  | { readonly type: "listed"; readonly server: string; readonly tasks: readonly TaskInfo[] }
  /** A server does not answer: this is what is remembered of its tasks. */
  | { readonly type: "silent"; readonly server: string; readonly tasks: readonly ActiveTask[] }
  | { readonly type: "seen"; readonly task: TaskInfo }
  | { readonly type: "event"; readonly taskId: string; readonly event: ClientEvent; readonly atMs: number }
  | { readonly type: "finished"; readonly taskId: string; readonly result: TaskResult }
  | { readonly type: "journal"; readonly taskId: string; readonly journal: TaskJournal }
  | { readonly type: "lost"; readonly taskId: string; readonly problem: string; readonly gone: boolean }
  | { readonly type: "removed"; readonly taskId: string }
  | { readonly type: "servers"; readonly servers: readonly ServerInfo[]; readonly atMs: number }
  /** The user asked for it, or the request failed. */
  | { readonly type: "requested"; readonly taskId: string; readonly verb: BoardTask["requested"] }
  | { readonly type: "dismissed" }
  | { readonly type: "notice"; readonly kind: "info" | "error"; readonly text: string };

/** A board before anything is known. */
export const initialBoardState: BoardState = { tasks: new Map(), servers: [], answered: new Set() };

/** Tells whether every server has answered, or has failed to. */
export function isReady({ servers, answered }: BoardState): boolean {
  return servers.every(({ address }) => answered.has(address));
}

/** Applies actions, oldest first; the cost of an event does not depend on the number of tasks. */
export function reduceBoardBatch(state: BoardState, actions: readonly BoardAction[]): BoardState {
  let next = state;
  let changing: Map<string, BoardTask> | undefined;
  for (const action of actions) {
    if (action.type !== "event") {
      next = reduceBoard(next, action);
      changing = undefined;
      continue;
    }
    const task = next.tasks.get(action.taskId);
    if (task === undefined) continue;
    // The values between the events of one run are never shown: one copy serves all.
    if (changing === undefined) {
      changing = new Map(next.tasks);
      next = { ...next, tasks: changing };
    }
    changing.set(action.taskId, applyEvent(task, action.event, action.atMs));
  }
  return next;
}

type Reduce<Type> = (state: BoardState, action: Extract<BoardAction, { readonly type: Type }>) => BoardState;

const reducers: { readonly [Type in BoardAction["type"]]: Reduce<Type> } = {
  listed: (state, { server, tasks }) => ({ ...withAnswer(state, server), tasks: withListed(state, tasks) }),
  silent: (state, { server, tasks }) => ({ ...withAnswer(state, server), tasks: withRemembered(state, tasks) }),
  seen: (state, { task }) => ({ ...state, tasks: new Map(state.tasks).set(task.id, seenAlone(state, task)) }),
  event: (state, { taskId, event, atMs }) => change(state, taskId, (task) => applyEvent(task, event, atMs)),
  finished: (state, { taskId, result }) => change(state, taskId, (task) => finish(task, result)),
  journal: (state, { taskId, journal }) => change(state, taskId, (task) => ({ ...task, journal })),
  lost: (state, action) => change(state, action.taskId, (task) => lose(task, action)),
  removed: (state, { taskId }) => ({ ...state, tasks: new Map([...state.tasks].filter(([id]) => id !== taskId)) }),
  servers: (state, { servers, atMs }) => withServers(state, servers, atMs),
  requested: (state, { taskId, verb }) => change(state, taskId, (task) => ({ ...task, requested: verb })),
  dismissed: (state) => (state.notice === undefined ? state : { ...state, notice: undefined }),
  notice: (state, { kind, text }) => ({ ...state, notice: { kind, text: plainText(text) } }),
};

/** Decides what the board shows next. */
export function reduceBoard(state: BoardState, action: BoardAction): BoardState {
  // The function of a type takes the actions of that type.
  return (reducers[action.type] as Reduce<BoardAction["type"]>)(state, action);
}

function withAnswer(state: BoardState, server: string): BoardState {
  return state.answered.has(server) ? state : { ...state, answered: new Set([...state.answered, server]) };
}

function withListed(state: BoardState, tasks: readonly TaskInfo[]): BoardState["tasks"] {
  return new Map([...state.tasks, ...tasks.map((info) => [info.id, seen(state, info)] as const)]);
}

function withRemembered({ tasks, servers }: BoardState, remembered: readonly ActiveTask[]): BoardState["tasks"] {
  const unknown = remembered.filter(({ task_id }) => !tasks.has(task_id));
  const added = unknown.map((task) => [task.task_id, withServerName(rememberedTask(task), servers)] as const);
  return new Map([...tasks, ...added]);
}

/** Tasks bear what their row needs of their servers: the name, and whether they are out of reach. */
function withServers(state: BoardState, servers: BoardState["servers"], atMs: number): BoardState {
  const byAddress = new Map(servers.map((server) => [server.address, server]));
  let changed = false;
  const tasks = [...state.tasks].map(([id, task]) => {
    const named = withServerName(task, servers);
    const next = withStanding(named, byAddress.get(task.info.server)?.state, atMs);
    changed ||= next !== task;
    return [id, next] as const;
  });
  return changed ? { ...state, servers, tasks: new Map(tasks) } : { ...state, servers };
}

/** A server that is being tried again is still out of reach until it answers. */
function withStanding(task: BoardTask, state: ServerInfo["state"] | undefined, atMs: number): BoardTask {
  if (state?.name === "connected") return task.away === undefined ? task : withAway(task, undefined);
  const isLost = state?.name === "waiting" || state?.name === "down";
  return isLost && task.away === undefined ? withAway(task, { reason: plainText(state.reason), sinceMs: atMs }) : task;
}

function withServerName(task: BoardTask, servers: BoardState["servers"]): BoardTask {
  const name = servers.find(({ address }) => address === task.info.server)?.name;
  return name === task.serverName ? task : { ...task, serverName: name };
}

function seen({ tasks, servers }: BoardState, info: TaskInfo): BoardTask {
  const known = tasks.get(info.id);
  if (known === undefined) return withServerName(newBoardTask(info), servers);
  const requested = stillRequested(known, info.status);
  const task = { ...known, remembered: undefined, gone: undefined, away: undefined, requested };
  // What is being followed is newer than any list.
  const stale = task.info.lastSeq > info.lastSeq && task.info.generation === info.generation;
  if (stale && !isFinal(info.status)) return task;
  // The result of a failed task does not belong to the generation that continues it.
  return { ...task, result: isFinal(info.status) ? task.result : undefined, info };
}

/** A task that was asked for alone says what is requested of it, also by others; a list does not. */
function seenAlone(state: BoardState, info: TaskInfo): BoardTask {
  return { ...seen(state, info), requested: info.requested };
}

function change(state: BoardState, taskId: string, apply: (task: BoardTask) => BoardTask): BoardState {
  const task = state.tasks.get(taskId);
  return task === undefined ? state : { ...state, tasks: new Map(state.tasks).set(taskId, apply(task)) };
}

function finish(task: BoardTask, result: TaskResult): BoardTask {
  const error = result.status === "failed" ? (result.error ?? task.info.error) : undefined;
  const far = result.status === "completed" ? 100 : task.info.percent;
  const info = { ...task.info, status: result.status, interrupted: false, percent: far, questions: [], error };
  return { ...task, away: undefined, requested: undefined, info, result };
}

function lose(task: BoardTask, { problem, gone }: { readonly problem: string; readonly gone: boolean }): BoardTask {
  if (!gone) return { ...task, problem: plainText(problem) };
  return { ...task, away: undefined, gone: true, problem: "not found: its server no longer knows it" };
}
