import { outcomeUnknown, QuestionRelay, randomToken } from "@resumable-mcp/mcp/stdio";
import { envelopeKeys, metaKeys, questionId, type RpcId, readRpcId } from "@resumable-mcp/protocol";
import type { SupervisorLimits } from "../limits.js";
import { isRequest, isResponse, type RpcMessage, type RpcObject, type RpcRequest, readMeta } from "../wire/json-rpc.js";
import { type CarriedResult, carriedResult, DeliveryReports } from "./delivery-reports.js";
import { Arrivals, PendingRequest } from "./in-flight-request.js";
import { failed, idInUse, tooMany } from "./refusals.js";
import { ToolList } from "./tool-list.js";

/** A message to be sent, and to whom. */
export interface Sent {
  readonly to: "host" | "server";
  readonly message: RpcMessage;
  /** A task's result: `hostGot` wants to know that the host was written it. */
  readonly carries?: CarriedResult;
}

type RelayLimits = Pick<SupervisorLimits, "maxPending" | "maxDeliveries" | "maxToolPages">;

/**
 * What a supervisor knows, and what it answers to whatever comes: no process and no stream in here.
 *
 * After the server's death `serverStarted` repeats for the next one what the host sent to the one before: `initialize`,
 * the log level, and every request in flight that may be delivered again. Calls of tools that are neither this toolkit's
 * nor annotated as read-only or idempotent are never delivered twice: their caller learns that the outcome is unknown.
 *
 * Source: MCP, Lifecycle; Tools, "Tool Annotations".
 */
export class Relay {
  readonly #limits: RelayLimits;
  readonly #pending = new Map<RpcId, PendingRequest>();
  readonly #arrivals = new Arrivals();
  readonly #questions = new QuestionRelay<RpcMessage>();
  /** Requests of the server: by the id that the host knows, the server's own. */
  readonly #asked = new Map<string, RpcId>();
  #ownNonce: string | undefined;
  readonly #reports: DeliveryReports;
  readonly #tools: ToolList;
  #initialize: RpcRequest | undefined;
  #initialized = false;
  #logLevel: RpcObject | undefined;
  /** The server takes requests: it has received all that it has to know. */
  #ready = true;
  #count = 0;

  /** @param nowMs monotonic milliseconds. */
  constructor(limits: RelayLimits, nowMs: () => number = () => performance.now()) {
    this.#limits = limits;
    this.#reports = new DeliveryReports(limits.maxPending, () => this.#ownId("delivery"), nowMs);
    this.#tools = new ToolList(limits.maxToolPages, () => this.#ownId("tools"));
  }

  get pendingCount(): number {
    return this.#pending.size;
  }

