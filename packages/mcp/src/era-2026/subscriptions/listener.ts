import type { ServerEvent, ServerEventBus, ServerNotifier } from "@modelcontextprotocol/server";
import { type Engine, isJsonObject, type JsonObject, type OwnedTasks } from "@resumable-mcp/core";
import { envelopeKeys, rpcCodes, toText } from "@resumable-mcp/protocol";
import { parseCallMeta } from "../../call/call.js";
import { asRpcError, RpcError, type RpcErrorBody } from "../../call/rpc-error.js";
import type { Upstream } from "../../define-server.js";
import { limits2026 } from "../../limits.js";
import { tasksOfCaller, whenEnded } from "../../owner/owner.js";
import { tasksWithin } from "../../owner/scopes.js";
import {
  type CallOptions2026,
  callerFor,
  clientFacts,
  missingTasksExtension,
  type Request2026,
  rightsFor,
} from "../call-2026.js";
import { resultOnWire } from "../discovery.js";
import { honoured, type ListenFilter, parseListenFilter, texts, type WatchedPart } from "./listen-request.js";
import { type PassedResources, passResources } from "./passed-resources.js";
import { ownPart, watchTasks } from "./task-watch.js";

/** What subscriptions of one endpoint, or of one connection, are served with. */
export interface ListenerOptions extends Pick<CallOptions2026, "singleUser"> {
  readonly engine: Engine;
  readonly server?: { readonly name: string; readonly version: string } | undefined;
  /** What the server tells of. Default: not known. */
  readonly capabilities?: (() => JsonObject) | undefined;
  readonly bus?: ServerEventBus | undefined;
  /** The server whose resources pass through. */
  readonly upstream?: Upstream | undefined;
  /** Subscriptions that are open at once. Default 8192. */
  readonly maxSubscriptions?: number | undefined;
  /** The same, of one owner. Default 128. */
  readonly maxSubscriptionsPerOwner?: number | undefined;
  readonly onError?: ((error: unknown) => void) | undefined;
}

/** Where the messages of one subscription go. */
export interface ListenSink {
  /** Sends one message; resolves when there is room for the next. */
  send(message: JsonObject): Promise<void>;
  /** Nothing will follow. */
  end(): void;
}

/**
 * Serves `subscriptions/listen`: tells of tasks, and of what the server's code says that changed.
 *
 * Limits: `maxSubscriptions`, `maxSubscriptionsPerOwner`. Source: MCP 2026-07-28, Utilities, "Subscriptions"; SEP-2663.
 */
export class Listener {
  readonly #options: ListenerOptions;
  readonly #takePlace: (owner: string) => Place;
  readonly #open = new Set<() => void>();

  constructor(options: ListenerOptions) {
    const { maxSubscriptions = limits2026.maxSubscriptions } = options;
    const { maxSubscriptionsPerOwner = limits2026.maxSubscriptionsPerOwner } = options;
    this.#options = options;
    this.#takePlace = countSubscriptions({ maxSubscriptions, maxSubscriptionsPerOwner });
  }

  /** Begins to tell, until the request is cancelled, its token counts no more or this is closed. @throws {@link RpcError} */
  async listen(request: Request2026, params: JsonObject, sink: ListenSink): Promise<void> {
    const filter = parseListenFilter(params);
    const own = this.#tasksOf(request);
    const place = this.#takePlace(own instanceof RpcError ? "" : own.owner);
    if ("refused" in place) throw RpcError.of(place.refused);
    let { leave } = place;
    try {
      const watched = await this.#watchedPart(filter, request, own);
      const passed = await this.#passedPart(filter, own);
      leave = () => {
        passed?.end();
        place.leave();
      };
      this.#begin(filter, request, own, { ...watched, passed }, sink, leave);
    } catch (error) {
      leave();
      throw asRpcError(error);
    }
  }

