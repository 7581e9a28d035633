import {
  type ActiveTask,
  isFinal,
  percentOf,
  type TaskInfo,
  type TaskJournal,
  type TaskResult,
} from "@resumable-mcp/client";
import type { Pace } from "./pace.js";

/** One line of a task's log. */
export interface LogLine {
  readonly level: string;
  readonly text: string;
  /** Place in the journal, where it is known: what the journal tells too is shown once. */
  readonly seq?: number;
}

/** A task as the screen shows it: what its server said last, and what came since. */
export interface LiveTask {
  readonly info: TaskInfo;
  /** What its server is called, where the user gave it a name. */
  readonly serverName?: string;
  readonly log: readonly LogLine[];
  readonly pace: Pace;
  readonly result?: TaskResult;
  readonly journal?: TaskJournal;
  /** Why it cannot be followed any more. */
  readonly problem?: string;
  /** Its server does not know it any more. */
  readonly gone?: true;
  /** Its server has not answered yet: this is what the client remembers of it. */
  readonly remembered?: true;
  /** The connection to its server is being mended. */
  readonly reconnecting?: string;
}

/** A task of which nothing has happened yet on this screen. */
export function newLiveTask(info: TaskInfo): LiveTask {
  return { info, log: [], pace: [] };
}

/** Tells whether something can still be done with a task. */
export function isUnfinished({ info, gone }: LiveTask): boolean {
  return gone !== true && !isFinal(info.status);
}

/** Makes a task of what the state file remembers, for as long as its server does not answer. */
export function rememberedTask(task: ActiveTask): LiveTask {
  const total = task.total_steps ?? undefined;
  const percent = percentOf(task.current_step, total);
  const info: TaskInfo = {
    id: task.task_id,
    tool: task.task_name,
    server: task.server_url,
    status: "pending",
    interrupted: false,
    progress: task.current_step,
    attempt: 0,
    generation: 1,
    itemCount: 0,
    lastSeq: 0,
    createdAt: task.started_at,
    updatedAt: task.last_update,
    questions: [],
    ...(total === undefined ? {} : { total }),
    ...(percent === undefined ? {} : { percent }),
    ...(task.last_message === null ? {} : { message: task.last_message }),
  };
  return { ...newLiveTask(info), remembered: true };
}