  /** Requests of the host wait for the list of tools of the server that runs. */
  get waitsForTools(): boolean {
    return this.#ready && this.#arrivals.waiting;
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
    if (message.method === "notifications/tools/list_changed") this.#tools.forget();
    this.#noteAnswersWritten(message);
    const all = [...this.#pending.values()];
    const named = all.filter((pending) => pending.owns(message));
    const owners = named.length > 0 ? named : all.filter((pending) => pending.asksFor(message));
    return owners.map((pending) => pending.saw(message)).includes(false) ? [] : [toHost(message)];
  }

  /** A result was written to the host: the server, or the next one, receives a report of the delivery. */
  hostGot(result: CarriedResult): Sent[] {
    return this.#toReadyServer(this.#reports.written(result));
  }

  serverLost(): void {
    this.#ready = false;
    this.#tools.stop();
    this.#asked.clear();
    this.#questions.reset();
  }

  serverStarted(): Sent[] {
    if (this.#initialize === undefined || this.#pending.has(this.#initialize.id)) return this.#redeliver();
    return [toServer({ ...this.#initialize, id: this.#ownId("initialize") })];
  }

  /** The server does not list its tools in time: for the calls that wait for them, no tool takes `client_id`. */
  toolsLate(): Sent[] {
    return this.#ready ? this.#enter(this.#tools.kinds ?? new Map()) : [];
  }

  /** No server is started any more: every request in flight is answered with an error that says why. */
  giveUp(why: string): Sent[] {
    const answers = [...this.#pending.values()].map(({ request, tool }) => toHost(failed(request, tool, why)));
    this.#pending.clear();
    return answers;
  }

  #request(request: RpcRequest): Sent[] {
    if (this.#pending.size >= this.#limits.maxPending) return [toHost(tooMany(request, this.#limits.maxPending))];
    if (this.#pending.has(request.id)) return [toHost(idInUse(request))];
    if (request.method === "initialize") this.#initialize = request;
    if (request.method === "logging/setLevel") this.#logLevel = request.params;
    this.#tools.noteEnvelope(request);
    const pending = new PendingRequest(request);
    this.#pending.set(request.id, pending);
    const sent = this.#enter();
    return !this.#ready || pending.tool === undefined || this.#tools.kinds !== undefined
      ? sent
      : [...sent, ...this.#tools.ask().map(toServer)];
  }

  /** Delivers the requests whose client is known now; those that come while no server runs are delivered to the next. */
  #enter(kinds = this.#tools.kinds): Sent[] {
    const entered = this.#arrivals.attribute(this.#pending.values(), kinds);
    return this.#ready ? entered.map((pending) => toServer(pending.deliver())) : [];
  }

  #answer(response: RpcMessage & { readonly id: RpcId }): Sent[] {
    // Of a response nothing was checked before, and an object may be without a text.
    const id = readRpcId(response.id);
    if (id === null) return [];
    const wireId = String(id);
    const innerId = this.#asked.get(wireId);
    if (innerId !== undefined) {
      this.#asked.delete(wireId);
      return [toServer({ ...response, id: innerId })];
    }
    if (!wireId.startsWith("ask:")) return [];
    return this.#questions.answer(wireId, response).map((id) => toServer({ ...response, id }));
  }

  #cancel(notification: RpcMessage): Sent[] {
    const id = readRpcId(notification.params?.requestId);
    const report = id === null || this.#pending.delete(id) ? undefined : this.#reports.cancelled(id);
    return [...this.#toReadyServer(notification), ...this.#toReadyServer(report), ...this.#enter()];
  }

  #ask(request: RpcRequest): Sent[] {
    const { [metaKeys.taskId]: taskId, [metaKeys.question]: key } = readMeta(request);
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

  /** A subscription continues in the next server; its host subscribed once. Source: MCP 2026-07-28, "Subscriptions". */
  #acknowledge(notification: RpcMessage): Sent[] {
    const id = readRpcId(readMeta(notification)[envelopeKeys.subscriptionId]);
    const pending = id === null ? undefined : this.#pending.get(id);
    if (pending?.acknowledged === true) return [];
    if (pending !== undefined) pending.acknowledged = true;
    return [toHost(notification)];
  }

  #takeBack(notification: RpcMessage): Sent[] {
    const innerId = readRpcId(notification.params?.requestId);
    if (innerId === null) return [];
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
    if (own === "tools") return this.#learnTools(response);
    if (own === "delivery") this.#reports.answered(response.id);
    if (own !== undefined) return [];
    this.#noteAnswersWritten(response);
    if (!this.#pending.delete(response.id)) return [];
    const carries = carriedResult(response);
    if (carries === undefined) return [toHost(response)];
    this.#reports.sending(carries);
    return [{ ...toHost(response), carries }];
  }

  /** A message about a task shows that the task has written the answers to its questions. */
  #noteAnswersWritten(message: RpcMessage): void {
    const { [metaKeys.taskId]: taskId } = readMeta(message);
    if (typeof taskId === "string") this.#questions.answersWritten(taskId);
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

  #learnTools(answer: RpcMessage): Sent[] {
    const next = this.#tools.learn(answer);
    if (next !== undefined) return [toServer(next)];
    return this.#ready ? this.#enter() : this.#redeliver();
  }

  /** Every request in flight goes to the new server, or is answered because it must not. */
  #redeliver(): Sent[] {
    this.#arrivals.attribute(this.#pending.values(), this.#tools.kinds);
    const calls = [...this.#pending.values()].filter(({ tool, deliveries }) => tool !== undefined && deliveries > 0);
    // What may be delivered again has to be known before, and whose the requests are.
    if (this.#tools.kinds === undefined && (calls.length > 0 || this.#arrivals.waiting))
      return this.#tools.ask().map(toServer);
    this.#ready = true;
    const again = [...this.#pending.values()].map((pending) => {
      const refused = this.#refused(pending);
      if (refused === undefined) return toServer(pending.deliver());
      this.#pending.delete(pending.request.id);
      return toHost(refused);
    });
    return [...this.#reports.unanswered().map(toServer), ...again];
  }

  /** The answer to a request that no server is given again. A call with a task is: the task counts its own deaths. */
  #refused({ tool, deliveries, onlyWaits, request }: PendingRequest): RpcMessage | undefined {
    const kind = tool === undefined ? undefined : (this.#tools.kinds?.get(tool)?.kind ?? "once");
    if (tool !== undefined && deliveries > 0 && kind === "once")
      return { jsonrpc: "2.0", id: request.id, result: { ...outcomeUnknown(tool) } };
    const { maxDeliveries } = this.#limits;
    if (kind === "journal" || onlyWaits || deliveries < maxDeliveries) return undefined;
    return failed(request, tool, `${maxDeliveries} servers died while they ran this request, so it is not sent again.`);
  }

  #toReadyServer(message: RpcMessage | undefined): Sent[] {
    return this.#ready && message !== undefined ? [toServer(message)] : [];
  }

  /** Made late: the first random token takes as long as all that a supervisor does until the first answer. */
  get #nonce(): string {
    this.#ownNonce ??= randomToken(9);
    return this.#ownNonce;
  }

  #ownId(kind: "initialize" | "tools" | "level" | "delivery"): string {
    return `own_${this.#nonce}_${++this.#count}_${kind}`;
  }

  #ownKind(id: RpcId): string | undefined {
    if (typeof id !== "string" || !id.startsWith("own_")) return undefined;
    return id.startsWith(`own_${this.#nonce}_`) ? id.split("_").at(-1) : undefined;
  }
}

function toHost(message: RpcMessage): Sent {
  return { to: "host", message };
}

function toServer(message: RpcMessage): Sent {
  return { to: "server", message };
}
