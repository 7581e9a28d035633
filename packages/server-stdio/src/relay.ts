import { metaKeys, outcomeUnknown, QuestionRelay, questionId, randomToken } from "@resumable-mcp/mcp";
import {
  isRequest,
  isResponse,
  metaOf,
  type RpcId,
  type RpcMessage,
  type RpcObject,
  type RpcRequest,
} from "./json-rpc.js";
import { failed, tooMany } from "./own-answers.js";
import { PendingRequest } from "./pending-request.js";
import type { SupervisorLimits } from "./supervisor-limits.js";
import { kindsIn, type ToolKinds } from "./tool-kinds.js";

/** A message to be sent, and to whom. */
export interface Sent {
  readonly to: "host" | "server";
  readonly message: RpcMessage;
}

const gaveUp = "The server died again and again, so its supervisor gave up.";

type RelayLimits = Pick<SupervisorLimits, "maxPending" | "maxDeliveries" | "maxToolPages">;

/**
 * What a supervisor knows, and what it answers to whatever comes: no process and no stream in here.
 *
 * After the server's death `serverStarted` tells the next one all that the host told the one before: `initialize`, the
 * log level, and every request in flight that may be delivered again. Calls of tools that are neither this toolkit's
 * nor annotated as read-only or idempotent are never delivered twice: their caller is told that the outcome is unknown.
 *
 * Source: MCP, Lifecycle; Tools, "Tool Annotations".
 */
export class Relay {
  readonly #limits: RelayLimits;
  readonly #pending = new Map<RpcId, PendingRequest>();
  readonly #questions = new QuestionRelay<RpcMessage>();
  /** Requests of the server: by the id that the host knows, the server's own. */
  readonly #asked = new Map<string, RpcId>();
  readonly #nonce = randomToken(9);
  #initialize: RpcRequest | undefined;
  #initialized = false;
  #logLevel: RpcObject | undefined;
  #kinds: ToolKinds | undefined;
  /** The pages of the list of tools that were read, while it is being read. */
  #pages: readonly ToolKinds[] | undefined;
  /** The server takes requests: it was told all that it has to know. */
  #ready = true;
  #count = 0;
  #envelope: RpcObject = {};

  constructor(limits: RelayLimits) {
    this.#limits = limits;
  }

  get pendingCount(): number {
    return this.#pending.size;
  }

  fromHost(message: RpcMessage): Sent[] {
    if (isRequest(message)) return this.#request(message);
    if (isResponse(message)) return this.#answer(message);
    if (message.method === "notifications/initialized") this.#initialized = true;
    if (message.method === "notifications/cancelled") return this.#cancel(message);
    return this.#ready ? [toServer(message)] : [];
  }

