import { isResumableError, type OwnedTasks } from "@resumable-mcp/core";
import { rpcCodes } from "@resumable-mcp/protocol";
import type { Call } from "../call/call.js";
import type { Notification } from "../call/journal-message.js";
import { asRpcError, RpcError } from "../call/rpc-error.js";
import { checkTaskResource, watchTaskResource } from "../control/task-resources.js";
import { tellUpdates } from "../control/upstream.js";
import type { Upstream } from "../define-server.js";
import { limits } from "../limits.js";
import { task2025 } from "./tasks/task-2025.js";

/** What watches tasks for a client outside its requests, until its connection ends. */
export interface WatchesOptions {
  /** Sends a notification that belongs to no request. */
  readonly tell: (notification: Notification) => Promise<void>;
  /** A signal that aborts when the connection that there is now is closed. */
  readonly closed: () => AbortSignal;
  readonly onError?: ((error: unknown) => void) | undefined;
}

type ProgressToken = Call["meta"]["progressToken"];

/**
 * What one client hears of tasks outside its requests: of the resources that it subscribed to, and of new statuses of the tasks that its
 * calls became.
 *
 * Source: MCP 2025-11-25, Resources, "Subscriptions"; Tasks, "Task Status Notification".
 */
export class Watches {
  readonly #options: WatchesOptions;
  readonly #subscriptions = new Map<string, AbortController>();
  /** Unfinished tasks that calls became, and the progress token of each call: it stays valid until the task ends. */
  readonly #begun = new Map<string, { token: ProgressToken; readonly stop: AbortController }>();
  /** One listener for all: each `AbortSignal.any` would leave an entry in the signal on Node 20 until the connection ends. */
  #connection: AbortSignal | undefined;

  constructor(options: WatchesOptions) {
    this.#options = options;
  }

  /**
   * A subscription to a task that the caller does not have is refused. Those to anything else are another server's to answer, or are
   * accepted and stay silent.
   *
   * @param upstream whose resource it is, where it is none of ours.
   * @throws {@link RpcError}
   */
  async subscribe(uri: string, tasksOf: () => OwnedTasks, upstream?: Upstream): Promise<void> {
    const open = this.#subscriptions;
    if (open.has(uri)) return;
    if (open.size >= limits.maxSubscriptionsPerSession) {
      const message = `This session has reached its limit of ${limits.maxSubscriptionsPerSession} subscriptions. End another subscription first.`;
      throw new RpcError(rpcCodes.internalError, message);
    }
    const stop = new AbortController();
    open.set(uri, stop);
    try {
      const tasks = tasksOf();
      if (upstream === undefined) await checkTaskResource(tasks, uri);
      else await this.#subscribeAt(upstream, uri, tasks.owner, stop.signal);
      this.#endWithConnection();
      if (upstream === undefined) void this.#watch(uri, tasks, stop.signal);
    } catch (error) {
      open.delete(uri);
      throw asRpcError(error);
    }
  }

  async #subscribeAt(upstream: Upstream, uri: string, owner: string, signal: AbortSignal): Promise<void> {
    const { tell, onError } = this.#options;
    const updated = tellUpdates(uri, async (changed) => {
      if (signal.aborted) return;
      await tell({ method: "notifications/resources/updated", params: { uri: changed } }).catch(onError);
    });
    const subscribed = await upstream.subscribe({ owner, era: "2025", uri, signal, updated });
    if ("error" in subscribed) throw RpcError.of(subscribed.error);
    if (signal.aborted) subscribed.end();
    else signal.addEventListener("abort", subscribed.end);
  }

  unsubscribe(uri: string): void {
    this.#subscriptions.get(uri)?.abort("unsubscribed");
    this.#subscriptions.delete(uri);
  }

  /** The progress token of the call that began a task. Source: MCP 2025-11-25, Progress, "Behavior Requirements" (3). */
  tokenOf(taskId: unknown): ProgressToken {
    return this.#begun.get(String(taskId))?.token;
  }

  /** Tells of each new status of a task, once however many calls join it. */
  tellStatus(call: Call, taskId: string): void {
    const { progressToken: token } = call.meta;
    const watched = this.#begun.get(taskId);
    if (watched !== undefined) {
      watched.token = token;
      return;
    }
    const stop = new AbortController();
    this.#begun.set(taskId, { token, stop });
    this.#endWithConnection();
    this.#tellStatuses(call, taskId, stop.signal)
      .catch((error: unknown) => this.#options.onError?.(error))
      .finally(() => this.#begun.delete(taskId));
  }

  async #tellStatuses(call: Call, taskId: string, signal: AbortSignal): Promise<void> {
    let shown: unknown;
    for await (const _event of call.tasks.follow(taskId, { signal })) {
      const params = task2025(call, await call.tasks.get(taskId));
      if (signal.aborted) return;
      if (params.status === shown) continue;
      shown = params.status;
      await this.#options.tell({ method: "notifications/tasks/status", params });
    }
  }

  async #watch(uri: string, tasks: OwnedTasks, signal: AbortSignal): Promise<void> {
    const { tell, onError } = this.#options;
    const updated = async (): Promise<void> => {
      if (!signal.aborted) await tell({ method: "notifications/resources/updated", params: { uri } });
    };
    try {
      await watchTaskResource(tasks, uri, updated, signal);
    } catch (error) {
      if (!isResumableError(error, "TASK_NOT_FOUND")) onError?.(error);
    }
  }

  #endWithConnection(): void {
    const closed = this.#options.closed();
    if (closed.aborted) this.#endAll();
    else if (closed !== this.#connection) closed.addEventListener("abort", () => this.#endAll());
    this.#connection = closed;
  }

  #endAll(): void {
    for (const stop of this.#subscriptions.values()) stop.abort("closed");
    this.#subscriptions.clear();
    for (const { stop } of this.#begun.values()) stop.abort("closed");
  }
}
