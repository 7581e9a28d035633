import { type Engine, isJsonObject, type JsonObject, type OwnedTasks } from "@resumable-mcp/core";
import { parseTaskUri } from "@resumable-mcp/protocol";
import { isRequestId, parseCallMeta } from "../../call/call.js";
import { tasksOfCaller } from "../../owner/owner.js";
import { callerOf, clientFacts } from "../call-2026.js";
import type { Context2026 } from "../server-2026.js";

/** A request to listen. */
export interface ListenRequest {
  readonly id: string | number;
  /** It asks for tasks, by id or as resources. */
  readonly namesTasks: boolean;
  /** Absent when the client asks for resources only. */
  readonly taskIds?: readonly string[];
  /** URIs of tasks, out of the resources that it asks for. */
  readonly resources: readonly string[];
  /** The client declared the tasks extension. */
  readonly declared: boolean;
  readonly meta: JsonObject;
}

/** Reads a `subscriptions/listen` request; `undefined` for every other message. */
export function parseListenRequest(message: unknown): ListenRequest | undefined {
  if (!isJsonObject(message) || message.method !== "subscriptions/listen") return undefined;
  const { id, params } = message;
  if (!isRequestId(id) || !isJsonObject(params)) return undefined;
  const { notifications, _meta } = params;
  const filter = isJsonObject(notifications) ? notifications : {};
  const { taskIds, resourceSubscriptions } = filter;
  const resources = texts(resourceSubscriptions).filter((uri) => parseTaskUri(uri) !== undefined);
  const namesTasks = Array.isArray(taskIds) || resources.length > 0;
  const meta = isJsonObject(_meta) ? _meta : {};
  const named = Array.isArray(taskIds) ? texts(taskIds) : undefined;
  return { id, namesTasks, taskIds: named, resources, declared: clientFacts(meta).tasks, meta };
}

/** The tasks that a request may watch. @throws {@link ResumableError} `NO_OWNER`. */
export function listenTasks(
  engine: Engine,
  options: Parameters<typeof callerOf>[0],
  { id, meta }: ListenRequest,
  signal: AbortSignal,
  http: Context2026["http"],
): OwnedTasks {
  // The SDK makes no context for subscriptions.
  const [requestState, notify] = [() => undefined, () => Promise.resolve()];
  const mcpReq = { id, signal, _meta: meta, envelope: meta, requestState, notify };
  const context = http === undefined ? { mcpReq } : { mcpReq, http };
  return tasksOfCaller(engine, callerOf(options, context, parseCallMeta(meta).clientId));
}

/** What of a request is watched. */
export interface WatchedPart {
  /** Absent when the client did not ask for tasks. */
  readonly taskIds: readonly string[] | undefined;
  readonly resources: readonly string[];
  /** URIs of tasks that the owner does not have. */
  readonly refused: readonly string[];
}

/** Makes the acknowledgement say what is really watched. */
export function withWatched(acknowledgement: JsonObject, { taskIds, refused }: WatchedPart): JsonObject {
  const params = isJsonObject(acknowledgement.params) ? acknowledgement.params : {};
  const notifications = isJsonObject(params.notifications) ? params.notifications : {};
  const asked = notifications.resourceSubscriptions;
  const honoured = {
    ...notifications,
    ...(taskIds === undefined ? {} : { taskIds }),
    ...(asked === undefined ? {} : { resourceSubscriptions: texts(asked).filter((uri) => !refused.includes(uri)) }),
  };
  return { ...acknowledgement, params: { ...params, notifications: honoured } };
}

/** The first message of every subscription. Source: MCP 2026-07-28, Utilities, "Subscriptions". */
export function isAcknowledgement(message: unknown): message is JsonObject {
  return isJsonObject(message) && message.method === "notifications/subscriptions/acknowledged";
}

function texts(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === "string") : [];
}
