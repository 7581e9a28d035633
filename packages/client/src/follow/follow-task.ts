import { decodeInterim, metaKeys } from "@resumable-mcp/protocol";
import type { ClientEvent } from "../client.js";
import type { ConnectionChange } from "../connection/connection.js";
import type { ClientLimits } from "../limits.js";
import { callControl, type RemoteServer, refusedBy } from "../servers/remote-server.js";
import { parseTaskInfo } from "../task-info.js";
import { controlFailure, type TaskResult, type ToolResult, toTaskResult } from "../tool-result.js";
import { type FollowState, type Step, takeInterim, takeLog, takeProgress, takeSnapshot } from "./follow-state.js";

/** What following one task needs. */
export interface FollowTaskOptions {
  readonly server: RemoteServer;
  readonly taskId: string;
  readonly limits: ClientLimits;
  readonly delay: (ms: number, signal?: AbortSignal) => Promise<void>;
  readonly emit: (event: ClientEvent) => void;
  readonly signal: AbortSignal;
  /** What was seen so far; kept outside, so that following can be left and taken up again. */
  readonly cursor: { state: FollowState };
  /** Begin at what the task is now, not at its first event. */
  readonly fromNow: boolean;
}

/**
 * Follows a task to its result, through breaks of the connection and restarts of its server.
 *
 * Ordering: each event once, in the journal's order; the cursor says where a break left off.
 */
export async function followTask(options: FollowTaskOptions): Promise<TaskResult> {
  const { server, taskId, limits, cursor, emit, signal } = options;
  const take = (step: Step) => {
    cursor.state = step.state;
    for (const event of step.events) emit(event);
    return step.events.length > 0;
  };
  const stop = reportConnection(server, emit);
  try {
    if (options.fromNow && cursor.state.lastSeq === 0) await beginNow(options, take);
    for (let idlePolls = 0; ; ) {
      const before = cursor.state.lastSeq;
      const answer = await poll(options, take);
      const failure = controlFailure(answer);
      // How the wait failed says nothing of how the task ended.
      if (failure !== undefined) throw refusedBy(failure);
      const interim = decodeInterim(answer.structuredContent);
      if (interim?.taskId !== taskId) return toTaskResult(answer, taskId);
      const news = take(takeInterim(cursor.state, interim)) || cursor.state.lastSeq > before;
      idlePolls = news ? 0 : idlePolls + 1;
      // A server may answer at once for a task that stands still.
      if (!news) await options.delay(idleDelayMs(idlePolls, limits), signal);
    }
  } finally {
    stop();
  }
}

async function beginNow(
  { server, taskId, cursor, signal }: FollowTaskOptions,
  take: (step: Step) => boolean,
): Promise<void> {
  const answer = await server.control("get_task", { task_id: taskId }, signal);
  const info = parseTaskInfo(answer.structuredContent, server.address);
  if (info !== undefined) take(takeSnapshot(cursor.state, info));
}

/** Waits on the server once; a break costs this poll, and the next begins behind what was seen. */
async function poll(options: FollowTaskOptions, take: (step: Step) => boolean): Promise<ToolResult> {
  const { server, taskId, limits, cursor, signal } = options;
  const name = await server.controlName("wait_for_task", signal);
  return server.connection.run(
    (link) =>
      callControl(
        link,
        {
          name,
          arguments: { task_id: taskId, timeout_seconds: limits.waitSeconds },
          meta: { [metaKeys.afterSeq]: cursor.state.lastSeq },
        },
        {
          timeoutMs: limits.waitSeconds * 1000 + limits.requestTimeoutMs,
          signal,
          onProgress: (message) => take(takeProgress(cursor.state, message)),
          onLog: (message) => take(takeLog(cursor.state, message)),
        },
      ),
    { retry: "always", signal },
  );
}

/** Doubles the pause with every poll that brought nothing. */
function idleDelayMs(idlePolls: number, limits: ClientLimits): number {
  return Math.min(limits.idlePollDelayMs * 2 ** Math.min(idlePolls - 1, 30), limits.idlePollMaxDelayMs);
}

/** Tells a follower of breaks of the connection and their ends; returns how to stop that. */
export function reportConnection(server: RemoteServer, emit: (event: ClientEvent) => void): () => void {
  let broken = false;
  return server.connection.subscribe((change) => {
    const event = connectionEvent(change, broken);
    if (event?.type === "reconnecting") broken = true;
    if (event?.type === "reconnected") broken = false;
    if (event !== undefined) emit(event);
  });
}

/** Says what a change of the connection means for one who follows. */
export function connectionEvent(change: ConnectionChange, broken: boolean): ClientEvent | undefined {
  if (change.type === "session") {
    if (change.previous === undefined) return undefined;
    const { previous, session } = change;
    return { type: "session_changed", previous: previous.sessionId, sessionId: session?.sessionId };
  }
  const { state } = change;
  if (state.name === "connected" && broken) return { type: "reconnected" };
  if (state.name !== "waiting") return undefined;
  const { attempt, nextDelayMs, reason } = state;
  return { type: "reconnecting", attempt, nextDelayMs, reason };
}
