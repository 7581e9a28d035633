import type { JSONRPCMessage, JSONRPCRequest, RequestId } from "@modelcontextprotocol/sdk/types.js";
import { type Engine, isJsonObject, type JsonObject } from "@resumable-mcp/core";
import { metaKeys, type Repeatable } from "@resumable-mcp/protocol";
import { isRequestId } from "../../../call/call.js";
import { LateCancellations } from "../../../call/late-cancellations.js";
import type { SessionLimits } from "../../../limits.js";
import { randomToken } from "../../../owner/random-token.js";
import { type Cursor, onceStream } from "../event-id.js";
import type { SessionDocument, StoredCall } from "../session-document.js";
import { InFlightRequest, readMeta } from "../session-stream.js";
import { AbandonedCalls } from "./abandoned-calls.js";
import { StoredCalls } from "./stored-calls.js";

/** How far the wall clock of the server that accepted a call may be from that of the one that begins it again. */
const clockMarginMs = 10_000;

/**
 * The calls of one session: those in memory, and those that other processes stored, where their client comes back to them.
 *
 * Durability: a call that may be delivered again is in the store before it is added. That it finished is written
 * with the next change: at worst a finished call is asked about again, and its task knows.
 */
export class InFlightCalls {
  readonly #document: SessionDocument;
  readonly #engine: Engine;
  readonly #limits: SessionLimits;
  readonly #stored: StoredCalls;
  readonly #abandoned: AbandonedCalls;
  readonly #late: LateCancellations;
  readonly #inFlight = new Map<string, InFlightRequest>();
  /** Calls that are being stored. */
  readonly #entering = new Set<string>();
  /** Streams of cancelled calls of this process, oldest first. */
  #cancelled: readonly string[] = [];

  constructor(document: SessionDocument, engine: Engine, limits: SessionLimits) {
    this.#document = document;
    this.#engine = engine;
    this.#limits = limits;
    this.#stored = new StoredCalls(document, engine.documents, limits.maxFinishedCalls);
    this.#late = new LateCancellations(document.value.local === true ? "local" : "remote");
    this.#abandoned = new AbandonedCalls(document, limits, (callId) => this.#inFlight.get(callId)?.active === true);
  }

