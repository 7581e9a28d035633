import { isFinal, type JsonObject } from "@resumable-mcp/protocol";
import type { TaskInfo } from "../task-info.js";
import type { ActiveTask, ClientState, CompletedTask } from "./client-state.js";

/** Finished tasks that the state file keeps. */
const maxCompletedTasks = 50;
/** Tasks that the user does not want to see which the state file keeps. */
const maxForgottenTasks = 500;
/** Forced runs that were never answered which the state file keeps. */
const maxPendingRuns = 50;

/** A change of the state: applied to whatever stands in the file at that moment. */
export type StateChange = (state: ClientState) => ClientState;

/** Several changes as one, in their order. */
export function inTurn(changes: readonly StateChange[]): StateChange {
  return (state) => changes.reduce((changed, change) => change(changed), state);
}

/** Adds a task that has just been started or joined, and forgets the pending run that it answers. */
export function taskStarted(task: ActiveTask, runId?: string): StateChange {
  return (state) => ({
    ...state,
    active_tasks: { ...state.active_tasks, [task.task_id]: { ...task, ...kept(state.active_tasks[task.task_id]) } },
    // One that failed and continues is not over.
    completed_tasks: state.completed_tasks.filter((known) => known.task_id !== task.task_id),
    pending_runs: state.pending_runs.filter((run) => run.run_id !== runId),
    forgotten_tasks: state.forgotten_tasks.filter((id) => id !== task.task_id),
  });
}

function kept(known: ActiveTask | undefined): Partial<ActiveTask> {
  if (known === undefined) return {};
  const { started_at, current_step, total_steps, last_message } = known;
  return { started_at, current_step, total_steps, last_message };
}

/** Notes how far an active task is. */
export function taskProgressed(
  taskId: string,
  progress: { readonly progress: number; readonly total?: number; readonly message?: string },
  now: string,
): StateChange {
  return (state) => {
    const task = state.active_tasks[taskId];
    if (task === undefined) return state;
    const changed: ActiveTask = {
      ...task,
      current_step: progress.progress,
      total_steps: progress.total ?? task.total_steps,
      last_message: progress.message ?? task.last_message,
      last_update: now,
    };
    return { ...state, active_tasks: { ...state.active_tasks, [taskId]: changed } };
  };
}

/** Moves a task to the finished ones. */
export function taskFinished(task: Omit<CompletedTask, "finished_at">, now: string): StateChange {
  return (state) => {
    const isSame = (entry: CompletedTask) => entry.task_id === task.task_id;
    const others = state.completed_tasks.filter((entry) => !isSame(entry));
    const known = state.active_tasks[task.task_id] ?? state.completed_tasks.find(isSame);
    // A process that only waited for the result does not know the tool.
    const task_name = task.task_name || (known?.task_name ?? "");
    return {
      ...withoutActive(state, task.task_id),
      completed_tasks: [...others, { ...task, task_name, finished_at: now }].slice(-maxCompletedTasks),
    };
  };
}

/** Takes a task off the list without saying how it ended: its server no longer knows it. */
export function taskForgotten(taskId: string): StateChange {
  return (state) => withoutActive(state, taskId);
}

/** Takes an unfinished task off every list of this client. */
export function taskDismissed(taskId: string): StateChange {
  return (state) => ({
    ...withoutActive(state, taskId),
    forgotten_tasks: [...state.forgotten_tasks.filter((id) => id !== taskId), taskId].slice(-maxForgottenTasks),
  });
}

function withoutActive(state: ClientState, taskId: string): ClientState {
  const { [taskId]: _gone, ...active } = state.active_tasks;
  return { ...state, active_tasks: active };
}

/** Takes over what a server says of one of the client's tasks. */
export function taskSeen(info: TaskInfo, now: string): StateChange {
  const { id, tool, server, status } = info;
  if (isFinal(status)) {
    return taskFinished({ task_id: id, task_name: tool, server_url: server, status }, info.finishedAt ?? now);
  }
  const task: ActiveTask = {
    task_id: id,
    task_name: tool,
    server_url: server,
    current_step: info.progress,
    total_steps: info.total ?? null,
    last_message: info.message ?? null,
    started_at: info.createdAt ?? now,
    last_update: info.updatedAt ?? now,
  };
  return (state) => ({
    ...state,
    active_tasks: { ...state.active_tasks, [id]: task },
    forgotten_tasks: state.forgotten_tasks.filter((forgotten) => forgotten !== id),
  });
}

/** Remembers a server and the session with it; the name that it was given stays. */
export function serverSeen(server: ClientState["servers"][string]): StateChange {
  return (state) => {
    const name = server.name ?? state.servers[server.server_url]?.name;
    const known = { ...server, name };
    return { ...state, servers: { ...state.servers, [server.server_url]: known } };
  };
}

/** Forgets a server and the session with it. Its tasks are kept: they are there again when it is. */
export function serverForgotten(address: string): StateChange {
  return (state) => {
    const { [address]: _gone, ...servers } = state.servers;
    return { ...state, servers };
  };
}

/** Remembers a forced run before it is sent. */
export function runPending(run: ClientState["pending_runs"][number]): StateChange {
  return (state) => {
    const others = state.pending_runs.filter((entry) => entry.run_id !== run.run_id);
    return { ...state, pending_runs: [...others, run].slice(-maxPendingRuns) };
  };
}

/** Remembers what a tool was last called with. */
export function argumentsUsed(tool: string, values: JsonObject): StateChange {
  return (state) => ({ ...state, last_arguments: { ...state.last_arguments, [tool]: values } });
}
