import {
  type Client,
  type ClientEvent,
  isClientError,
  openClient,
  type TaskHandle,
  type TaskResult,
} from "@resumable-mcp/client";
import { isJsonObject, type JsonObject } from "@resumable-mcp/core";
import type { History } from "../history/history.js";
import type { VirtualFetch } from "../machine/virtual-fetch.js";
import type { Random } from "../world/random.js";
import { virtualFolder } from "../world/virtual-files.js";
import { type Actor, newActor, type World } from "../world/world.js";
import type { CallPlan, Intervention } from "./call-plan.js";

interface ToolkitCallerOptions {
  readonly world: World;
  readonly history: History;
  readonly network: VirtualFetch;
  readonly plan: CallPlan;
}

const url = "http://127.0.0.1:8001/mcp";

/**
 * A program that uses the toolkit's own client, as the terminal program does: it calls, follows to the end, and answers. It
 * dies at any moment and at any call of its files; the next process begins with what is in them.
 */
export class ToolkitCaller {
  readonly plan: CallPlan;
  /** It has its result, or will have none. */
  isDone = false;
  readonly #options: ToolkitCallerOptions;
  readonly #random: Random;
  readonly #folder: string;
  #actor: Actor;
  #life = 0;
  #isCalm = false;
  #client: Client | undefined;
  #taskId: string | undefined;

  constructor(options: ToolkitCallerOptions) {
    this.#options = options;
    this.plan = options.plan;
    this.#random = options.world.random.fork();
    this.#actor = newActor(options.plan.name);
    this.#folder = `${virtualFolder}${options.plan.name}`;
  }

  begin(afterMs: number): void {
    const { world } = this.#options;
    const { files } = world;
    files.call((disk) => {
      disk.makeFolder(this.#folder);
      const file = disk.open(`${this.#folder}/session_state.json`, "wx");
      disk.write(file, Buffer.from(JSON.stringify({ client_id: this.plan.clientId })), 0);
      disk.close(file);
    });
    world.after(afterMs, () => this.#live(), world.director);
    for (const { atMs, what } of this.plan.interventions) {
      world.after(afterMs + atMs, () => this.#intervene(what), world.director);
    }
  }

  /** Begins no task any more, and dies no more; what it has begun it follows to the end. */
  stopCalling(): void {
    this.#isCalm = true;
    if (this.#life === 0) this.isDone = true;
  }

  #note(kind: string, facts: { readonly [name: string]: string | number | boolean | undefined } = {}): void {
    if (!this.#actor.isAlive) return;
    this.#options.history.add(kind, { caller: this.plan.name, owner: this.plan.owner, life: this.#life, ...facts });
  }

  #live(): void {
    if (this.isDone) return;
    const { world } = this.#options;
    this.#life += 1;
    const actor = newActor(this.plan.name);
    this.#actor = actor;
    if (!this.#isCalm && this.#random.percent(30)) {
      world.files.dieAtCall(actor, 1 + this.#random.below(60), () => this.#die());
    }
    world.after(1, () => void this.#run(), actor);
  }

  #die(): void {
    if (this.isDone || this.#isCalm || !this.#actor.isAlive) return;
    const { world, network } = this.#options;
    this.#note("client_dies");
    this.#actor.isAlive = false;
    network.leave(this.#actor);
    world.after(this.#random.pick([10, 1_000, 8_000]), () => this.#live(), world.director);
  }

  #intervene(what: Intervention): void {
    // It would continue a task that failed.
    if (what === "resume" && this.#isCalm) return;
    if (what === "drop" || what === "detach") {
      this.#die();
      return;
    }
    const { world } = this.#options;
    const run = async () => {
      if (this.#client === undefined || this.#taskId === undefined) return;
      this.#note("client_requests", { what });
      await request(this.#client.task(this.#taskId), what).catch(() => undefined);
    };
    world.after(1, () => void run(), this.#actor);
  }

  async #run(): Promise<void> {
    const { world } = this.#options;
    this.#client = undefined;
    try {
      const client = await openClient({
        servers: [{ url }],
        stateFile: `${this.#folder}/state.json`,
        importFrom: `${this.#folder}/session_state.json`,
      });
      this.#client = client;
      const { events, result } = await this.#takeUp(client);
      for await (const event of events) this.#show(client, event);
      const { isError, status, structuredContent, taskId } = await result();
      const error = isJsonObject(structuredContent?.error) ? String(structuredContent.error.code) : undefined;
      this.#note("client_result", { task: taskId, status, isError, code: error });
      await client.close();
      this.isDone = true;
    } catch (error) {
      const code = isClientError(error) ? error.code : String(error);
      const reason = isClientError(error) ? error.reason : undefined;
      this.#note("client_error", { task: this.#taskId, code, reason, message: String(error), isCalm: this.#isCalm });
      // As its user does.
      world.after(this.#random.pick([500, 5_000]), () => void this.#run());
    }
  }

  /** Follows the task that it knows, or makes the call, which also joins it. */
  async #takeUp(client: Client): Promise<{ events: AsyncIterable<ClientEvent>; result: () => Promise<TaskResult> }> {
    const unfinished = this.#taskId !== undefined && this.#random.percent(50) ? await client.unfinished() : [];
    const known = unfinished.find(({ id }) => id === this.#taskId);
    if (known !== undefined) {
      const task = client.task(known.id);
      this.#note("client_follows", { task: known.id, progress: known.progress });
      return { events: task.follow(), result: () => task.result() };
    }
    const { detached, input, tool } = this.plan;
    this.#note("client_calls");
    const call = await client.call(tool, input as JsonObject, {
      detached,
      resume: this.plan.newTask === undefined,
    });
    this.#taskId = call.taskId;
    this.#note("client_called", { task: call.taskId, joined: call.joined });
    return { events: call.events(), result: () => call.result() };
  }

  #show(client: Client, event: ClientEvent): void {
    const task = this.#taskId;
    if (event.type === "progress") {
      const { seq, progress, snapshot, restarted } = event;
      this.#note("client_shows", { task, seq, progress, snapshot, restarted });
    } else if (event.type === "question" && task !== undefined) {
      this.#note("client_is_asked", { task, key: event.question.key });
      void this.#answer(client, task, event.question.key);
    } else if (event.type === "reconnecting" || event.type === "session_changed") {
      this.#note(`client_${event.type}`);
    }
  }

  async #answer(client: Client, task: string, key: string): Promise<void> {
    if (!this.#random.percent(this.plan.answersPercent)) return;
    const { world } = this.#options;
    await new Promise<void>((resolve) => world.after(this.#random.pick([5, 300, 4_000]), resolve));
    const word = `${this.plan.name}-${key}-${this.#life}`;
    this.#note("answers", { task, key, word });
    try {
      await client.task(task).answer(key, { action: "accept", content: { word } });
      // An answer that was sent twice is refused the second time: whose it was is not known.
      this.#note("client_answered", { task, key, word });
    } catch (error) {
      this.#note("answer_refused", { task, key, word, code: isClientError(error) ? error.reason : undefined });
    }
  }
}

async function request(task: TaskHandle, what: Intervention): Promise<void> {
  if (what === "get") await task.info();
  if (what === "delete") await task.remove();
  if (what === "pause" || what === "resume" || what === "cancel") await task[what]();
}