  /** Ends all subscriptions with a result. */
  close(): void {
    for (const end of [...this.#open]) end();
  }

  /** A caller that cannot be identified may listen, but not to tasks. */
  #tasksOf(request: Request2026): OwnedTasks | RpcError {
    const { engine } = this.#options;
    try {
      const { clientId } = parseCallMeta(request.meta, false);
      const tasks = tasksOfCaller(engine, callerFor(this.#options, request, clientId));
      return tasksWithin(engine, tasks, rightsFor(this.#options, request));
    } catch (error) {
      return asRpcError(error);
    }
  }

  async #watchedPart(filter: ListenFilter, { meta }: Request2026, own: OwnedTasks | RpcError): Promise<WatchedPart> {
    if (!filter.namesTasks) return { taskIds: undefined, resources: [], refused: [] };
    if (filter.taskIds !== undefined && !clientFacts(meta).tasks) throw RpcError.of(missingTasksExtension);
    if (own instanceof RpcError) throw own;
    return ownPart(own, filter);
  }

  async #passedPart(
    { others, resources }: ListenFilter,
    own: OwnedTasks | RpcError,
  ): Promise<PassedResources | undefined> {
    const { upstream } = this.#options;
    const uris = texts(others.resourceSubscriptions).filter((uri) => !resources.includes(uri));
    const owner = own instanceof RpcError ? undefined : own.owner;
    return upstream === undefined || uris.length === 0 ? undefined : passResources(upstream, owner, uris);
  }

  #begin(
    filter: ListenFilter,
    { id: subscriptionId, ending, http }: Request2026,
    tasks: OwnedTasks | RpcError,
    { passed, ...watched }: WatchedPart & { readonly passed: PassedResources | undefined },
    sink: ListenSink,
    leave: () => void,
  ): void {
    const { engine, capabilities, bus, onError, server } = this.#options;
    const stop = new AbortController();
    const _meta = { [envelopeKeys.subscriptionId]: subscriptionId };
    const report = (error: unknown): void => onError?.(error);
    const send = async (message: JsonObject): Promise<void> => {
      if (!stop.signal.aborted) await sink.send({ jsonrpc: "2.0", ...message });
    };
    const tell = (method: string, params: JsonObject) => send({ method, params: { ...params, _meta } });
    const finish = (): void => {
      const result = resultOnWire("subscriptions/listen", { _meta }, server);
      send({ id: subscriptionId, result }).catch(report);
      end();
    };
    const stops: (() => void)[] = [];
    const end = (): void => {
      if (stop.signal.aborted) return;
      stop.abort("ended");
      this.#open.delete(finish);
      for (const undo of stops) undo();
      leave();
      sink.end();
    };
    const refused = [...watched.refused, ...(passed?.refused ?? [])];
    const heard = honoured(filter, { ...watched, refused }, capabilities?.());
    // It is sent first, and nothing that changes from now on is missed.
    const acknowledged = tell("notifications/subscriptions/acknowledged", { notifications: heard });
    // A stream that is not read yet may have no room for it, and is read only when this returns.
    acknowledged
      .then(() => {
        if (tasks instanceof RpcError || stop.signal.aborted) return;
        watchTasks({ ...watched, engine, tasks, subscriptionId, signal: stop.signal, send, onError });
      })
      .catch(report);
    if (Object.keys(heard).length === 0 || ending.reason !== undefined) {
      finish();
      return;
    }
    stops.push(ending.whenEnded(end));
    this.#open.add(finish);
    stops.push(whenEnded(http?.authInfo, finish));
    const hear = (event: ServerEvent) => {
      const notification = notificationOf(event, heard);
      if (notification !== undefined) tell(...notification).catch(report);
    };
    if (bus !== undefined) stops.push(bus.subscribe(hear));
    passed?.begin((uri) => tell("notifications/resources/updated", { uri }).catch(report));
  }
}

/** What a server's code says by what changed. */
export function makeNotifier(bus: ServerEventBus): ServerNotifier {
  return {
    toolsChanged: () => bus.publish({ kind: "tools_list_changed" }),
    promptsChanged: () => bus.publish({ kind: "prompts_list_changed" }),
    resourcesChanged: () => bus.publish({ kind: "resources_list_changed" }),
    resourceUpdated: (uri) => bus.publish({ kind: "resource_updated", uri }),
  };
}

/** The change that a server's own notification tells of; `undefined` where it tells of something else. */
export function changeIn({ method, params }: JsonObject): ServerEvent | undefined {
  switch (method) {
    case "notifications/tools/list_changed":
      return { kind: "tools_list_changed" };
    case "notifications/prompts/list_changed":
      return { kind: "prompts_list_changed" };
    case "notifications/resources/list_changed":
      return { kind: "resources_list_changed" };
    case "notifications/resources/updated":
      return { kind: "resource_updated", uri: toText(isJsonObject(params) ? params.uri : "") };
    default:
      return undefined;
  }
}

/** What a subscription says of a change; `undefined` when it did not ask for it. */
function notificationOf(event: ServerEvent, heard: JsonObject): [method: string, params: JsonObject] | undefined {
  switch (event.kind) {
    case "tools_list_changed":
      return heard.toolsListChanged === true ? ["notifications/tools/list_changed", {}] : undefined;
    case "prompts_list_changed":
      return heard.promptsListChanged === true ? ["notifications/prompts/list_changed", {}] : undefined;
    case "resources_list_changed":
      return heard.resourcesListChanged === true ? ["notifications/resources/list_changed", {}] : undefined;
    case "resource_updated": {
      const { resourceSubscriptions: uris } = heard;
      const { uri } = event;
      return Array.isArray(uris) && uris.includes(uri) ? ["notifications/resources/updated", { uri }] : undefined;
    }
  }
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
function limitReached(limit: LimitName, value: number): RpcErrorBody {
  return {
    code: rpcCodes.internalError,
    message: `You have reached the limit ${limit} = ${value}. End another subscription first.`,
  };
}
