import {
  type Engine,
  isFinal,
  isResumableError,
  type JsonObject,
  type OwnedTasks,
  type TaskView,
} from "@resumable-mcp/core";
import { envelopeKeys, parseTaskUri } from "@resumable-mcp/protocol";
import { findTask } from "../../call/call.js";
import { readSeq } from "../../call/journal-message.js";
import { watchTaskResource } from "../../control/task-resources.js";
import { limits2026 } from "../../limits.js";
import { detailedTask } from "../tasks/task-on-wire.js";
import type { ListenFilter, WatchedPart } from "./listen-request.js";

/** A subscription to some tasks of one owner. */
export interface TaskWatch extends WatchedPart {
  readonly engine: Engine;
  readonly tasks: OwnedTasks;
  readonly subscriptionId: string | number;
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
  for (const taskId of watch.taskIds ?? []) quietly(watchTask(watch, taskId));
  for (const uri of watch.resources) {
    const updated = () => watch.send(resourceUpdated(uri, watch.subscriptionId));
    quietly(watchTaskResource(watch.tasks, uri, updated, watch.signal));
  }
}

function resourceUpdated(uri: string, subscriptionId: string | number): JsonObject {
  const _meta = { [envelopeKeys.subscriptionId]: subscriptionId };
  return { jsonrpc: "2.0", method: "notifications/resources/updated", params: { uri, _meta } };
}

/** What is really watched of what a request names: the tasks that the owner has. The others are not distinguished. */
export async function ownPart(
  tasks: OwnedTasks,
  { taskIds, resources }: Pick<ListenFilter, "taskIds" | "resources">,
): Promise<WatchedPart> {
  const ids = taskIds === undefined ? undefined : await known(tasks, taskIds, (id) => id);
  const uris = await known(tasks, resources, (uri) => parseTaskUri(uri)?.taskId ?? "");
  return { taskIds: ids, resources: uris, refused: resources.filter((uri) => !uris.includes(uri)) };
}

async function known(
  tasks: OwnedTasks,
  names: readonly string[],
  idOf: (name: string) => string,
): Promise<readonly string[]> {
  const asked = [...new Set(names)].slice(0, limits2026.maxTasksPerSubscription);
  const found = await Promise.all(asked.map((name) => findTask(tasks, idOf(name))));
  return asked.filter((_name, index) => found[index] !== undefined);
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
      // One look tells of everything up to it.
      if (readSeq(followed) <= seen) continue;
      view = await tell();
      seen = view.record.lastSeq;
    }
    if (!isFinal(view.status)) view = await tell();
  }
}

function taskNotification({ engine, subscriptionId }: TaskWatch, view: TaskView): JsonObject {
  const _meta = { [envelopeKeys.subscriptionId]: subscriptionId };
  const task = detailedTask({ engine, prefix: "" }, view) as JsonObject;
  return { jsonrpc: "2.0", method: "notifications/tasks", params: { ...task, _meta } };
}