  /** Unfinished calls: those that this process delivers, and those that a client may come back to. */
  get #openCount(): number {
    const active = this.#active().flatMap(({ isCall, name }) => (isCall ? [name] : []));
    const stored = this.#stored.open().map(({ callId }) => callId);
    return new Set([...active, ...stored, ...this.#entering]).size;
  }

  /** Requests that are no calls and not answered yet. */
  get requestCount(): number {
    return this.#active().filter(({ isCall }) => !isCall).length;
  }

  /** Counts one more call from now on, until it is added. False where the session is full. */
  enter({ name }: InFlightRequest): boolean {
    if (!this.#makeRoom()) return false;
    this.#entering.add(name);
    return true;
  }

  /** The call was added, or could not be. */
  entered({ name }: InFlightRequest): void {
    this.#entering.delete(name);
  }

  /**
   * Makes room for one more call where the session is full: the oldest calls that no process delivers are forgotten.
   * False when there are none.
   */
  #makeRoom(): boolean {
    const surplus = this.#openCount - this.#limits.maxOpenCalls + 1;
    if (surplus <= 0) return true;
    const forgotten = this.#abandoned.list().slice(0, surplus);
    if (forgotten.length < surplus) return false;
    for (const { callId } of forgotten) this.#inFlight.delete(callId);
    this.#stored.removeAbandoned(forgotten);
    return true;
  }

  /**
   * Says to other processes which calls this one delivers, after the session was read. Those that another process forgot
   * because this one was silent for too long are stored again.
   */
  async review(): Promise<void> {
    const { forgotten = [] } = this.#document.value;
    for (const inFlight of this.#active().filter(({ name }) => forgotten.includes(name))) {
      await this.store(inFlight);
    }
    await this.#abandoned.review();
  }

  /** Whether something is carried out, and not answered yet. */
  get delivering(): boolean {
    return [...this.#inFlight.values()].some(({ running }) => running !== undefined);
  }

  #active(): readonly InFlightRequest[] {
    return [...this.#inFlight.values()].filter(({ active }) => active);
  }

  /** Makes the in-flight request of a request, which is not known here until it is added. */
  create(request: JSONRPCRequest, kind: Repeatable): InFlightRequest {
    const name = kind === "once" ? this.#onceName(request) : randomToken(22);
    return new InFlightRequest(name, request, kind, this.#limits);
  }

  #onceName({ id: requestId, method, params }: JSONRPCRequest): string {
    const tool = method === "tools/call" ? String(params?.name) : undefined;
    const nonce = randomToken(16);
    return onceStream(this.#document.id, nonce, { requestId, method, tool }) ?? `once_${nonce}`;
  }

  /** Stores a request that may be delivered again. Durability: as of `change`. */
  store(inFlight: InFlightRequest): Promise<void> {
    return this.#stored.store(inFlight);
  }

  /** The progress token of the call that began the task of a request for its result, where the session keeps that call. */
  firstToken({ method, params }: JSONRPCRequest): RequestId | undefined {
    const began = method === "tasks/result" ? this.#stored.paramsOfTask(params?.taskId) : undefined;
    const token = isJsonObject(began?._meta) ? began._meta.progressToken : undefined;
    return isRequestId(token) ? token : undefined;
  }

  add(inFlight: InFlightRequest): InFlightRequest {
    this.#inFlight.set(inFlight.name, inFlight);
    return inFlight;
  }

  /** Whether a request is neither cancelled nor forgotten. */
  has(inFlight: InFlightRequest): boolean {
    return this.#inFlight.get(inFlight.name) === inFlight;
  }

  /** Finds the call of a stream, in memory or as it was stored, maybe by another process since this one read it. */
  async find(cursor: Cursor): Promise<InFlightRequest | undefined> {
    const { stream, place } = cursor;
    const isKnown = () => this.#inFlight.has(stream) || this.#stored.get(stream) !== undefined;
    if (!isKnown() && !this.wasCancelled(stream)) await this.#stored.refresh();
    const found = this.#inFlight.has(stream) ? undefined : await this.#stored.find(stream);
    const isWhole = found?.call.apart !== true || found.whole !== undefined;
    // What the session keeps of its params is another input: it finds the call's task, and must not make one.
    if (found !== undefined && !isWhole && !this.#inFlight.has(stream) && !(await this.#hasTask(found.call))) {
      return undefined;
    }
    const known = this.#inFlight.get(stream);
    return known ?? (found && this.add(this.#revive(found.call, place, found.whole)));
  }

  async #hasTask({ kind, callId, taskId = callId }: StoredCall): Promise<boolean> {
    return kind === "journal" && (await this.#engine.readTask(taskId)) !== undefined;
  }

  /** @param whole its params, where they are not in the session's document. */
  #revive(call: StoredCall, place: number, whole?: JsonObject): InFlightRequest {
    const { callId, requestId, kind, params, acceptedMs, taskId, clientId, method = "tools/call" } = call;
    const request: JSONRPCRequest = { jsonrpc: "2.0", id: requestId, method, params: { ...(whole ?? params) } };
    const inFlight = new InFlightRequest(callId, request, kind, this.#limits, kind === "again" ? place : 0);
    inFlight.acceptedMs = acceptedMs;
    inFlight.clockMarginMs = clockMarginMs;
    inFlight.taskId = taskId;
    inFlight.sessionClientId = clientId;
    return inFlight;
  }

  /**
   * Finds the unfinished in-flight request of a request, in memory or as another process stored it. A restarted client
   * may use an id a second time: the newest request has it.
   */
  async findRequest(requestId: unknown): Promise<InFlightRequest | undefined> {
    const known = this.#findRequest(requestId);
    if (known !== undefined) return known;
    await this.#stored.refresh();
    return this.#findRequest(requestId);
  }

  #findRequest(requestId: unknown): InFlightRequest | undefined {
    const known = [...this.#inFlight.values()].findLast(
      ({ request, finished }) => request.id === requestId && !finished,
    );
    const stored = this.#stored.open().findLast((call) => call.requestId === requestId);
    // It is only cancelled, not delivered: its params may not be here.
    return known ?? (stored && (this.#inFlight.get(stored.callId) ?? this.#revive(stored, 0)));
  }

  /** Tells whether a stream is that of a call which its client cancelled in this process. */
  wasCancelled(stream: string): boolean {
    return this.#cancelled.includes(stream);
  }

  /**
   * Notes that the client cancelled a call: nothing of it is delivered from now on.
   *
   * Durability: resolves when no process after this one delivers the call again.
   *
   * @param delivered whether the call was carried out here, which so stops its task; otherwise this does.
   */
  async cancel(inFlight: InFlightRequest, delivered: boolean): Promise<void> {
    this.#noteCancelled(inFlight);
    this.forget(inFlight);
    if (inFlight.kind === "once") return;
    await this.#stored.flush();
    if (!delivered && inFlight.kind === "journal") await this.#stopTask(inFlight);
  }

  #noteCancelled({ name }: InFlightRequest): void {
    this.#cancelled = [...this.#cancelled, name].slice(-this.#limits.maxFinishedCalls);
  }

  /** Takes out the calls of this process that their client cancelled at another one, and gives them. */
  takeCancelled(): readonly InFlightRequest[] {
    const { calls, forgotten = [] } = this.#document.value;
    const stored = new Set(calls.map(({ callId }) => callId));
    const gone = [...this.#inFlight.values()].filter(
      ({ kind, finished, name, active }) =>
        kind === "journal" && !finished && !stored.has(name) && !(active && forgotten.includes(name)),
    );
    for (const inFlight of gone) {
      this.#noteCancelled(inFlight);
      this.#inFlight.delete(inFlight.name);
    }
    return gone;
  }

  /** The task of a call that is not carried out here: its caller comes, and leaves at once. */
  async #stopTask({ task: id }: InFlightRequest): Promise<void> {
    const task = await this.#engine.readTask(id);
    if (task === undefined) return;
    const leave = this.#engine.forOwner(task.record.owner).addWaiter(task.record.id);
    leave("cancelled");
  }

  /**
   * The client gave up a request. If it was answered a moment ago, maybe by another process, it did not get the result. When
   * another process answered is not known, but that the task had finished then. The task that a `tasks/result` names may be
   * anybody's, and its client asks for that again by its id.
   */
  async withdraw(requestId: unknown): Promise<void> {
    const known = [...this.#inFlight.values()].findLast(({ request }) => request.id === requestId);
    if (known?.receipt !== undefined) return known.receipt.withdraw(this.#late);
    const call = this.#stored.ofRequest(requestId);
    const taskId = call?.taskId ?? call?.callId;
    const record = taskId === undefined ? undefined : (await this.#engine.readTask(taskId))?.record;
    if (record?.finishedAt === undefined) return;
    const isOpen = known?.finished === false;
    const afterMs = Date.now() - Date.parse(record.finishedAt);
    if (!isOpen && !this.#late.counts({ afterMs, taskId: record.id })) return;
    await this.#engine.forOwner(record.owner).withdrawDelivered(record.id);
  }

  /** What a place in an in-flight request's stream is: within it, its very end, or beyond anything that was sent. */
  async judge(inFlight: InFlightRequest, place: number): Promise<"open" | "over" | "ahead"> {
    const end = inFlight.finished ? inFlight.place : this.#stored.get(inFlight.name)?.end;
    if (end !== undefined) return place > end ? "ahead" : place === end ? "over" : this.#isThere(inFlight);
    if (place <= inFlight.place) return "open";
    if (inFlight.kind !== "journal") return "ahead";
    const task = await this.#engine.readTask(inFlight.task);
    if (task === undefined) return "open";
    if (place > task.record.lastSeq) return "ahead";
    return task.record.finishedAt !== undefined && place === task.record.lastSeq ? "over" : "open";
  }

  /** A finished call is not begun again: without its task there is nothing to tell. */
  async #isThere({ task, request, kind }: InFlightRequest): Promise<"open" | "over"> {
    if (kind !== "journal" || !this.#callsTool(request)) return "open";
    return (await this.#engine.readTask(task)) === undefined ? "over" : "open";
  }

  #callsTool({ params }: JSONRPCRequest): boolean {
    return this.#engine.tools.some(({ name }) => name === params?.name);
  }

  /**
   * A call of a tool of ours joined a task that another call had begun, or a request for a task's result passes on
   * what the task asks: a later delivery has to know.
   *
   * Only what carries it out says so, which has looked whose task it is. What a client names may be anybody's.
   */
  async noteTask(inFlight: InFlightRequest, message: JSONRPCMessage): Promise<void> {
    const taskId = readMeta(message, metaKeys.taskId);
    if (typeof taskId !== "string") return;
    const { name, request } = inFlight;
    const isResult = request.method === "tasks/result";
    // A request for the result of a task of the engine's continues from the task's journal, as a call does.
    if (isResult && "method" in message && inFlight.place === 0) inFlight.kind = "journal";
    if (inFlight.kind !== "journal" || taskId === name || taskId === inFlight.taskId) return;
    inFlight.taskId = taskId;
    if (!isResult && !this.#callsTool(request)) return;
    await this.#stored.noteTask(name, taskId);
  }

  noteFinished(inFlight: InFlightRequest): void {
    const finished = [...this.#inFlight.values()].filter((one) => one.finished);
    for (const old of finished.slice(0, -this.#limits.maxFinishedCalls)) this.#inFlight.delete(old.name);
    const ofTool = this.#callsTool(inFlight.request);
    inFlight.keepOnly(this.#stored.get(inFlight.name)?.params, ofTool);
    if (inFlight.kind !== "once") this.#stored.noteFinished(inFlight, ofTool);
  }

  /** The client will not come back to this in-flight request. */
  forget({ name, kind }: InFlightRequest): void {
    this.#inFlight.delete(name);
    if (kind !== "once") this.#stored.remove(name);
  }

  /** Takes out all, and gives them: this process has nothing to do with them any more. */
  clear(): readonly InFlightRequest[] {
    const all = [...this.#inFlight.values()];
    this.#inFlight.clear();
    return all;
  }
}
