import { type Engine, isResumableError } from "@resumable-mcp/core";
import type { History } from "../history/history.js";
import { Connection } from "../machine/connection.js";
import type { Worker } from "../machine/worker.js";
import type { Random } from "../world/random.js";
import { newActor, type World } from "../world/world.js";

type OwnedTasks = ReturnType<Engine["forOwner"]>;

interface VisitorOptions {
  readonly world: World;
  readonly history: History;
  readonly pickWorker: () => Worker | undefined;
  readonly owners: readonly string[];
  readonly everyMs: number;
  readonly untilMs: number;
}

/** Every method that takes the id of a task, called with one that is not the caller's. */
const methods: { readonly [name: string]: (tasks: OwnedTasks, id: string) => Promise<unknown> } = {
  get: (tasks, id) => tasks.get(id),
  items: (tasks, id) => tasks.items(id),
  follow: async (tasks, id) => {
    for await (const _ of tasks.follow(id)) break;
  },
  wait: (tasks, id) => tasks.wait(id, { timeoutMs: 10 }),
  pause: (tasks, id) => tasks.pause(id),
  resume: (tasks, id) => tasks.resume(id),
  cancel: (tasks, id) => tasks.cancel(id),
  detach: (tasks, id) => tasks.detach(id),
  delete: (tasks, id) => tasks.delete(id),
  markDelivered: (tasks, id) => tasks.markDelivered(id),
  withdrawDelivered: (tasks, id) => tasks.withdrawDelivered(id),
  answer: (tasks, id) => tasks.answer(id, "ask-0", { action: "accept", content: { word: "of a stranger" } }),
};

const unknownId = "0123456789abcdef0123456789abcdef";

/** Looks at each owner's list again and again, and tries in one owner's name what it can do to the tasks of another. */
export class Visitor {
  readonly #options: VisitorOptions;
  readonly #random: Random;
  readonly #actor = newActor("visitor");

  constructor(options: VisitorOptions) {
    this.#options = options;
    this.#random = options.world.random.fork();
  }

  begin(): void {
    const { world, everyMs, untilMs } = this.#options;
    world.after(
      everyMs,
      () => {
        if (world.nowMs >= untilMs) return;
        void this.#visit();
        this.begin();
      },
      this.#actor,
    );
  }

  async #visit(): Promise<void> {
    const { world, pickWorker, owners } = this.#options;
    const worker = pickWorker();
    if (worker === undefined) return;
    const connection = new Connection(world, this.#actor, worker);
    try {
      await this.#list(connection, this.#random.pick(owners));
      await this.#try(connection);
    } catch {
      // A worker that dies or cannot read its store shows nothing.
    } finally {
      connection.break("the visit is over");
    }
  }

  async #list(connection: Connection, owner: string): Promise<void> {
    const { history } = this.#options;
    const { tasks } = await connection.ask((engine) => engine.forOwner(owner).list({ limit: 1_000 }));
    const unfinished = tasks.filter(({ finishedAt }) => finishedAt === undefined).length;
    history.add("listed", { owner, tasks: tasks.map(({ id }) => id).join(" "), unfinished });
  }

  async #try(connection: Connection): Promise<void> {
    const { history, owners } = this.#options;
    const known = history.events.filter(({ kind }) => kind === "called");
    if (known.length === 0) return;
    const { task, owner: theirs } = this.#random.pick(known);
    const strangers = owners.filter((owner) => owner !== theirs);
    if (strangers.length === 0) return;
    const owner = this.#random.pick(strangers);
    const method = this.#random.pick(Object.keys(methods));
    const id = String(task);
    const [foreign, unknown] = [
      await this.#attempt(connection, owner, method, id),
      await this.#attempt(connection, owner, method, unknownId),
    ];
    history.add("trespasses", { owner, method, foreign, unknown });
  }

  /** What came of it, without the id. */
  #attempt(connection: Connection, owner: string, method: string, id: string): Promise<string> {
    return connection
      .ask(async (engine) => void (await methods[method]?.(engine.forOwner(owner), id)))
      .then(
        () => "it was done",
        (error: unknown) => (isResumableError(error) ? `${error.code}: ${error.message.replaceAll(id, "…")}` : "LOST"),
      );
  }
}
