import type { Json, JsonObject } from "@resumable-mcp/core";
import { isJsonObject } from "@resumable-mcp/core";
import type { History } from "../history/history.js";
import type { HttpMessage } from "../machine/received-request.js";
import type { Worker } from "../machine/worker.js";
import type { Random } from "../world/random.js";
import { newActor, type World } from "../world/world.js";
import type { CallPlan } from "./call-plan.js";
import { McpRequests, type Place } from "./mcp-requests.js";
import { jsonHeaders, metaOf, type Outcome, rpc } from "./rpc.js";

interface McpCallerOptions {
  readonly world: World;
  readonly history: History;
  readonly pickWorker: () => Worker | undefined;
  readonly plan: CallPlan;
}

/** As the SDK's clients: after the time that the server names, and after twice that time. */
const tries2025 = 2;

/** A tool and what it is given. */
interface ToolCall {
  readonly name: string;
  readonly arguments: Json;
}

/**
 * A client as they are in the world, of either era: it speaks JSON-RPC over HTTP, has little patience, takes up a broken
 * stream a few times, and repeats the whole call after that.
 */
export class McpCaller {
  readonly plan: CallPlan;
  isDone = false;
  readonly #options: McpCallerOptions;
  readonly #random: Random;
  readonly #actor;
  readonly #requests: McpRequests;
  #isStopped = false;
  #nextId = 0;
  #repeatsLeft: number;
  #session: { readonly id: string; readonly worker: Worker } | undefined;
  #lastProgress = -1;
  /** Nothing was shown of the request yet. */
  #isFirst = true;
  /** The call that is open, and whether it was cancelled. */
  #open: { readonly id: string; isCancelled: boolean } | undefined;
  /** The task of a call that ended with a handoff. */
  #handedOff: string | undefined;
  /** The task that it waits for now, by its id. */
  #waitsFor: string | undefined;

  constructor(options: McpCallerOptions) {
    this.#options = options;
    this.plan = options.plan;
    this.#repeatsLeft = options.plan.repeats;
    this.#random = options.world.random.fork();
    this.#actor = newActor(options.plan.name);
    const onAccepted = (worker: Worker) => this.#note("accepted", { worker: worker.actor.name });
    this.#requests = new McpRequests(options.world, this.#actor, onAccepted);
  }

