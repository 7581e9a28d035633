import type { ClientEvent, TaskInfo, TaskStatus } from "@resumable-mcp/client";
import { percentOf } from "@resumable-mcp/client";
import { plainText } from "../display/plain-text.js";
import type { LiveTask } from "./live-task.js";
import { addSample } from "./pace.js";

/** Lines of log that are kept of one task. */
const maxLogLines = 200;

/** Applies what was heard of a task. */
export function applyEvent({ problem: _mended, ...task }: LiveTask, event: ClientEvent, atMs: number): LiveTask {
  switch (event.type) {
    case "progress":
      return applyProgress(task, event, atMs);
    case "log":
      return addLog(task, event.level, typeof event.data === "string" ? event.data : JSON.stringify(event.data), event);
    case "status":
      return applyStatus(task, event.status);
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

function applyStatus(task: LiveTask, status: TaskStatus): LiveTask {
  const questions = status === "input_required" ? task.info.questions : [];
  // While it stands still, time says nothing of its pace.
  return { ...task, pace: status === "running" ? task.pace : [], info: { ...task.info, status, questions } };
}

function applyProgress(task: LiveTask, event: Extract<ClientEvent, { type: "progress" }>, atMs: number): LiveTask {
  const { progress, total = task.info.total, message = task.info.message, seq = task.info.lastSeq } = event;
  const percent = percentOf(progress, total);
  // What moves is running, whatever the last list said.
  const moving = task.info.status === "pending" && event.snapshot !== true;
  const info: TaskInfo = {
    ...task.info,
    ...(moving ? { status: "running", interrupted: false } : {}),
    progress,
    lastSeq: seq,
    ...(event.snapshot === true ? {} : { updatedAt: new Date(atMs).toISOString() }),
    ...(total === undefined ? {} : { total }),
    ...(percent === undefined ? {} : { percent }),
    ...(message === undefined ? {} : { message }),
  };
  const moved = withoutReconnecting({ ...task, info, pace: addSample(task.pace, { atMs, progress }) });
  return event.restarted === true ? addLog(moved, "notice", "begins anew") : moved;
}

/** The task without the word that its connection is being mended. */
export function withoutReconnecting({ reconnecting: _mended, ...task }: LiveTask): LiveTask {
  return task;
}

function addLog(task: LiveTask, level: string, text: string, { seq }: { readonly seq?: number } = {}): LiveTask {
  const line = { level, text: plainText(text), ...(seq === undefined ? {} : { seq }) };
  return { ...task, log: [...task.log.slice(1 - maxLogLines), line] };
}
