import { isResumableError, type Json } from "@resumable-mcp/core";
import { type Followed, ownerTag, type StartedTask } from "@resumable-mcp/core/engine";
import type { History } from "../history/history.js";
import { Connection, ConnectionLost } from "../machine/connection.js";
import type { Worker } from "../machine/worker.js";
import type { Random } from "../world/random.js";
import { newActor, type World } from "../world/world.js";

/** What a caller wants done, and how it behaves. Drawn by the seed. */
export interface CallPlan {
  readonly name: string;
  readonly owner: string;
  /** Directly, or as a client of one of the protocol's eras. */
  readonly via: "engine" | "2025" | "2026";
  readonly input: Json;
  readonly detached: boolean;
  /** Names the very call, so that it finds its task however often it is sent. */
  readonly callId: string | undefined;
  /** How many of a hundred broken connections are followed by another try; the others end the caller. */
  readonly returnsPercent: number;
  /** How many of a hundred questions it answers. */
  readonly answersPercent: number;
  /** What it does while its task runs, by time since the call. */
  readonly interventions: readonly {
    readonly atMs: number;
    readonly what: "pause" | "resume" | "cancel" | "detach" | "drop";
  }[];
}

interface CallerOptions {
  readonly world: World;
  readonly history: History;
  /** A worker that can be reached now. */
  readonly pickWorker: () => Worker | undefined;
  readonly plan: CallPlan;
}

/** A caller of one tool: calls, follows, answers, comes back after a break, or leaves. */
export class Caller {
  readonly plan: CallPlan;
  taskId: string | undefined;
  /** It has its result, was refused, or left. */
  isDone = false;
  readonly #options: CallerOptions;
  readonly #random: Random;
  readonly #actor;
  #connection: Connection | undefined;
  #seq = 0;
  #isStopped = false;
  #tries = 0;
  readonly #answered = new Set<string>();

  constructor(options: CallerOptions) {
    this.#options = options;
    this.plan = options.plan;
    this.#random = options.world.random.fork();
    this.#actor = newActor(options.plan.name);
  }