  begin(afterMs: number): void {
    const { world } = this.#options;
    world.after(afterMs, () => void this.#callUntilDone(), this.#actor);
    for (const { atMs, what } of this.plan.interventions) {
      if (what === "drop") world.after(afterMs + atMs, () => this.leave(), this.#actor);
    }
  }

  stopCalling(): void {
    this.#isStopped = true;
  }

  #note(kind: string, facts: { readonly [name: string]: string | number | boolean | undefined } = {}): void {
    this.#options.history.add(kind, { caller: this.plan.name, owner: this.plan.owner, ...facts });
  }

  /** Closes the connection of its call, and may cancel that. */
  leave(): void {
    this.#note("drops");
    this.#requests.drop();
    const open = this.#open;
    if (open === undefined || this.plan.leaves !== "cancelled" || this.#session?.worker.isAlive !== true) return;
    open.isCancelled = true;
    const body = rpc({ method: "notifications/cancelled", params: { requestId: open.id } });
    void this.#requests.whole(this.#session.worker, { method: "POST", headers: this.#headers2025(), body });
  }

  /** The same call again and again, until there is a result or the caller has had enough. */
  async #callUntilDone(): Promise<void> {
    while (!this.isDone && !this.#isStopped) {
      if (this.#noteOutcome(await this.#callOrWait())) break;
      if (!this.#random.percent(this.plan.returnsPercent)) break;
      await this.#pause(this.#random.pick([20, 500, 3_000, 20_000]));
    }
    this.isDone = true;
  }

  /** After a handoff it mostly waits for the task by its id, in the same session or another one. */
  #callOrWait(): Promise<Outcome> {
    const task = this.#handedOff;
    const call =
      task !== undefined && this.#random.percent(80)
        ? { name: "wait_for_task", arguments: { task_id: task, timeout_seconds: this.#random.pick([0, 2, 20]) } }
        : { name: this.plan.tool, arguments: this.plan.input };
    this.#waitsFor = call.name === "wait_for_task" ? task : undefined;
    return this.plan.via === "2025" ? this.#call2025(call) : this.#call2026(call);
  }

  /** @returns whether the call is over: its result came, or says that it failed by what it does itself. */
  #noteOutcome(outcome: Outcome): boolean {
    if (outcome.kind !== "result") {
      const code = "code" in outcome ? outcome.code : undefined;
      const status = "status" in outcome ? outcome.status : undefined;
      this.#note("mcp_failed", { how: outcome.kind, code, status, isCancelled: this.#open?.isCancelled });
      return false;
    }
    const { result } = outcome;
    const structured = isJsonObject(result.structuredContent) ? result.structuredContent : {};
    const error = isJsonObject(structured.error) ? String(structured.error.code) : undefined;
    const isWhole = result.isError !== true && typeof structured.done === "number";
    const isRunning = structured.status === "running";
    const task = isJsonObject(result._meta) ? result._meta["resumable-mcp/task_id"] : undefined;
    this.#note("mcp_result", {
      task: this.#waitsFor ?? (typeof task === "string" ? task : undefined),
      waits: this.#waitsFor !== undefined,
      done: isWhole ? Number(structured.done) : undefined,
      shown: this.#lastProgress,
      isError: result.isError === true,
      isWhole,
      isRunning,
      code: error,
    });
    this.#handedOff = isRunning && typeof task === "string" ? task : undefined;
    if (isWhole) return this.#repeatsLeft-- <= 0;
    if (error === "TOOL_FAILED" || error === "OUTCOME_UNKNOWN") return !this.#random.percent(this.plan.againPercent);
    return !isRunning && (error === undefined || !/^STORE_|_EXCEEDED$/.test(error));
  }

  async #call2025(call: ToolCall): Promise<Outcome> {
    const worker = this.#options.pickWorker();
    if (worker === undefined) return { kind: "broken" };
    if (this.#session === undefined || this.#random.percent(50)) {
      const failure = await this.#initialize(worker);
      if (failure !== undefined) return failure;
    }
    const id = this.#newId();
    const _meta = { progressToken: id, ...this.#meta() };
    const params = { ...call, _meta };
    this.#lastProgress = -1;
    const place = this.#newPlace();
    const headers = this.#headers2025();
    this.#open = { id, isCancelled: false };
    let outcome = await this.#stream(
      id,
      { method: "POST", headers, body: rpc({ id, method: "tools/call", params }) },
      place,
    );
    const { heardMs, retryMs } = place;
    for (let tries = 0; outcome.kind === "broken" && place.lastEventId !== undefined && tries < tries2025; tries += 1) {
      await this.#pause((tries + 1) * place.retryMs);
      outcome = await this.#stream(
        id,
        { method: "GET", headers: { ...headers, "last-event-id": place.lastEventId } },
        place,
      );
    }
    const isLost = outcome.kind === "broken" && place.lastEventId !== undefined && place.heardMs === heardMs;
    if (isLost) this.#note("mcp_gives_up", { afterMs: this.#options.world.nowMs - heardMs, retryMs });
    return outcome;
  }

  #newPlace(): Place {
    return { lastEventId: undefined, retryMs: 1_000, heardMs: this.#options.world.nowMs };
  }

  #meta(): JsonObject {
    const { clientId } = this.plan;
    return metaOf(this.#waitsFor === undefined ? this.plan : { clientId, newTask: undefined, handoffMs: undefined });
  }

  #headers2025(): { readonly [name: string]: string } {
    return { ...jsonHeaders, "mcp-session-id": this.#session?.id ?? "", "mcp-protocol-version": "2025-11-25" };
  }

  async #initialize(worker: Worker): Promise<Outcome | undefined> {
    const clientInfo = { name: this.plan.name, version: "1" };
    const params = { protocolVersion: "2025-11-25", capabilities: { elicitation: {} }, clientInfo };
    const body = rpc({ id: this.#newId(), method: "initialize", params });
    const answer = await this.#requests.whole(worker, { method: "POST", headers: jsonHeaders, body });
    const id = answer?.headers["mcp-session-id"];
    if (answer === undefined) return { kind: "broken" };
    if (id === undefined) return { kind: "refused", status: answer.status };
    this.#session = { id, worker };
    await this.#requests.whole(worker, {
      method: "POST",
      headers: this.#headers2025(),
      body: rpc({ method: "notifications/initialized" }),
    });
    return undefined;
  }

  async #call2026(call: ToolCall): Promise<Outcome> {
    let more: JsonObject = {};
    this.#lastProgress = -1;
    for (let round = 0; ; round += 1) {
      const id = this.#newId();
      const _meta = {
        progressToken: id,
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": { elicitation: {} },
        ...this.#meta(),
      };
      const headers = {
        ...jsonHeaders,
        "mcp-protocol-version": "2026-07-28",
        "mcp-method": "tools/call",
        "mcp-name": call.name,
      };
      const params = { ...call, _meta, ...more };
      const place = this.#newPlace();
      this.#isFirst = true;
      const outcome = await this.#stream(
        id,
        { method: "POST", headers, body: rpc({ id, method: "tools/call", params }) },
        place,
      );
      const asked = outcome.kind === "result" ? outcome.result.inputRequests : undefined;
      if (outcome.kind !== "result" || outcome.result.resultType !== "input_required" || round > 30) return outcome;
      if (isJsonObject(asked) && !this.#random.percent(this.plan.answersPercent)) return { kind: "broken" };
      await this.#pause(this.#random.pick([5, 400]));
      const word = `${this.plan.name}-${round}`;
      const inputResponses = Object.fromEntries(
        Object.keys(isJsonObject(asked) ? asked : {}).map((key) => [key, { action: "accept", content: { word } }]),
      );
      more = { inputResponses, requestState: outcome.result.requestState ?? null };
    }
  }

  #stream(id: string, message: HttpMessage, place: Place): Promise<Outcome> {
    const worker =
      message.method === "GET" || this.plan.via === "2026" ? this.#options.pickWorker() : this.#session?.worker;
    if (worker === undefined || !worker.isAlive) return Promise.resolve({ kind: "broken" });
    return this.#requests.stream(worker, message, id, place, (heard) => {
      if (heard.method === "notifications/progress") this.#noteProgress(heard.params);
      else if (heard.method === "elicitation/create") void this.#answer(worker, heard);
    });
  }

  #noteProgress(params: unknown): void {
    if (!isJsonObject(params) || typeof params.progress !== "number") return;
    const { progress } = params;
    const meta = isJsonObject(params._meta) ? params._meta : {};
    const task = meta["resumable-mcp/task_id"];
    const snapshot = meta["resumable-mcp/snapshot"] === true;
    this.#note("mcp_progress", {
      task: typeof task === "string" ? task : undefined,
      progress,
      before: this.#lastProgress,
      snapshot,
      // The next round begins where this one ended.
      isFirst: snapshot && this.#isFirst,
    });
    this.#lastProgress = progress;
    this.#isFirst = false;
  }

  async #answer(worker: Worker, { id, params }: JsonObject): Promise<void> {
    const meta = isJsonObject(params) && isJsonObject(params._meta) ? params._meta : {};
    const task = meta["resumable-mcp/task_id"];
    const question = {
      task: typeof task === "string" ? task : undefined,
      question: String(id),
      worker: worker.actor.name,
    };
    this.#note("mcp_asked", question);
    if (!this.#random.percent(this.plan.answersPercent)) return;
    await this.#pause(this.#random.pick([5, 300, 4_000]));
    const result = { action: "accept", content: { word: `${this.plan.name}-${String(id)}` } };
    const to = worker.isAlive ? worker : this.#options.pickWorker();
    if (to === undefined) return;
    const body = rpc({ id: id ?? null, result });
    const answer = await this.#requests.whole(to, { method: "POST", headers: this.#headers2025(), body });
    this.#note("mcp_answered", { ...question, status: answer?.status, isSame: to === worker });
  }

  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => this.#options.world.after(ms, resolve, this.#actor));
  }

  #newId(): string {
    this.#nextId += 1;
    return `${this.plan.name}-${this.#nextId}`;
  }
}
