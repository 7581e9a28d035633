import {
  type Engine,
  isFinal,
  isResumableError,
  type JsonObject,
  type OwnedTasks,
  type TaskView,
} from "@resumable-mcp/core";
import { watchTaskResource } from "../task-resources.js";
import { envelopeKeys } from "./envelope.js";
import { detailedTask } from "./task-on-wire.js";

/** How many tasks one subscription may name. */
export const maxTasksPerSubscription = 256;

/** A subscription to some tasks of one owner. */
export interface TaskWatch {
  readonly engine: Engine;
  readonly tasks: OwnedTasks;
  readonly subscriptionId: string | number;
  readonly taskIds: readonly string[];
  /** URIs of tasks as resources. */
  readonly resources: readonly string[];
  readonly signal: AbortSignal;
  /** Sends one notification; resolves when there is room for the next. */
  readonly send: (notification: JsonObject) => Promise<void>;
  readonly onError?: ((error: unknown) => void) | undefined;
}

/**
 * Tells of tasks as they change: first how each is now, then every change of what `tasks/get` would answer.
 *
 * A slow reader gets the newest state, not every one in between. Source: SEP-2663, "Status notifications".
 */
export function watchTasks(watch: TaskWatch): void {
  const quietly = (watching: Promise<void>): void => {
    watching.catch((error: unknown) => {
      if (!isResumableError(error, "TASK_NOT_FOUND")) watch.onError?.(error);
    });
  };
  for (const taskId of watch.taskIds) quietly(watchTask(watch, taskId));
  for (const uri of watch.resources.slice(0, maxTasksPerSubscription)) {
    const updated = () => watch.send(resourceUpdated(uri, watch.subscriptionId));
    quietly(watchTaskResource(watch.tasks, uri, updated, watch.signal));
  }
}

function resourceUpdated(uri: string, subscriptionId: string | number): JsonObject {
  const _meta = { [envelopeKeys.subscriptionId]: subscriptionId };
  return { jsonrpc: "2.0", method: "notifications/resources/updated", params: { uri, _meta } };
}

/** The named tasks that the owner really has: the others are not told apart. */
export async function ownTaskIds(tasks: OwnedTasks, ids: readonly string[]): Promise<readonly string[]> {
  const known = await Promise.all(
    [...new Set(ids)].slice(0, maxTasksPerSubscription).map(async (id) => {
      try {
        return (await tasks.get(id)).record.id;
      } catch (error) {
        if (isResumableError(error, "TASK_NOT_FOUND")) return undefined;
        throw error;
      }
    }),
  );
  return known.filter((id) => id !== undefined);
}

async function watchTask(watch: TaskWatch, taskId: string): Promise<void> {
  const { tasks, signal } = watch;
  let sent: string | undefined;
  const tell = async (): Promise<TaskView> => {
    const view = await tasks.get(taskId);
    const notification = taskNotification(watch, view);
    const text = JSON.stringify(notification);
    if (text !== sent && !signal.aborted) await watch.send(notification);
    sent = text;
    return view;
  };
  let view = await tell();
  while (!signal.aborted && !isFinal(view.status)) {
    let seen = view.record.lastSeq;
    for await (const followed of tasks.follow(taskId, { afterSeq: seen, signal })) {
      const seq = followed.kind === "event" ? followed.event.seq : followed.record.lastSeq;
      // One look tells of everything up to it.
      if (seq <= seen) continue;
      view = await tell();
      seen = view.record.lastSeq;
    }
    if (!isFinal(view.status)) view = await tell();
  }
}

function taskNotification({ engine, subscriptionId }: TaskWatch, view: TaskView): JsonObject {
  const _meta = { [envelopeKeys.subscriptionId]: subscriptionId };
  const task = detailedTask(engine, view) as JsonObject;
  return { jsonrpc: "2.0", method: "notifications/tasks", params: { ...task, _meta } };
}
