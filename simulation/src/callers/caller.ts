import { isFinal, isResumableError, type TaskRecord } from "@resumable-mcp/core";
import type { Followed, StartedTask } from "@resumable-mcp/core/engine";
import type { History } from "../history/history.js";
import { Connection, ConnectionLost } from "../machine/connection.js";
import type { Worker } from "../machine/worker.js";
import type { Random } from "../world/random.js";
import { newActor, type World } from "../world/world.js";
import type { CallPlan, Intervention } from "./call-plan.js";

interface CallerOptions {
  readonly world: World;
  readonly history: History;
  /** A worker that can be reached now. */
  readonly pickWorker: () => Worker | undefined;
  readonly plan: CallPlan;
}

/** What a caller is refused with that another try may overcome. */
const passing: ReadonlySet<string> = new Set([
  "DRAINING",
  "STORE_WRITE_FAILED",
  "STORE_READ_FAILED",
  "STORE_CLOSED",
  "LIMIT_EXCEEDED",
  "QUOTA_EXCEEDED",
]);

/** A caller of one tool: calls, follows, answers, comes back after a break, or leaves. */
export class Caller {
  readonly plan: CallPlan;
  taskId: string | undefined;
  /** It has its result, was refused, or left. */
  isDone = false;
  /** A call of it is under way that may begin a task: a worker that froze with it carries it out later. */
  isCalling = false;
  readonly #options: CallerOptions;
  readonly #random: Random;
  readonly #actor;
  #connection: Connection | undefined;
  #seq = 0;
  #isStopped = false;
  #tries = 0;
  readonly #answered = new Set<string>();
  #lastQuestion: string | undefined;
  #repeatsLeft: number;
  #words = 0;
  /** How many ended since the last question. */
  #attempts = 0;

  constructor(options: CallerOptions) {
    this.#options = options;
    this.plan = options.plan;
    this.#repeatsLeft = options.plan.repeats;
    this.#random = options.world.random.fork();
    this.#actor = newActor(options.plan.name);
  }

