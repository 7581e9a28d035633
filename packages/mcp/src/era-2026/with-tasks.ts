import type { ServerEventBus } from "@modelcontextprotocol/server";
import { type Engine, isJsonObject, type JsonObject } from "@resumable-mcp/core";
import { withDefaults } from "@resumable-mcp/core/internal";
import { parseTaskUri, rpcCodes, toText } from "@resumable-mcp/protocol";
import { bringValidator } from "../call/json-schema-validator.js";
import { RpcError } from "../call/rpc-error.js";
import { HttpAnswer } from "../http/http-answer.js";
import { ofWebRequest, readJsonBody } from "../http/http-request.js";
import { type BodyLimits, bodyLimits } from "../limits.js";
import { noteLocality, type VerifiedToken } from "../owner/owner.js";
import type { EndpointOptions, Handler2026 } from "./handler-options.js";
import { Endpoint2026 } from "./http-handler.js";
import type { Answers2026, RouterOptions } from "./router.js";
import { type RegisterOptions2026, toContext } from "./server-2026.js";
import { Listener } from "./subscriptions/listener.js";

/** How subscriptions to tasks are served. */
export interface WithTasksOptions
  extends Pick<RegisterOptions2026, "owner" | "singleUser" | "onError">,
    Pick<RouterOptions, "maxSubscriptions" | "maxSubscriptionsPerOwner">,
    EndpointOptions {}

/**
 * Wraps an SDK's handler of the 2026 era, so that clients can listen to tasks of servers with `registerTools2026`.
 *
 * It serves all subscriptions, where the handler has its `bus`: they are counted by owner and end with their tokens. Everything
 * else passes through unchanged.
 *
 * @example
 * const handler = withTasks(createMcpHandler(createServer), engine);
 */
export function withTasks<Auth extends VerifiedToken>(
  handler: Handler2026<Auth> & { readonly bus?: ServerEventBus },
  engine: Engine,
  options: WithTasksOptions = {},
): Handler2026<Auth> {
  const limits = withDefaults<BodyLimits>(bodyLimits, options);
  const endpoint = new Endpoint2026(subscriptionsOnly(engine, { ...options, bus: handler.bus }), {
    ...options,
    ownerOf: ownerFrom(options),
  });
  return {
    async fetch(request, given = {}) {
      noteLocality(request, given.locality);
      const isRead = given.parsedBody !== undefined || request.method !== "POST" || request.bodyUsed;
      const read = isRead ? { value: given.parsedBody } : await readJsonBody(ofWebRequest(request), limits);
      if (read instanceof HttpAnswer) return read.toWeb();
      const passed = { ...given, parsedBody: read.value };
      const isOurs = handler.bus === undefined ? namesTasks(read.value) : isListen(read.value);
      if (!isOurs) return handler.fetch(request, read.value === undefined ? given : passed);
      return (await endpoint.answer(ofWebRequest(request), passed)).toWeb();
    },
    async close() {
      endpoint.close();
      await handler.close();
    },
  };
}

/** The owner of a subscription, where the server's author names it. */
export function ownerFrom({ owner }: Pick<RegisterOptions2026, "owner">) {
  return owner && ((request: Parameters<typeof toContext>[0]) => owner(toContext(request)));
}

/** What serves subscriptions to tasks alone: an SDK's server answers the rest. */
export function subscriptionsOnly(
  engine: Engine,
  options: Omit<ConstructorParameters<typeof Listener>[0], "engine">,
): Answers2026 {
  bringValidator(engine);
  return {
    ready: async () => {},
    challenge: async () => undefined,
    inputSchema: () => undefined,
    answer: ({ method }) => Promise.reject(new RpcError(rpcCodes.methodNotFound, `Method not found: ${method}`)),
    // It hears of tasks alone where it has no bus: the client can ask the SDK's server for changes by another subscription.
    listener: new Listener({ ...(options.bus === undefined && { capabilities: tasksOnly }), ...options, engine }),
  };
}

const tasksOnly = (): JsonObject => ({ resources: { subscribe: true } });

function isListen(message: unknown): message is JsonObject {
  return isJsonObject(message) && message.method === "subscriptions/listen";
}

/** Whether a message asks to hear of tasks. */
export function namesTasks(message: unknown): boolean {
  const filter = isListen(message) && isJsonObject(message.params) ? message.params.notifications : undefined;
  if (!isJsonObject(filter)) return false;
  const { taskIds, resourceSubscriptions: uris } = filter;
  return Array.isArray(taskIds) || (Array.isArray(uris) && uris.some((uri) => parseTaskUri(toText(uri)) !== undefined));
}
