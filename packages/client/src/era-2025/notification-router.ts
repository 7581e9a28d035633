import {
  type JSONRPCNotification,
  LoggingMessageNotificationSchema,
  ProgressNotificationSchema,
} from "@modelcontextprotocol/sdk/types.js";
import { type Json, type JsonObject, metaKeys } from "@resumable-mcp/protocol";
import type { LogMessage, ProgressMessage } from "../connection/link.js";
import { toJsonObject } from "../json.js";

/** A request in flight that wants to hear of its progress. */
export interface NotificationListener {
  readonly progressToken: string;
  /** The task that the request is about, if its arguments name one. */
  readonly taskId: string | undefined;
  readonly onProgress: (message: ProgressMessage) => void;
  readonly onLog: ((message: LogMessage) => void) | undefined;
}

/** Brings notifications to the requests that they belong to. */
export interface NotificationRouter {
  listen(listener: NotificationListener): () => void;
  /** Returns whether the notification was one of progress or log. */
  deliver(notification: JSONRPCNotification): boolean;
}

/** Creates a router without listeners. */
export function createNotificationRouter(): NotificationRouter {
  const listeners = new Set<NotificationListener>();
  return {
    listen(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    deliver(notification) {
      if (notification.method === "notifications/progress") deliverProgress(listeners, notification);
      else if (notification.method === "notifications/message") deliverLog(listeners, notification);
      else return false;
      return true;
    },
  };
}

function deliverProgress(listeners: ReadonlySet<NotificationListener>, notification: JSONRPCNotification): void {
  const { success, data } = ProgressNotificationSchema.safeParse(notification);
  if (!success) return;
  const { progressToken, progress, total, message } = data.params;
  for (const listener of listeners) {
    if (listener.progressToken !== progressToken) continue;
    listener.onProgress({
      progress,
      meta: metaOf(notification),
      total,
      message,
    });
  }
}

/** A log message names its task or, on servers without tasks, nothing: then it goes to every plain call. */
function deliverLog(listeners: ReadonlySet<NotificationListener>, notification: JSONRPCNotification): void {
  const { success, data } = LoggingMessageNotificationSchema.safeParse(notification);
  if (!success) return;
  const meta = metaOf(notification);
  const taskId = meta[metaKeys.taskId];
  const message = { level: data.params.level, data: data.params.data as Json, meta };
  for (const listener of listeners) {
    if (taskId === undefined ? listener.taskId === undefined : listener.taskId === taskId) listener.onLog?.(message);
  }
}

function metaOf(notification: JSONRPCNotification): JsonObject {
  return toJsonObject(notification.params?._meta);
}
