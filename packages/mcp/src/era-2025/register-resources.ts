import { type Engine, isResumableError, type OwnedTasks } from "@resumable-mcp/core";
import { rpcCodes } from "@resumable-mcp/protocol";
import { z } from "zod";
import { asRpcError, RpcError } from "../call/rpc-error.js";
import {
  checkTaskResource,
  listTaskResources,
  readTaskResource,
  taskResources,
  taskTemplate,
  watchTaskResource,
} from "../control/task-resources.js";
import { type CallPolicy, call2025 } from "./call-2025.js";
import { closedSignal } from "./closed-signal.js";
import type { RequestExtra, Server2025 } from "./server-2025.js";

const uriParams = z.looseObject({ uri: z.string().max(1_024) });
const requests = {
  subscribe: z.looseObject({ method: z.literal("resources/subscribe"), params: uriParams }),
  unsubscribe: z.looseObject({ method: z.literal("resources/unsubscribe"), params: uriParams }),
};
type UriRequest = { readonly params: z.output<typeof uriParams> };

/** Resources that one session may subscribe to. */
const maxSubscriptions = 100;

/** Offers an owner's tasks as resources, with updates. Source: MCP 2025-11-25, Server Features, Resources. */
export function registerResources(mcp: Server2025, engine: Engine, policy: CallPolicy): void {
  const tasksOf = (extra: RequestExtra): OwnedTasks => call2025(mcp, engine, policy, extra, undefined).tasks;
  const list = async (extra: RequestExtra) => {
    try {
      return await listTaskResources(tasksOf(extra));
    } catch (error) {
      if (isResumableError(error, "NO_OWNER")) return { resources: [] };
      throw error;
    }
  };
  for (const { name, part, config } of taskResources) {
    const read = async (uri: URL, _variables: object, extra: RequestExtra) => {
      try {
        return await readTaskResource(engine, tasksOf(extra), uri.href);
      } catch (error) {
        throw asRpcError(error);
      }
    };
    const template = taskTemplate(part, part === "task" ? list : undefined);
    mcp.registerResource(name, template as never, config, read as never);
  }
  takeSubscriptions(mcp, tasksOf, policy);
}

/**
 * A subscription to a task that the caller does not have is refused. Those to anything but tasks are accepted and stay
 * silent, unless the server handles them itself.
 */
function takeSubscriptions(
  { server }: Server2025,
  tasksOf: (extra: RequestExtra) => OwnedTasks,
  policy: CallPolicy,
): void {
  const open = new Map<string, AbortController>();
  const watch = async (uri: string, tasks: OwnedTasks, stop: AbortController): Promise<void> => {
    const signal = AbortSignal.any([stop.signal, closedSignal(server)]);
    const updated = async (): Promise<void> => {
      if (!signal.aborted)
        await server.notification({ method: "notifications/resources/updated", params: { uri } } as never);
    };
    try {
      await watchTaskResource(tasks, uri, updated, signal);
    } catch (error) {
      if (!isResumableError(error, "TASK_NOT_FOUND")) policy.onError?.(error);
    }
  };
  const subscribe = async (uri: string, extra: RequestExtra): Promise<object> => {
    if (open.has(uri)) return {};
    if (open.size >= maxSubscriptions) {
      throw new RpcError({
        code: rpcCodes.internalError,
        message: `This session has reached its limit of ${maxSubscriptions} subscriptions.`,
      });
    }
    const stop = new AbortController();
    open.set(uri, stop);
    try {
      const tasks = tasksOf(extra);
      await checkTaskResource(tasks, uri);
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
  try {
    for (const method of ["resources/subscribe", "resources/unsubscribe"]) server.assertCanSetRequestHandler(method);
  } catch {
    // The server has subscriptions of its own.
    return;
  }
  server.registerCapabilities({ resources: { subscribe: true } });
  // The SDK's own types bind schema and handler to one copy of zod; it only reads the method's literal.
  const take = (request: object, run: (uri: string, extra: RequestExtra) => object): void =>
    server.setRequestHandler(
      request as never,
      (({ params }: UriRequest, extra: RequestExtra) => run(params.uri, extra)) as never,
    );
  take(requests.subscribe, subscribe);
  take(requests.unsubscribe, unsubscribe);
}
