import { ConnectionClient, randomToken, type ToolKinds } from "@resumable-mcp/mcp/stdio";
import { metaKeys } from "@resumable-mcp/protocol";
import { type RpcMessage, type RpcRequest, readMeta, withMeta } from "../wire/json-rpc.js";

/** A request of the host that has no answer yet. */
export class PendingRequest {
  /** The host has received the acknowledgement of its subscription, which it receives once. */
  acknowledged = false;
  /** Of a call: the same in every delivery, so that the server finds the same task. */
  #callId = "";
  readonly #acceptedMs = Date.now();
  #taskId: string | undefined;
  #seenSeq = 0;
  #shownProgress: number | undefined;
  /** With which the host received progress: it stays the same in the next server. */
  #token: unknown;
  /** As every delivery has it: with the client of its arrival, when that is known. */
  request: RpcRequest;
  attributed = false;
  deliveries = 0;

  constructor(request: RpcRequest) {
    this.request = request;
  }

  /** It waits for a task or its events, so that no server dies of it. */
  get onlyWaits(): boolean {
    return ["tasks/result", "subscriptions/listen"].includes(this.request.method);
  }

  get tool(): string | undefined {
    const name = this.request.method === "tools/call" ? this.request.params?.name : undefined;
    return typeof name === "string" ? name : undefined;
  }

  /** Tells whether a notification of the server belongs to this request. */
  owns(notification: RpcMessage): boolean {
    const token = this.#token ?? readMeta(this.request).progressToken;
    if (notification.method === "notifications/progress") {
      return token !== undefined && notification.params?.progressToken === token;
    }
    return readMeta(notification)[metaKeys.taskId] === (this.#taskId ?? this.#callId);
  }

  /** Tells whether progress is of the task whose result it asks for: it comes with the token of the call that began the task. */
  asksFor(progress: RpcMessage): boolean {
    const { [metaKeys.taskId]: taskId } = readMeta(progress);
    return this.request.method === "tasks/result" && taskId !== undefined && taskId === this.request.params?.taskId;
  }

  /**
   * Notes the last event that the host receives. False for progress that it must not receive: a repeated call counts again from the
   * beginning, and what the host sees has to rise. Source: MCP, Utilities, "Progress".
   */
  saw(notification: RpcMessage): boolean {
    const { [metaKeys.seq]: seq, [metaKeys.taskId]: taskId } = readMeta(notification);
    if (typeof seq === "number") this.#seenSeq = Math.max(this.#seenSeq, seq);
    if (typeof taskId === "string") this.#taskId = taskId;
    const { progress } = notification.params ?? {};
    if (notification.method !== "notifications/progress" || typeof progress !== "number") return true;
    if (this.deliveries > 1 && this.#shownProgress !== undefined && progress <= this.#shownProgress) return false;
    this.#shownProgress = progress;
    this.#token = notification.params?.progressToken;
    return true;
  }

  /** The request as it goes to the server now. */
  deliver(): RpcRequest {
    this.deliveries += 1;
    const seen = { [metaKeys.afterSeq]: this.#seenSeq, [metaKeys.shownProgress]: this.#shownProgress };
    const own = { ...(this.deliveries > 1 && this.#seenSeq > 0 && seen), [metaKeys.tellsDelivery]: true };
    if (["tasks/result", "tasks/get"].includes(this.request.method)) {
      const token = this.#token === undefined ? {} : { progressToken: this.#token };
      return withMeta(this.request, { ...own, ...token });
    }
    if (this.tool === undefined) return this.request;
    this.#callId ||= randomToken(22);
    const task = this.#taskId === undefined || this.#taskId === this.#callId ? {} : { [metaKeys.taskId]: this.#taskId };
    return withMeta(this.request, {
      [metaKeys.callId]: this.#callId,
      [metaKeys.redelivered]: this.deliveries > 1,
      [metaKeys.acceptedMs]: this.#acceptedMs,
      ...own,
      ...task,
    });
  }
}

/**
 * Attributes the host's requests to their clients in the order of arrival. A call whose client depends on its tool
 * waits until the tools are known, and every request behind it does.
 */
export class Arrivals {
  readonly #client = new ConnectionClient();
  #waiting = false;

  /** Some request waits until the tools are known. */
  get waiting(): boolean {
    return this.#waiting;
  }

  /** Attributes what can be; gives it in the order of arrival. */
  attribute(pending: Iterable<PendingRequest>, kinds: ToolKinds | undefined): PendingRequest[] {
    const attributed: PendingRequest[] = [];
    this.#waiting = false;
    for (const one of pending) {
      if (one.attributed) continue;
      this.#waiting = kinds === undefined && this.#client.needsTools(one.request);
      if (this.#waiting) break;
      const takesArgument = one.tool !== undefined && kinds?.get(one.tool)?.clientArgument !== undefined;
      one.request = this.#client.attribute(one.request, takesArgument);
      one.attributed = true;
      attributed.push(one);
    }
    return attributed;
  }
}
