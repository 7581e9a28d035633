import type { Engine } from "@resumable-mcp/core";
import type { Repeatable } from "@resumable-mcp/protocol";
import { toText } from "@resumable-mcp/protocol";
import { LateCancellations } from "../../../call/late-cancellations.js";
import type { SessionLimits } from "../../../limits.js";
import { randomToken } from "../../../owner/random-token.js";
import type { CallerRights } from "../../../owner/scopes.js";
import type { JSONRPCRequest, RequestId } from "../../../sdk-2025.js";
import { bareName, type Cursor, callOfStream, nameStream, parseStreamName, type StreamFacts } from "../event-id.js";
import { callerParams, type SessionDocument, withCancelled, withToken } from "../session-document.js";
import { InFlightRequest } from "../session-stream.js";
import { callParamsKind, keepParams, readParams } from "./call-params.js";

/**
 * The calls of one session: those in memory, and those whose streams other processes named, where their client comes back to them.
 *
 * Durability: a stream has its name once its task is durable, and the name says all that another process has to know.
 */
export class InFlightCalls {
  readonly #document: SessionDocument;
  readonly #engine: Engine;
  readonly #limits: SessionLimits;
  readonly #late: LateCancellations;
  readonly #inFlight = new Map<string, InFlightRequest>();
  /** Cancelled calls of this process, oldest first. */
  #cancelled: readonly string[] = [];

  constructor(document: SessionDocument, engine: Engine, limits: SessionLimits) {
    this.#document = document;
    this.#engine = engine;
    this.#limits = limits;
    this.#late = new LateCancellations(document.value.local === true ? "local" : "remote");
  }

  /** Whether this process delivers as many calls as a session may have. */
  get isFull(): boolean {
    return this.#active().filter(({ isCall }) => isCall).length >= this.#limits.maxOpenCalls;
  }

  /** Requests that are no calls and not answered yet. */
  get requestCount(): number {
    return this.#active().filter(({ isCall }) => !isCall).length;
  }

