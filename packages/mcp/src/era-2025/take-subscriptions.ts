import { isResumableError, type OwnedTasks } from "@resumable-mcp/core";
import { rpcCodes } from "@resumable-mcp/protocol";
import { z } from "zod";
import { asRpcError, RpcError } from "../call/rpc-error.js";
import { checkTaskResource, watchTaskResource } from "../control/task-resources.js";
import { limits } from "../limits.js";
import { forSdk, handleRequest } from "../sdk-workarounds.js";
import type { Environment2025 } from "./call-2025.js";
import { hasNoneOf, type RequestExtra } from "./server-2025.js";

const uriParams = z.looseObject({ uri: z.string().max(1_024) });
const requests = {
  subscribe: z.looseObject({ method: z.literal("resources/subscribe"), params: uriParams }),
  unsubscribe: z.looseObject({ method: z.literal("resources/unsubscribe"), params: uriParams }),
};
type UriRequest = { readonly params: z.output<typeof uriParams> };

/**
 * A subscription to a task that the caller does not have is refused. Those to anything but tasks are accepted and stay
 * silent, unless the server handles them itself.
 */
export function takeSubscriptions(
  { mcp, options, closedSignal }: Environment2025,
  tasksOf: (extra: RequestExtra) => OwnedTasks,
): void {
  const { server } = mcp;
  const open = new Map<string, AbortController>();
  const endAll = (): void => {
    for (const stop of open.values()) stop.abort("closed");
    open.clear();
  };
  /** One listener for all: each `AbortSignal.any` would leave an entry in the signal on Node 20 until the connection ends. */
  let connection: AbortSignal | undefined;
  const endWithConnection = (): void => {
    const closed = closedSignal();
    if (closed.aborted) endAll();
    else if (closed !== connection) closed.addEventListener("abort", endAll);
    connection = closed;
  };
  const watch = async (uri: string, tasks: OwnedTasks, { signal }: AbortController): Promise<void> => {
    const updated = async (): Promise<void> => {
      if (!signal.aborted)
        await server.notification(forSdk({ method: "notifications/resources/updated", params: { uri } }));
    };
    try {
      await watchTaskResource(tasks, uri, updated, signal);
    } catch (error) {
      if (!isResumableError(error, "TASK_NOT_FOUND")) options.onError?.(error);
    }
  };
  const subscribe = async (uri: string, extra: RequestExtra): Promise<object> => {
    if (open.has(uri)) return {};
    if (open.size >= limits.maxSubscriptionsPerSession) {
      const message = `This session has reached its limit of ${limits.maxSubscriptionsPerSession} subscriptions. End another subscription first.`;
      throw new RpcError(rpcCodes.internalError, message);
    }
    const stop = new AbortController();
    open.set(uri, stop);
    try {
      const tasks = tasksOf(extra);
      await checkTaskResource(tasks, uri);
      endWithConnection();
      void watch(uri, tasks, stop);
      return {};
    } catch (error) {
      open.delete(uri);
      throw asRpcError(error);
    }
  };
  const unsubscribe = (uri: string): object => {
    open.get(uri)?.abort("unsubscribed");
    open.delete(uri);
    return {};
  };
  // Else the server has subscriptions of its own.
  if (!hasNoneOf(mcp, ["resources/subscribe", "resources/unsubscribe"])) return;
  server.registerCapabilities({ resources: { subscribe: true } });
  const take = (request: object, run: (uri: string, extra: RequestExtra) => object): void => {
    const handler = ({ params }: UriRequest, extra: RequestExtra) => run(params.uri, extra);
    handleRequest(server, request, handler);
  };
  take(requests.subscribe, subscribe);
  take(requests.unsubscribe, unsubscribe);
}
