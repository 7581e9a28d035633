import { specTypeSchemas } from "@modelcontextprotocol/server";
import { isJsonObject, type JsonObject } from "@resumable-mcp/core";
import { parseTaskUri, rpcCodes } from "@resumable-mcp/protocol";
import { RpcError } from "../../call/rpc-error.js";
import { limits, limits2026 } from "../../limits.js";

/** What a client asks to hear of. */
export interface ListenFilter {
  /** It asks for tasks, by id or as resources. */
  readonly namesTasks: boolean;
  /** Absent when the client asks for resources only. */
  readonly taskIds: readonly string[] | undefined;
  /** URIs of tasks, out of the resources that it asks for. */
  readonly resources: readonly string[];
  /** What it asks for besides tasks. */
  readonly others: JsonObject;
}

/**
 * Reads the params of a `subscriptions/listen` request. URIs beyond the limits are left out, and the acknowledgement says so.
 *
 * Limits: `maxTasksPerSubscription`, `maxKeptParamLength`. @throws {@link RpcError} -32602.
 */
export function parseListenFilter(params: JsonObject): ListenFilter {
  const checked = specTypeSchemas.SubscriptionsListenRequest["~standard"].validate({
    method: "subscriptions/listen",
    params,
  });
  if (!isJsonObject(params.notifications) || !("value" in checked)) {
    const message = "Invalid params: 'notifications' is required and must be a valid SubscriptionFilter";
    throw new RpcError(rpcCodes.invalidParams, message);
  }
  const { taskIds, ...others } = params.notifications;
  const uris = [...new Set(texts(others.resourceSubscriptions))]
    .filter((uri) => uri.length <= limits.maxKeptParamLength)
    .slice(0, limits2026.maxTasksPerSubscription);
  const resources = uris.filter((uri) => parseTaskUri(uri) !== undefined);
  const isNamed = Array.isArray(taskIds);
  return {
    namesTasks: isNamed || resources.length > 0,
    taskIds: isNamed ? texts(taskIds) : undefined,
    resources,
    others: { ...others, resourceSubscriptions: uris },
  };
}

/** What of a request is watched. */
export interface WatchedPart {
  /** Absent when the client did not ask for tasks. */
  readonly taskIds: readonly string[] | undefined;
  readonly resources: readonly string[];
  /** URIs of tasks that the owner does not have. */
  readonly refused: readonly string[];
}

const listChanges = { toolsListChanged: "tools", promptsListChanged: "prompts", resourcesListChanged: "resources" };

/** What a client will hear of: what it asked for, as far as the server tells it and the tasks are its owner's. */
export function honoured(
  { others }: ListenFilter,
  { taskIds, refused }: WatchedPart,
  capabilities: JsonObject | undefined,
): JsonObject {
  const tells = (part: string, what: string) =>
    capabilities === undefined || (isJsonObject(capabilities[part]) && capabilities[part][what] === true);
  const changes = Object.entries(listChanges).filter(
    ([key, part]) => others[key] === true && tells(part, "listChanged"),
  );
  const asked = texts(others.resourceSubscriptions);
  const isResourceAsked = asked.length > 0 && tells("resources", "subscribe");
  return {
    ...Object.fromEntries(changes.map(([key]) => [key, true])),
    ...(isResourceAsked && { resourceSubscriptions: asked.filter((uri) => !refused.includes(uri)) }),
    ...(taskIds !== undefined && { taskIds: [...taskIds] }),
  };
}

/** The texts in a list, if it is one. */
export function texts(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === "string") : [];
}