  /** Whether something is carried out, and not answered yet. */
  get delivering(): boolean {
    return [...this.#inFlight.values()].some(({ running }) => running !== undefined);
  }

  #active(): readonly InFlightRequest[] {
    return [...this.#inFlight.values()].filter(({ active }) => active);
  }

  /** Makes the in-flight request of a request, which is not known here until it is added. */
  create(request: JSONRPCRequest, kind: Repeatable, acceptedMs = Date.now()): InFlightRequest {
    const callId = randomToken(22);
    const nameNow = (): string => this.#nameOf(inFlight) ?? bareName(inFlight.kind, callId);
    const inFlight = new InFlightRequest(callId, request, kind, this.#limits, { nameNow, acceptedMs });
    return inFlight;
  }

  /** The name that the stream of a call has, when the call makes a task of its own. */
  expectedName(inFlight: InFlightRequest): string {
    const { callId, kind, request, acceptedMs, sessionClientId } = inFlight;
    const known = { callId, kind, request, acceptedMs, sessionClientId, taskId: callId };
    return this.#nameOf(known) ?? bareName(kind, callId);
  }

  #nameOf({
    callId,
    kind,
    request,
    taskId,
    acceptedMs,
    sessionClientId: clientId,
  }: Pick<InFlightRequest, "callId" | "kind" | "request" | "taskId" | "acceptedMs" | "sessionClientId">):
    | string
    | undefined {
    const { id: requestId, method, params } = request;
    const tool = method === "tools/call" ? toText(params?.name) : undefined;
    const known = kind === "once" ? undefined : kind === "again" ? { ...params } : callerParams(params);
    const facts: StreamFacts = {
      acceptedMs,
      kind,
      requestId,
      method,
      tool,
      taskId,
      clientId,
      params: known as StreamFacts["params"],
    };
    const name = nameStream(this.#document.value.key, callId, facts);
    return name ?? nameStream(this.#document.value.key, callId, { ...facts, params: undefined });
  }

  /** Names the stream of a request that has no task. Durability: what it runs again with can be read when this resolves. */
  async name(inFlight: InFlightRequest): Promise<void> {
    const { callId, request } = inFlight;
    inFlight.begin();
    if (!this.#hasParamsApart(inFlight) || inFlight.finished) return;
    await keepParams(this.#engine.documents, callId, this.#document.owner, request.params);
    if (inFlight.finished || this.wasCancelled(inFlight.name)) this.#dropParams(inFlight);
  }

  /** Whether a request is delivered here that shows what happens to a task. */
  follows(taskId: string): boolean {
    return this.#active().some((inFlight) => inFlight.taskId === taskId);
  }

  /** Notes the task that a call became. Durability: as of `change`. */
  async noteToken({ request: { params } }: InFlightRequest, taskId: string): Promise<void> {
    const token = params?.task === undefined ? undefined : params._meta?.progressToken;
    if (token !== undefined) await this.#document.change((facts) => withToken(facts, taskId, token));
  }

  /** The progress token of the call that began the task of a request for its result, where the session keeps it. */
  firstToken({ method, params }: JSONRPCRequest): RequestId | undefined {
    if (method !== "tasks/result") return undefined;
    return this.#document.value.tokens?.findLast(([taskId]) => taskId === params?.taskId)?.[1];
  }

  add(inFlight: InFlightRequest): InFlightRequest {
    this.#inFlight.set(inFlight.callId, inFlight);
    return inFlight;
  }

  /** Whether a request is neither cancelled nor forgotten. */
  has(inFlight: InFlightRequest): boolean {
    return this.#inFlight.get(inFlight.callId) === inFlight;
  }

  /** Finds the call of a stream, in memory or as its name says. One that its client gave up meanwhile is stopped. */
  async find({ stream, place }: Cursor): Promise<InFlightRequest | undefined> {
    const callId = callOfStream(stream);
    const here = () => this.#inFlight.get(callId);
    const facts = parseStreamName(this.#document.value.key, stream);
    if (here() !== undefined || facts === undefined || facts.kind === "once" || this.wasCancelled(stream))
      return here();
    await this.#document.refresh();
    if (this.#isCancelled(facts)) {
      this.#noteCancelled(callId);
      await this.#stopTask(facts.taskId);
      return undefined;
    }
    const params = facts.params ?? (await readParams(this.#engine.documents, callId, this.#document.owner));
    const { taskId, kind, acceptedMs } = facts;
    // What its name says of its input is another input: it finds the call's task, and must not make one.
    const isThere = kind === "again" || (taskId !== undefined && (await this.#engine.readTask(taskId)) !== undefined);
    if (params === undefined || !isThere) return here();
    const request: JSONRPCRequest = { jsonrpc: "2.0", id: facts.requestId, method: facts.method, params };
    const given = { name: stream, place: kind === "again" ? place : 0, acceptedMs };
    const inFlight = new InFlightRequest(callId, request, kind, this.#limits, given);
    inFlight.taskId = taskId;
    inFlight.sessionClientId = facts.clientId;
    return here() ?? this.add(inFlight);
  }

  /**
   * Finds the unfinished in-flight request of a request. A restarted client may use an id a second time: the newest request
   * has it.
   */
  findRequest(requestId: unknown): InFlightRequest | undefined {
    return [...this.#inFlight.values()].findLast(({ request, finished }) => request.id === requestId && !finished);
  }

  /** Tells whether a stream is that of a call which its client cancelled in this process. */
  wasCancelled(stream: string): boolean {
    return this.#cancelled.includes(callOfStream(stream));
  }

  /** Notes that the client cancelled a call: nothing of it is delivered from now on, and no other process continues it. */
  async cancel(inFlight: InFlightRequest, rights: CallerRights, atMs: number): Promise<void> {
    this.#noteCancelled(inFlight.callId);
    this.forget(inFlight);
    if (inFlight.kind === "once") return;
    await Promise.all([this.cancelElsewhere(inFlight.request.id, rights, atMs), this.#stopTask(inFlight.taskId)]);
  }

  /** The client gave up a request that this process does not know. Durability: as of `change`; a process that knows it reads that. */
  async cancelElsewhere(requestId: RequestId, { token, locality }: CallerRights, atMs: number): Promise<void> {
    const scopes = token === undefined && locality.local ? undefined : [...(token?.scopes ?? [])];
    await this.#document.change((facts) => withCancelled(facts, { requestId, atMs, scopes }));
  }

  #noteCancelled(callId: string): void {
    this.#cancelled = [...this.#cancelled, callId].slice(-this.#limits.maxFinishedCalls);
  }

  /** Whether the client gave it up at a process that did not know it, with rights that suffice. */
  #isCancelled({ requestId, tool, acceptedMs }: Pick<StreamFacts, "requestId" | "tool" | "acceptedMs">): boolean {
    const one = this.#document.value.cancelled?.find((call) => call.requestId === requestId);
    if (one === undefined || one.atMs < acceptedMs) return false;
    const { scopes } = one;
    const required = this.#engine.tools.find(({ name }) => name === tool)?.requiredScopes ?? [];
    return scopes === undefined || required.every((scope) => scopes.includes(scope));
  }

  /** Takes out the calls of this process that their client cancelled at another one, and gives them. */
  takeCancelled(): readonly InFlightRequest[] {
    if (this.#document.value.cancelled === undefined) return [];
    const gone = [...this.#inFlight.values()].filter(
      ({ kind, finished, acceptedMs, request: { id: requestId, params } }) =>
        kind !== "once" && !finished && this.#isCancelled({ requestId, tool: toText(params?.name), acceptedMs }),
    );
    for (const inFlight of gone) {
      this.#noteCancelled(inFlight.callId);
      this.forget(inFlight);
    }
    return gone;
  }

  /** The task of a call that is not carried out here: its caller comes, and leaves at once. */
  async #stopTask(id: string | undefined): Promise<void> {
    const task = id === undefined ? undefined : await this.#engine.readTask(id);
    if (task === undefined) return;
    const leave = this.#engine.forOwner(task.record.owner).addWaiter(task.record.id);
    leave("cancelled");
  }

  /** The client gave up a request. If it was answered a moment ago, it did not get the result. False when nothing is known of it. */
  withdraw(requestId: unknown): boolean {
    const known = [...this.#inFlight.values()].findLast(({ request }) => request.id === requestId);
    known?.receipt?.withdraw(this.#late);
    return known !== undefined;
  }

  /** What a place in an in-flight request's stream is: within it, its very end, or beyond anything that was sent. */
  async judge(inFlight: InFlightRequest, place: number): Promise<"open" | "over" | "ahead"> {
    const { finished, taskId, kind } = inFlight;
    if (finished && kind !== "journal")
      return place > inFlight.place ? "ahead" : place === inFlight.place ? "over" : "open";
    if (!finished && place <= inFlight.place) return "open";
    if (kind !== "journal") return "ahead";
    if (taskId === undefined) return "open";
    const task = await this.#engine.readTask(taskId);
    // A call that had its task is not begun again: without that there is nothing to tell.
    if (task === undefined) return "over";
    const { lastSeq, finishedAt } = task.record;
    const end = finished ? inFlight.place : finishedAt === undefined ? undefined : lastSeq;
    if (place > (finished ? inFlight.place : lastSeq)) return "ahead";
    return place === end ? "over" : "open";
  }

  /** Its client may not come back to a call: what is not known here, its stream's name says. */
  noteLost(inFlight: InFlightRequest): void {
    if (inFlight.taskId !== undefined) inFlight.keepLittle();
    const lost = [...this.#inFlight.values()].filter(({ active, finished }) => !active && !finished);
    for (const old of lost.slice(0, -this.#limits.maxFinishedCalls)) this.#inFlight.delete(old.callId);
  }

  noteFinished(inFlight: InFlightRequest): void {
    const finished = [...this.#inFlight.values()].filter((one) => one.finished);
    for (const old of finished.slice(0, -this.#limits.maxFinishedCalls)) this.#inFlight.delete(old.callId);
    this.#dropParams(inFlight);
    // A plain one without a name is forgotten with its answer.
    if (!inFlight.isPlain || inFlight.isNamed) inFlight.keepLittle();
  }

  /** The client will not come back to this in-flight request. */
  forget(inFlight: InFlightRequest): void {
    this.#inFlight.delete(inFlight.callId);
    this.#dropParams(inFlight);
  }

  /** What fails here is removed when it expires. */
  #dropParams(inFlight: InFlightRequest): void {
    if (!this.#hasParamsApart(inFlight)) return;
    this.#engine.documents.deleteDocument(callParamsKind, inFlight.callId).catch(() => {});
  }

  #hasParamsApart({ kind, name, isNamed }: InFlightRequest): boolean {
    return kind === "again" && isNamed && parseStreamName(this.#document.value.key, name)?.params === undefined;
  }

  /** Takes out all, and gives them: this process has nothing to do with them any more. @param ended so has every other. */
  clear(ended: boolean): readonly InFlightRequest[] {
    const all = [...this.#inFlight.values()];
    if (ended) for (const inFlight of all) this.forget(inFlight);
    this.#inFlight.clear();
    return all;
  }
}
