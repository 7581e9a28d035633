import { metaKeys, type TaskQuestion, type TaskStatus } from "@resumable-mcp/protocol";
import type { ClientEvent } from "../client.js";
import type { LogMessage, ProgressMessage } from "../connection/link.js";
import type { TaskInfo } from "../task-info.js";

/** What one who follows a task has seen of it. Values are never changed, only replaced. */
export interface FollowState {
  /** The last place of the journal that was seen: everything up to it is never shown again. */
  readonly lastSeq: number;
  readonly progress?: number;
  readonly message?: string;
  readonly status?: TaskStatus;
  /** The keys of the questions that were shown and still wait. */
  readonly asked: readonly string[];
}

/** A new state, and what there is to show. */
export interface Step {
  readonly state: FollowState;
  readonly events: readonly ClientEvent[];
}

/** Has seen nothing yet. */
export const initialFollowState: FollowState = { lastSeq: 0, asked: [] };

/** Takes a progress message: dropped when it was seen, and never shown backwards without saying so. */
export function takeProgress(state: FollowState, message: ProgressMessage): Step {
  const seq = seqOf(message);
  const { progress } = message;
  const shown = state.progress;
  if (seq === undefined ? shown !== undefined && progress <= shown : seq <= state.lastSeq) return { state, events: [] };
  const next = {
    ...state,
    progress,
    lastSeq: seq ?? state.lastSeq,
    message: message.message ?? state.message,
  };
  // A checkpoint that moved nothing tells the user nothing.
  if (progress === shown && (message.message ?? state.message) === state.message) return { state: next, events: [] };
  const restarted = shown !== undefined && progress < shown;
  return { state: next, events: [progressEvent(message, seq, restarted)] };
}

/** Takes a log message: dropped when it was seen. */
export function takeLog(state: FollowState, message: LogMessage): Step {
  const seq = seqOf(message);
  if (seq !== undefined && seq <= state.lastSeq) return { state, events: [] };
  const { level, data } = message;
  const event: ClientEvent = { type: "log", level, data, seq };
  return { state: seq === undefined ? state : { ...state, lastSeq: seq }, events: [event] };
}

/** Takes the answer of a wait that ended before the task did. */
export function takeInterim(state: FollowState, interim: Pick<TaskInfo, "status" | "questions">): Step {
  const status: readonly ClientEvent[] =
    interim.status === state.status ? [] : [{ type: "status", status: interim.status }];
  const fresh = interim.questions.filter(({ key }) => !state.asked.includes(key));
  return {
    state: { ...state, status: interim.status, asked: interim.questions.map(({ key }) => key) },
    events: [...status, ...fresh.map(questionEvent)],
  };
}

/** Begins at what the task is now, in place of everything that happened before. */
export function takeSnapshot(state: FollowState, info: TaskInfo): Step {
  const { progress, total, message, lastSeq } = info;
  const meta = { [metaKeys.seq]: lastSeq, [metaKeys.snapshot]: true };
  const untouched = progress === 0 && total === undefined && message === undefined;
  const first = untouched ? { state, events: [] } : takeProgress(state, { progress, total, message, meta });
  const second = takeInterim(first.state, info);
  return { state: second.state, events: [...first.events, ...second.events] };
}

/** The share that is done, 0 to 100, where the total is known. */
export function shownPercent(progress: number, total: number | undefined): number | undefined {
  if (total === undefined || total <= 0) return undefined;
  return Math.min(100, Math.max(0, Math.floor((progress / total) * 100)));
}

function progressEvent(message: ProgressMessage, seq: number | undefined, restarted: boolean): ClientEvent {
  const { progress, total } = message;
  const percent = shownPercent(progress, total);
  return {
    type: "progress",
    progress,
    total,
    percent,
    message: message.message,
    seq,
    ...(message.meta[metaKeys.snapshot] === true ? { snapshot: true as const } : {}),
    ...(restarted ? { restarted: true as const } : {}),
  };
}

function questionEvent(question: TaskQuestion): ClientEvent {
  return { type: "question", question };
}

function seqOf(message: ProgressMessage | LogMessage): number | undefined {
  const seq = message.meta[metaKeys.seq];
  return typeof seq === "number" ? seq : undefined;
}
