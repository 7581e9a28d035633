import type { ClientEvent, ServerInfo, TaskInfo, TaskResult, TaskStatus } from "@resumable-mcp/client";
import { percentOf } from "@resumable-mcp/client";
import { plainText } from "../display/plain-text.js";

/** Lines of log that are kept of one task. */
const maxLogLines = 200;

/** One line of a task's log. */
export interface LogLine {
  readonly level: string;
  readonly text: string;
}

/** A task as the screen shows it: what its server said last, and what came since. */
export interface LiveTask {
  readonly info: TaskInfo;
  readonly log: readonly LogLine[];
  readonly result?: TaskResult;
  /** Why it cannot be followed any more. */
  readonly problem?: string;
  /** The connection to its server is being mended. */
  readonly reconnecting?: string;
  /** When this screen first saw it, on the screen's clock. */
  readonly seenAtMs: number;
}

/** Everything that the screens show, as one value that is replaced and never changed. */
export interface BoardState {
  /** By id, in the order in which they are shown. */
  readonly tasks: ReadonlyMap<string, LiveTask>;
  readonly servers: readonly ServerInfo[];
  /** The last thing that the user should know. */
  readonly notice?: { readonly kind: "info" | "error"; readonly text: string };
  /** The first list has come, or has failed. */
  readonly ready: boolean;
}

/** What happens to a board. */
export type BoardAction =
  | { readonly type: "listed"; readonly tasks: readonly TaskInfo[]; readonly atMs: number }
  | { readonly type: "seen"; readonly task: TaskInfo; readonly atMs: number }
  | { readonly type: "event"; readonly taskId: string; readonly event: ClientEvent }
  | { readonly type: "finished"; readonly taskId: string; readonly result: TaskResult }
  | { readonly type: "lost"; readonly taskId: string; readonly problem: string }
  | { readonly type: "removed"; readonly taskId: string }
  | { readonly type: "servers"; readonly servers: readonly ServerInfo[] }
  | { readonly type: "dismissed" }
  | { readonly type: "notice"; readonly kind: "info" | "error"; readonly text: string };

/** A board before anything is known. */
export const initialBoardState: BoardState = { tasks: new Map(), servers: [], ready: false };

/** Decides what the board shows next. */
export function reduceBoard(state: BoardState, action: BoardAction): BoardState {
  switch (action.type) {
    case "listed":
      return { ...action.tasks.reduce((board, task) => seen(board, task, action.atMs), state), ready: true };
    case "seen":
      return seen(state, action.task, action.atMs);
    case "event":
      return announce(
        change(state, action.taskId, (task) => applyEvent(task, action.event)),
        action,
      );
    case "finished":
      return change(state, action.taskId, (task) => finish(task, action.result));
    case "lost":
      return change(state, action.taskId, (task) => ({ ...task, problem: action.problem }));
    case "removed": {
      const tasks = new Map(state.tasks);
      tasks.delete(action.taskId);
      return { ...state, tasks };
    }
    case "servers":
      return { ...state, servers: action.servers };
    case "dismissed": {
      if (state.notice === undefined) return state;
      const { notice: _seen, ...rest } = state;
      return rest;
    }
    case "notice":
      return { ...state, ready: true, notice: { kind: action.kind, text: plainText(action.text) } };
  }
}

/** A question is told wherever the user is. */
function announce(state: BoardState, { taskId, event }: Extract<BoardAction, { type: "event" }>): BoardState {
  if (event.type !== "question") return state;
  const tool = state.tasks.get(taskId)?.info.tool ?? "A task";
  return reduceBoard(state, {
    type: "notice",
    kind: "info",
    text: `${tool} asks: ${event.question.message} (open it, then a)`,
  });
}

function seen(state: BoardState, info: TaskInfo, atMs: number): BoardState {
  const known = state.tasks.get(info.id);
  // What is being followed is newer than any list.
  const stale = known !== undefined && known.info.lastSeq > info.lastSeq && known.info.generation === info.generation;
  const task = known === undefined ? { info, log: [], seenAtMs: atMs } : { ...known, info: stale ? known.info : info };
  return { ...state, tasks: new Map(state.tasks).set(info.id, task) };
}

function change(state: BoardState, taskId: string, apply: (task: LiveTask) => LiveTask): BoardState {
  const task = state.tasks.get(taskId);
  return task === undefined ? state : { ...state, tasks: new Map(state.tasks).set(taskId, apply(task)) };
}

function applyEvent(task: LiveTask, event: ClientEvent): LiveTask {
  switch (event.type) {
    case "progress":
      return applyProgress(task, event);
    case "log":
      return addLog(task, event.level, typeof event.data === "string" ? event.data : JSON.stringify(event.data));
    case "status":
      return { ...task, info: { ...task.info, status: event.status, ...withoutAnswered(task.info, event.status) } };
    case "question": {
      const others = task.info.questions.filter(({ key }) => key !== event.question.key);
      return { ...task, info: { ...task.info, status: "input_required", questions: [...others, event.question] } };
    }
    case "reconnecting":
      return { ...task, reconnecting: event.reason };
    case "reconnected":
      return withoutReconnecting(task);
    case "session_changed":
      return addLog(task, "notice", "server's session id changed; the task is kept");
    case "dropped":
      return addLog(task, "notice", `${event.count} log messages left out`);
  }
}

function withoutAnswered(info: TaskInfo, status: TaskStatus): Pick<TaskInfo, "questions"> {
  return { questions: status === "input_required" ? info.questions : [] };
}

function applyProgress(task: LiveTask, event: Extract<ClientEvent, { type: "progress" }>): LiveTask {
  const { progress, total = task.info.total, message = task.info.message, seq = task.info.lastSeq } = event;
  const percent = percentOf(progress, total);
  // What moves is running, whatever the last list said.
  const moving = task.info.status === "pending" && event.snapshot !== true;
  const info: TaskInfo = {
    ...task.info,
    ...(moving ? { status: "running", interrupted: false } : {}),
    progress,
    lastSeq: seq,
    ...(total === undefined ? {} : { total }),
    ...(percent === undefined ? {} : { percent }),
    ...(message === undefined ? {} : { message }),
  };
  const moved = withoutReconnecting({ ...task, info });
  return event.restarted === true ? addLog(moved, "notice", "begins anew") : moved;
}

function withoutReconnecting({ reconnecting: _mended, ...task }: LiveTask): LiveTask {
  return task;
}

function addLog(task: LiveTask, level: string, text: string): LiveTask {
  return { ...task, log: [...task.log, { level, text: plainText(text) }].slice(-maxLogLines) };
}

function finish(task: LiveTask, result: TaskResult): LiveTask {
  const info: TaskInfo = { ...task.info, status: result.status, questions: [] };
  return { ...withoutReconnecting(task), info, result };
}