  fromServer(message: RpcMessage): Sent[] {
    if (isRequest(message)) return this.#ask(message);
    if (isResponse(message)) return this.#respond(message);
    if (message.method === "notifications/cancelled") return this.#takeBack(message);
    if (message.method === "notifications/subscriptions/acknowledged") return this.#acknowledge(message);
    if (message.method === "notifications/tools/list_changed") this.#kinds = undefined;
    for (const pending of this.#pending.values()) if (pending.owns(message)) pending.saw(message);
    this.#settle(message);
    return [toHost(message)];
  }

  serverLost(): void {
    this.#ready = false;
    this.#pages = undefined;
    this.#asked.clear();
    this.#questions.reset();
  }

  serverStarted(): Sent[] {
    if (this.#initialize === undefined || this.#pending.has(this.#initialize.id)) return this.#redeliver();
    return [toServer({ ...this.#initialize, id: this.#ownId("initialize") })];
  }

  /** The server does not stay alive: everybody who waits is told so. */
  giveUp(): Sent[] {
    const answers = [...this.#pending.values()].map(({ request, tool }) => toHost(failed(request, tool, gaveUp)));
    this.#pending.clear();
    return answers;
  }

  #request(request: RpcRequest): Sent[] {
    if (this.#pending.size >= this.#limits.maxPending) return [toHost(tooMany(request, this.#limits.maxPending))];
    if (request.method === "initialize") this.#initialize = request;
    if (request.method === "logging/setLevel") this.#logLevel = request.params;
    this.#noteEnvelope(request);
    const pending = new PendingRequest(request);
    this.#pending.set(request.id, pending);
    if (!this.#ready) return [];
    const sent = toServer(pending.deliver());
    return pending.tool === undefined || this.#kinds !== undefined ? [sent] : [sent, ...this.#askKinds()];
  }

  /** In the era without sessions every request says which version it speaks: ours have to say the same. */
  #noteEnvelope(request: RpcRequest): void {
    const keys = Object.entries(metaOf(request)).filter(([key]) => key.startsWith("io.modelcontextprotocol/"));
    if (keys.length > 0) this.#envelope = Object.fromEntries(keys);
  }

  #askKinds(): Sent[] {
    if (this.#pages !== undefined) return [];
    this.#pages = [];
    return [this.#askPage({})];
  }

  #askPage(place: { readonly cursor?: string }): Sent {
    const params = Object.keys(this.#envelope).length > 0 ? { ...place, _meta: this.#envelope } : place;
    return toServer({ jsonrpc: "2.0", id: this.#ownId("tools"), method: "tools/list", params });
  }

  #answer(response: RpcMessage & { readonly id: RpcId }): Sent[] {
    const wireId = String(response.id);
    const innerId = this.#asked.get(wireId);
    if (innerId !== undefined) {
      this.#asked.delete(wireId);
      return [toServer({ ...response, id: innerId })];
    }
    if (!wireId.startsWith("ask:")) return [];
    return this.#questions.answer(wireId, response).map((id) => toServer({ ...response, id }));
  }

  #cancel(notification: RpcMessage): Sent[] {
    const id = notification.params?.requestId;
    if (typeof id === "string" || typeof id === "number") this.#pending.delete(id);
    return this.#ready ? [toServer(notification)] : [];
  }

  #ask(request: RpcRequest): Sent[] {
    const { [metaKeys.taskId]: taskId, [metaKeys.question]: key } = metaOf(request);
    if (typeof taskId !== "string" || typeof key !== "string") {
      const wireId = `srv_${this.#nonce}_${++this.#count}`;
      this.#asked.set(wireId, request.id);
      return [toHost({ ...request, id: wireId })];
    }
    const wireId = questionId(taskId, key);
    const relayed = this.#questions.ask(wireId, request.id, false);
    if (relayed.kind === "show") return [toHost({ ...request, id: wireId })];
    return relayed.kind === "answered" ? [toServer({ ...relayed.message, id: request.id })] : [];
  }

  /** A subscription goes on in the next server; its host subscribed once. Source: MCP 2026-07-28, "Subscriptions". */
  #acknowledge(notification: RpcMessage): Sent[] {
    const id = metaOf(notification)["io.modelcontextprotocol/subscriptionId"];
    const pending = typeof id === "string" || typeof id === "number" ? this.#pending.get(id) : undefined;
    if (pending?.acknowledged === true) return [];
    if (pending !== undefined) pending.acknowledged = true;
    return [toHost(notification)];
  }

  #takeBack(notification: RpcMessage): Sent[] {
    const innerId = notification.params?.requestId;
    if (typeof innerId !== "string" && typeof innerId !== "number") return [];
    const plain = [...this.#asked].find(([, id]) => id === innerId)?.[0];
    const wireId = this.#questions.withdraw(innerId) ?? plain;
    if (wireId === undefined) return [];
    this.#questions.forget(wireId);
    this.#asked.delete(wireId);
    return [toHost({ ...notification, params: { ...notification.params, requestId: wireId } })];
  }

  #respond(response: RpcMessage & { readonly id: RpcId }): Sent[] {
    const own = this.#ownKind(response.id);
    if (own === "initialize") return this.#reinitialized();
    if (own === "tools") return this.#learnKinds(response);
    if (own !== undefined) return [];
    this.#settle(response);
    return this.#pending.delete(response.id) ? [toHost(response)] : [];
  }

  /** Whatever tells of a task tells that it has gone on. */
  #settle(message: RpcMessage): void {
    const { [metaKeys.taskId]: taskId } = metaOf(message);
    if (typeof taskId === "string") this.#questions.settle(taskId);
  }

  #reinitialized(): Sent[] {
    const sent: Sent[] = [];
    if (this.#initialized) sent.push(toServer({ jsonrpc: "2.0", method: "notifications/initialized" }));
    if (this.#logLevel !== undefined) {
      const id = this.#ownId("level");
      sent.push(toServer({ jsonrpc: "2.0", id, method: "logging/setLevel", params: this.#logLevel }));
    }
    return [...sent, ...this.#redeliver()];
  }

  /** Source: MCP, Tools, "Listing Tools"; Utilities, "Pagination". */
  #learnKinds({ result }: RpcMessage): Sent[] {
    const pages = [...(this.#pages ?? []), kindsIn(result?.tools)];
    const cursor = result?.nextCursor;
    if (typeof cursor === "string" && pages.length < this.#limits.maxToolPages) {
      this.#pages = pages;
      return [this.#askPage({ cursor })];
    }
    this.#kinds = new Map(pages.flatMap((page) => [...page]));
    this.#pages = undefined;
    return this.#ready ? [] : this.#redeliver();
  }

  /** Every request in flight goes to the new server, or is answered because it must not. */
  #redeliver(): Sent[] {
    const calls = [...this.#pending.values()].filter(({ tool, delivered }) => tool !== undefined && delivered);
    // What may be delivered again has to be known before.
    if (calls.length > 0 && this.#kinds === undefined) return this.#askKinds();
    this.#ready = true;
    return [...this.#pending.values()].map((pending) => {
      const refused = this.#refused(pending);
      if (refused === undefined) return toServer(pending.deliver());
      this.#pending.delete(pending.request.id);
      return toHost(refused);
    });
  }

  /** The answer to a request that no server is given again. A call with a task is: the task counts its own deaths. */
  #refused({ tool, delivered, deliveries, onlyWaits, request }: PendingRequest): RpcMessage | undefined {
    const kind = tool === undefined ? undefined : (this.#kinds?.get(tool) ?? "once");
    if (tool !== undefined && delivered && kind === "once")
      return { jsonrpc: "2.0", id: request.id, result: { ...outcomeUnknown(tool) } };
    const { maxDeliveries } = this.#limits;
    if (kind === "journal" || onlyWaits || deliveries < maxDeliveries) return undefined;
    return failed(
      request,
      tool,
      `${maxDeliveries} servers died while they had this request, so none is given it again.`,
    );
  }

  #ownId(kind: "initialize" | "tools" | "level"): string {
    return `own_${this.#nonce}_${++this.#count}_${kind}`;
  }

  #ownKind(id: RpcId): string | undefined {
    return typeof id === "string" && id.startsWith(`own_${this.#nonce}_`) ? id.split("_").at(-1) : undefined;
  }
}

function toHost(message: RpcMessage): Sent {
  return { to: "host", message };
}

function toServer(message: RpcMessage): Sent {
  return { to: "server", message };
}