  get #owner(): string {
    return ownerTag("client", this.plan.owner);
  }

  /** Calls after a while. */
  begin(afterMs: number): void {
    const { world } = this.#options;
    world.after(afterMs, () => void this.#call(), this.#actor);
    for (const { atMs, what } of this.plan.interventions) {
      world.after(afterMs + atMs, () => void this.#intervene(what), this.#actor);
    }
  }

  /** Calls no more; what it follows it follows to the end. */
  stopCalling(): void {
    this.#isStopped = true;
  }

  #note(kind: string, facts: { readonly [name: string]: string | number | boolean | undefined } = {}): void {
    this.#options.history.add(kind, { caller: this.plan.name, owner: this.plan.owner, task: this.taskId, ...facts });
  }

  async #call(): Promise<void> {
    if (this.isDone || this.#isStopped) return;
    const { input, detached, callId } = this.plan;
    const owner = this.#owner;
    const connection = this.#connect();
    if (connection === undefined) return this.#later(500);
    this.#tries += 1;
    this.#note("calls", { worker: connection.worker.actor.name });
    try {
      const request = { tool: "script", input, detached, callId };
      const started = await connection.ask((engine) => engine.forOwner(owner).start(request));
      this.#noteStarted(started);
      this.#follow(connection);
    } catch (error) {
      this.#afterFailure(connection, error);
    }
  }

  #noteStarted({ record, created, reused }: StartedTask): void {
    if (this.taskId !== record.id) this.#seq = 0;
    this.taskId = record.id;
    this.#note("called", { created, reused, status: record.status });
  }

  #connect(): Connection | undefined {
    const worker = this.#options.pickWorker();
    if (worker === undefined) return undefined;
    this.#connection = new Connection(this.#options.world, this.#actor, worker);
    return this.#connection;
  }

  #follow(connection: Connection): void {
    const { taskId } = this;
    const owner = this.#owner;
    if (taskId === undefined) return;
    const afterSeq = this.#seq;
    connection.stream<Followed>(
      async (engine, send) => {
        const tasks = engine.forOwner(owner);
        const remove = tasks.addWaiter(taskId);
        connection.signal.addEventListener("abort", () => remove("gone"), { once: true });
        for await (const followed of tasks.follow(taskId, { afterSeq, signal: connection.signal })) send(followed);
        remove("gone");
      },
      (followed) => this.#receive(connection, followed),
      (error) => this.#afterFailure(connection, error),
    );
  }

  #receive(connection: Connection, followed: Followed): void {
    if (connection !== this.#connection || this.isDone) return;
    if (followed.kind === "snapshot") {
      this.#seq = followed.record.lastSeq;
      this.#note("snapshot", { seq: this.#seq, status: followed.record.status });
      if (["completed", "failed", "cancelled"].includes(followed.record.status))
        this.#finish(connection, followed.record.status);
      return;
    }
    const { event } = followed;
    this.#note("sees", {
      seq: event.seq,
      type: event.type,
      progress: event.type === "checkpoint" ? event.progress : undefined,
    });
    this.#seq = event.seq;
    if (event.type === "asked") this.#consider(event.key);
    if (event.type === "completed" || event.type === "failed" || event.type === "cancelled")
      this.#finish(connection, event.type);
  }

  #finish(connection: Connection, status: string): void {
    const { taskId } = this;
    this.isDone = true;
    this.#note("result", { status });
    if (taskId === undefined) return;
    connection
      .ask((engine) => engine.forOwner(this.#owner).markDelivered(taskId))
      .then(() => this.#note("delivered"))
      .catch(() => this.#note("delivery_unknown"));
  }

  #afterFailure(connection: Connection, error: unknown): void {
    if (connection !== this.#connection || this.isDone) return;
    this.#connection = undefined;
    connection.break("the caller gave it up");
    const code = isResumableError(error) ? error.code : error instanceof ConnectionLost ? "LOST" : String(error);
    this.#note("refused", { code });
    const isFinal =
      isResumableError(error) &&
      !["DRAINING", "STORE_WRITE_FAILED", "STORE_READ_FAILED", "STORE_CLOSED"].includes(error.code);
    if (isFinal || !this.#random.percent(this.plan.returnsPercent)) {
      this.#note("leaves_for_good");
      this.isDone = true;
      return;
    }
    this.#later(this.#random.pick([20, 200, 2_000, 10_000, 60_000]));
  }

  #later(ms: number): void {
    this.#options.world.after(ms, () => void this.#call(), this.#actor);
  }

  /** Thinks about a question, and answers it, or does not. */
  #consider(key: string): void {
    if (this.#answered.has(key)) return;
    this.#answered.add(key);
    if (!this.#random.percent(this.plan.answersPercent)) return;
    const thinkMs = this.#random.pick([5, 300, 4_000]);
    this.#options.world.after(thinkMs, () => void this.answer(key), this.#actor);
  }

  async answer(key: string): Promise<void> {
    const { taskId } = this;
    const worker = this.#options.pickWorker();
    if (taskId === undefined || worker === undefined) return;
    const word = `${this.plan.name}-${key}-${this.#tries}`;
    this.#note("answers", { key, word });
    const connection = new Connection(this.#options.world, this.#actor, worker);
    try {
      const answer = { action: "accept" as const, content: { word } };
      await connection.ask((engine) => engine.forOwner(this.#owner).answer(taskId, key, answer));
      this.#note("answer_accepted", { key, word });
    } catch (error) {
      const code = isResumableError(error) ? error.code : "LOST";
      this.#note("answer_refused", { key, word, code });
    }
  }

  async #intervene(what: CallPlan["interventions"][number]["what"]): Promise<void> {
    const { taskId } = this;
    if (what === "drop") {
      const connection = this.#connection;
      if (connection !== undefined && !this.isDone) this.#afterFailure(connection, new ConnectionLost("dropped"));
      return;
    }
    const worker = this.#options.pickWorker();
    if (taskId === undefined || worker === undefined) return;
    const connection = new Connection(this.#options.world, this.#actor, worker);
    this.#note("requests", { what });
    try {
      await connection.ask(async (engine) => void (await engine.forOwner(this.#owner)[what](taskId)));
      this.#note("request_done", { what });
    } catch (error) {
      this.#note("request_refused", { what, code: isResumableError(error) ? error.code : "LOST" });
    }
  }
}
