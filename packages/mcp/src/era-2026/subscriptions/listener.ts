import type { Engine, OwnedTasks } from "@resumable-mcp/core";
import { rpcCodes } from "@resumable-mcp/protocol";
import { asRpcError, RpcError, type RpcErrorBody } from "../../call/rpc-error.js";
import { limits2026 } from "../../limits.js";
import { type VerifiedToken, whenEnded } from "../../owner/owner.js";
import { type CallerRights, tasksWithin } from "../../owner/scopes.js";
import { missingTasksExtension, rightsOf } from "../call-2026.js";
import type { Handler2026, RequestOptions2026, WithTasksOptions } from "../handler-options.js";
import { type ListenRequest, listenTasks } from "./listen-request.js";
import { type ListenStream, listenStream, withEnd } from "./listen-stream.js";
import { ownPart, watchTasks } from "./task-watch.js";

/** Serves the subscriptions of one endpoint. */
export interface Listener<Auth extends VerifiedToken> {
  /** Lets the SDK judge the request, and mixes messages about tasks into its stream. */
  listen(request: Request, given: RequestOptions2026<Auth>, listenTo: ListenRequest): Promise<Response>;
  /** Ends all subscriptions to tasks with a result. */
  close(): void;
}

/** Makes what serves `subscriptions/listen`. Limits: `maxSubscriptions`, `maxSubscriptionsPerOwner`. */
export function createListener<Auth extends VerifiedToken>(
  handler: Handler2026<Auth>,
  engine: Engine,
  options: WithTasksOptions,
): Listener<Auth> {
  const { maxSubscriptions = limits2026.maxSubscriptions } = options;
  const { maxSubscriptionsPerOwner = limits2026.maxSubscriptionsPerOwner } = options;
  const takePlace = countSubscriptions({ maxSubscriptions, maxSubscriptionsPerOwner });
  const open = new Set<ListenStream>();
  const { onError, keepAliveMs = limits2026.keepAliveMs } = options;
  const keepOpen = async (
    source: ReadableStream<Uint8Array>,
    listenTo: ListenRequest,
    own: OwnedTasks | RpcError,
    rights: CallerRights,
    leave: () => void,
  ) => {
    let stopTimer = () => {};
    const ended = () => {
      stopTimer();
      leave();
    };
    if (!listenTo.namesTasks) {
      const stream = withEnd(source, ended);
      stopTimer = whenEnded(rights.token, stream.close);
      return stream.body;
    }
    if (listenTo.taskIds !== undefined && !listenTo.declared) throw RpcError.of(missingTasksExtension);
    if (own instanceof RpcError) throw own;
    const tasks = tasksWithin(engine, own, rights);
    const watched = await ownPart(tasks, listenTo);
    const subscriptionId = listenTo.id;
    const stream = listenStream({
      source,
      subscriptionId,
      watched,
      keepAliveMs,
      begin: (send, signal) => watchTasks({ ...watched, engine, tasks, subscriptionId, signal, send, onError }),
      onEnd: () => {
        open.delete(stream);
        ended();
      },
      onError,
    });
    open.add(stream);
    stopTimer = whenEnded(rights.token, stream.close);
    return stream.body;
  };
  return {
    async listen(request, given, listenTo) {
      const own = tasksIn(engine, options, request, given, listenTo);
      const place = takePlace(own instanceof RpcError ? "" : own.owner);
      if ("refused" in place) return refuse(listenTo.id, place.refused);
      const response = await handler.fetch(request, given).catch((error: unknown) => {
        place.leave();
        throw error;
      });
      const { body } = response;
      if (body === null || !isEventStream(response)) {
        place.leave();
        return response;
      }
      try {
        const rights = rightsOf(options, { http: { req: request, authInfo: given.authInfo } });
        return new Response(await keepOpen(body, listenTo, own, rights, place.leave), response);
      } catch (error) {
        place.leave();
        await body.cancel();
        return refuse(listenTo.id, asRpcError(error));
      }
    },
    close() {
      for (const stream of [...open]) stream.close();
    },
  };
}

/** A caller that cannot be identified may listen, but not to tasks. */
function tasksIn(
  engine: Engine,
  options: WithTasksOptions,
  request: Request,
  { authInfo }: RequestOptions2026,
  listenTo: ListenRequest,
): OwnedTasks | RpcError {
  try {
    return listenTasks(engine, options, listenTo, request.signal, { req: request, authInfo });
  } catch (error) {
    return asRpcError(error);
  }
}

function isEventStream(response: Response): boolean {
  return response.ok && response.headers.get("content-type")?.startsWith("text/event-stream") === true;
}

function refuse(id: string | number, { code, message, data }: RpcErrorBody | RpcError): Response {
  const status = code === missingTasksExtension.code ? 400 : 200;
  return Response.json({ jsonrpc: "2.0", id, error: { code, message, data } }, { status });
}

type LimitName = Extract<keyof typeof limits2026, `maxSubscriptions${string}`>;
/** How many subscriptions may be open. */
export type SubscriptionCountLimits = { readonly [Name in LimitName]: number };

/** A place that was taken, or why there is none. */
export type Place = { readonly leave: () => void } | { readonly refused: RpcErrorBody };

/**
 * Counts open subscriptions, all and by owner. A place is taken in one step, before anything is waited for: requests
 * that come at once cannot all see the last free one.
 */
export function countSubscriptions(limits: SubscriptionCountLimits): (owner: string) => Place {
  const byOwner = new Map<string, number>();
  let all = 0;
  const add = (owner: string, count: number): void => {
    all += count;
    const mine = (byOwner.get(owner) ?? 0) + count;
    if (mine > 0) byOwner.set(owner, mine);
    else byOwner.delete(owner);
  };
  return (owner) => {
    const { maxSubscriptions, maxSubscriptionsPerOwner } = limits;
    if ((byOwner.get(owner) ?? 0) >= maxSubscriptionsPerOwner)
      return { refused: limitReached("maxSubscriptionsPerOwner", maxSubscriptionsPerOwner) };
    if (all >= maxSubscriptions) return { refused: limitReached("maxSubscriptions", maxSubscriptions) };
    add(owner, 1);
    let here = true;
    return {
      leave() {
        if (here) add(owner, -1);
        here = false;
      },
    };
  };
}

/** The answer to a subscription too many. */
export function limitReached(limit: LimitName, value: number): RpcErrorBody {
  return {
    code: rpcCodes.internalError,
    message: `You have reached the limit ${limit} = ${value}. End another subscription first.`,
  };
}
