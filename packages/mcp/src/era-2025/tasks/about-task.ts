import { isJsonObject, type JsonObject } from "@resumable-mcp/core";
import { forSdk } from "../../sdk-workarounds.js";
import type { RequestExtra } from "../server-2025.js";
import { relatedTaskKey } from "./task-2025.js";

/**
 * Lets whatever a request's handler sends to the client name the task that it is about.
 *
 * Source: MCP 2025-11-25, Tasks, "Associating Task-Related Messages".
 */
export function aboutTask(extra: RequestExtra, taskId: string): RequestExtra {
  return {
    ...extra,
    sendNotification: (notification) => extra.sendNotification(forSdk(related(notification, taskId))),
    sendRequest: (request, schema, options) => extra.sendRequest(forSdk(related(request, taskId)), schema, options),
  };
}

function related(message: JsonObject, taskId: string): JsonObject {
  const params = isJsonObject(message.params) ? message.params : {};
  const meta = isJsonObject(params._meta) ? params._meta : {};
  return { ...message, params: { ...params, _meta: { ...meta, [relatedTaskKey]: { taskId } } } };
}