  get #owner(): string {
    return this.plan.owner;
  }

  /** Calls after a while. */
  begin(afterMs: number): void {
    const { world } = this.#options;
    world.after(afterMs, () => void this.#call(), this.#actor);
    for (const { atMs, what } of this.plan.interventions) {
      world.after(afterMs + atMs, () => this.#intervene(what), this.#actor);
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
    const { tool, input, detached, callId, newTask } = this.plan;
    const owner = this.#owner;
    const connection = this.#connect();
    if (connection === undefined) return this.#later(500);
    this.#tries += 1;
    this.#note("calls", { worker: connection.worker.actor.name });
    try {
      const request = { tool, input, detached, callId, newTask };
      this.isCalling = true;
      const started = await connection
        .ask((engine) => engine.forOwner(owner).start(request))
        .finally(() => {
          this.isCalling = false;
        });
      this.#noteStarted(started);
      this.#follow(connection);
    } catch (error) {
      this.#afterFailure(connection, error);
    }
  }

  #noteStarted({ record, created, reused }: StartedTask): void {
    if (this.taskId !== record.id) this.#seq = 0;
    this.taskId = record.id;
    const { status, generation, owner } = record;
    this.#note("called", { created, reused, status, generation, recordOwner: owner });
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
        connection.signal.addEventListener("abort", () => remove(this.plan.leaves), { once: true });
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
      const { status, error } = followed.record;
      this.#note("snapshot", { seq: this.#seq, status });
      if (isFinal(status)) this.#finish(connection, status, error);
      return;
    }
    const { event } = followed;
    const { seq, type } = event;
    this.#note("sees", { seq, type, progress: type === "checkpoint" ? event.progress : undefined });
    this.#seq = seq;
    if (type === "asked") this.#noteQuestion(event.key);
    if (type === "attempt_ended") this.#noteAttempt();
    if (type === "completed" || type === "cancelled") this.#finish(connection, type, undefined);
    if (type === "failed") this.#finish(connection, type, event.error);
  }

  #finish(connection: Connection, status: string, error: TaskRecord["error"]): void {
    const { taskId } = this;
    this.isDone = true;
    this.#connection = undefined;
    this.#note("result", { status, code: error?.code, terminal: error?.terminal });
    if (taskId === undefined) return;
    const again = () => this.#callAgain(status === "completed");
    connection
      .ask((engine) => engine.forOwner(this.#owner).markDelivered(taskId))
      .then(() => this.#note("delivered"))
      .then(again)
      .catch(() => {
        this.#note("delivery_unknown");
        again();
      });
  }

  /** The same call after its end: it begins another task, or continues the one that failed. */
  #callAgain(isCompleted: boolean): void {
    if (isCompleted ? this.#repeatsLeft <= 0 : !this.#random.percent(this.plan.againPercent)) return;
    if (isCompleted) this.#repeatsLeft -= 1;
    this.isDone = false;
    this.#later(this.#random.pick([5, 300, 4_000]));
  }

  #afterFailure(connection: Connection, error: unknown): void {
    if (connection !== this.#connection || this.isDone) return;
    this.#connection = undefined;
    connection.break("the caller gave it up");
    const code = isResumableError(error) ? error.code : error instanceof ConnectionLost ? "LOST" : String(error);
    this.#note("refused", { code });
    const isFinal = isResumableError(error) && !passing.has(error.code);
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

  #noteQuestion(key: string): void {
    this.#lastQuestion = key;
    this.#attempts = 0;
    if (this.plan.answersAfterAttempts === undefined) this.#consider(key);
  }

  #noteAttempt(): void {
    this.#attempts += 1;
    if (this.#attempts !== this.plan.answersAfterAttempts || this.#lastQuestion === undefined) return;
    const key = this.#lastQuestion;
    this.#options.world.after(this.#random.between(500, 6_000), () => void this.#answer(key, "accept"), this.#actor);
  }

  /** Thinks about a question, and answers it, or does not. */
  #consider(key: string): void {
    if (this.#answered.has(key)) return;
    this.#answered.add(key);
    if (!this.#random.percent(this.plan.answersPercent)) return;
    const thinkMs = this.#random.pick([5, 300, 4_000]);
    // A user who clicks twice may reach two processes.
    const answers = this.#random.percent(this.plan.twicePercent) ? 2 : 1;
    for (let count = 0; count < answers; count += 1) {
      const afterMs = thinkMs + count * this.#random.pick([0, 20, 100, 1_500]);
      this.#options.world.after(afterMs, () => void this.#answer(key, "accept"), this.#actor);
    }
  }

  async #answer(key: string, how: "accept" | "wrong"): Promise<void> {
    const { taskId } = this;
    const worker = this.#options.pickWorker();
    if (taskId === undefined || worker === undefined) return;
    this.#words += 1;
    const word = `${this.plan.name}-${key}-${this.#words}`;
    // By the time of the outcome it may have called again, and have another task.
    const about = { task: taskId, key, word };
    this.#note(how === "wrong" ? "answers_wrongly" : "answers", about);
    const content = how === "wrong" ? { word: this.#words } : { word };
    const connection = new Connection(this.#options.world, this.#actor, worker);
    try {
      await connection.ask((engine) => engine.forOwner(this.#owner).answer(taskId, key, { action: "accept", content }));
      this.#note("answer_accepted", about);
    } catch (error) {
      this.#note("answer_refused", { ...about, code: codeOf(error), wrong: how === "wrong" });
    }
  }

  #intervene(what: Intervention): void {
    // It would continue a task that failed.
    if (what === "resume" && this.#isStopped) return;
    if (what === "drop") {
      const connection = this.#connection;
      if (connection !== undefined && !this.isDone) this.#afterFailure(connection, new ConnectionLost("dropped"));
      return;
    }
    const key = this.#lastQuestion;
    if (what !== "answer_wrongly" && what !== "answer_twice") void this.#request(what);
    else if (key !== undefined) {
      void this.#answer(key, what === "answer_wrongly" ? "wrong" : "accept");
      if (what === "answer_twice") void this.#answer(key, "accept");
    }
  }

  async #request(what: "pause" | "resume" | "cancel" | "detach" | "get" | "delete"): Promise<void> {
    const { taskId } = this;
    const worker = this.#options.pickWorker();
    if (taskId === undefined || worker === undefined) return;
    const connection = new Connection(this.#options.world, this.#actor, worker);
    this.#note("requests", { task: taskId, what });
    try {
      await connection.ask(async (engine) => void (await engine.forOwner(this.#owner)[what](taskId)));
      this.#note("request_done", { task: taskId, what });
    } catch (error) {
      this.#note("request_refused", { task: taskId, what, code: codeOf(error) });
    }
  }
}

/** The code of an error of the toolkit; of anything else that nothing is known. */
function codeOf(error: unknown): string {
  return isResumableError(error) ? error.code : "LOST";
}
