import type { Client, ClientEvent, JsonObject, QuestionAnswer, TaskInfo, TaskResult } from "@resumable-mcp/client";
import { type BoardAction, type BoardState, initialBoardState, reduceBoard } from "./board-state.js";
import { createThrottledStore, type Schedule, type ThrottledStore } from "./throttled-store.js";

/** Tasks that are followed live at the same time; the others are looked at when the list is. */
const maxFollowed = 64;
/** Finished tasks that are listed beside the unfinished ones. */
const listedTasks = 100;
/** 15 draws a second are enough for any eye. */
const drawIntervalMs = 67;

/** What the screens can do; every one reports its failure as a notice and never throws. */
export interface TaskBoard {
  readonly store: ThrottledStore<BoardState, BoardAction>;
  /** Asks the servers what there is, and follows what is not over. */
  refresh(): Promise<void>;
  follow(taskId: string): void;
  /** Calls a tool; resolves to the task's id, or `undefined` when that failed or the server keeps no tasks. */
  call(tool: string, values: JsonObject, server: string): Promise<string | undefined>;
  pause(taskId: string): Promise<void>;
  resume(taskId: string): Promise<void>;
  cancel(taskId: string): Promise<void>;
  answer(taskId: string, key: string, answer: QuestionAnswer): Promise<void>;
  /** Deletes a finished task. */
  forget(taskId: string): Promise<void>;
  notice(kind: "info" | "error", text: string): void;
  /** Takes the last notice away: the user has gone on. */
  dismiss(): void;
  close(): void;
}

/** Creates the board of a client. */
export function createTaskBoard(
  client: Client,
  options: { readonly clock: () => number; readonly schedule?: Schedule },
): TaskBoard {
  return new LiveBoard(client, options);
}

class LiveBoard implements TaskBoard {
  readonly store: ThrottledStore<BoardState, BoardAction>;
  readonly #client: Client;
  readonly #clock: () => number;
  readonly #followed = new Map<string, AsyncIterator<ClientEvent>>();
  readonly #stopListening: () => void;
  #closed = false;

  constructor(client: Client, options: { readonly clock: () => number; readonly schedule?: Schedule }) {
    this.#client = client;
    this.#clock = options.clock;
    this.store = createThrottledStore(reduceBoard, initialBoardState, { intervalMs: drawIntervalMs, ...options });
    this.#stopListening = client.onServerChange((change) => {
      this.#tellServers();
      if (change.type === "session_changed") this.notice("info", "server's session id changed; your tasks are kept");
    });
    this.#tellServers();
    for (const text of client.notices) this.notice("info", text);
  }

  async refresh(): Promise<void> {
    await this.#attempt(async () => {
      const unfinished = await this.#client.unfinished();
      const recent = await this.#client.tasks({ limit: listedTasks }).catch(() => []);
      const tasks = [...unfinished, ...recent.filter(({ id }) => !unfinished.some((task) => task.id === id))];
      this.store.dispatch({ type: "listed", tasks, atMs: this.#clock() });
      // Whoever waits for an interrupted task lets it go on, and that is for the user to say.
      for (const task of unfinished) if (!task.interrupted) this.follow(task.id);
    });
  }

  follow(taskId: string): void {
    if (this.#followed.has(taskId) || this.#followed.size >= maxFollowed) return;
    const task = this.#client.task(taskId, this.store.current.tasks.get(taskId)?.info.server);
    const events = task.follow();
    this.#followed.set(taskId, events);
    void this.#read(taskId, events, () => task.result());
  }

  async call(tool: string, values: JsonObject, server: string): Promise<string | undefined> {
    return this.#attempt(async () => {
      const call = await this.#client.call(tool, values, { server });
      const { taskId } = call;
      if (taskId === undefined) {
        void this.#readPlain(tool, call.result());
        return undefined;
      }
      await this.#see(taskId, call.server);
      this.follow(taskId);
      return taskId;
    });
  }

  pause(taskId: string): Promise<void> {
    return this.#steer(taskId, "pause");
  }

  async resume(taskId: string): Promise<void> {
    const info = this.store.current.tasks.get(taskId)?.info;
    // Following an interrupted task is what takes it up; one that runs needs nothing.
    if (info !== undefined && info.status !== "paused" && info.status !== "failed") return this.follow(taskId);
    await this.#steer(taskId, "resume");
    this.follow(taskId);
  }

  cancel(taskId: string): Promise<void> {
    return this.#steer(taskId, "cancel");
  }

  async answer(taskId: string, key: string, answer: QuestionAnswer): Promise<void> {
    await this.#attempt(async () => this.#show(await this.#handle(taskId).answer(key, answer)));
  }

  async forget(taskId: string): Promise<void> {
    await this.#attempt(async () => {
      await this.#handle(taskId).remove();
      this.store.dispatch({ type: "removed", taskId });
    });
  }

  notice(kind: "info" | "error", text: string): void {
    this.store.dispatch({ type: "notice", kind, text });
  }

  dismiss(): void {
    this.store.dispatch({ type: "dismissed" });
  }

  close(): void {
    this.#closed = true;
    this.#stopListening();
    for (const events of this.#followed.values()) events.return?.().catch(() => undefined);
    this.store.close();
  }

  #handle(taskId: string) {
    return this.#client.task(taskId, this.store.current.tasks.get(taskId)?.info.server);
  }

  async #steer(taskId: string, verb: "pause" | "resume" | "cancel"): Promise<void> {
    await this.#attempt(async () => this.#show(await this.#handle(taskId)[verb]()));
  }

  async #see(taskId: string, server: string): Promise<void> {
    this.#show(await this.#client.task(taskId, server).info());
  }

  #show(task: TaskInfo): void {
    this.store.dispatch({ type: "seen", task, atMs: this.#clock() });
  }

  async #read(
    taskId: string,
    events: AsyncIterableIterator<ClientEvent>,
    result: () => Promise<TaskResult>,
  ): Promise<void> {
    try {
      for await (const event of events) this.store.dispatch({ type: "event", taskId, event });
      if (!this.#closed) this.store.dispatch({ type: "finished", taskId, result: await result() });
    } catch (error) {
      this.store.dispatch({ type: "lost", taskId, problem: messageOf(error) });
    } finally {
      this.#followed.delete(taskId);
    }
  }

  async #readPlain(tool: string, result: Promise<TaskResult>): Promise<void> {
    await this.#attempt(async () => {
      const { isError, text } = await result;
      this.notice(isError ? "error" : "info", `${tool}: ${text}`);
    });
  }

  #tellServers(): void {
    this.store.dispatch({ type: "servers", servers: this.#client.servers() });
  }

  async #attempt<T>(work: () => Promise<T>): Promise<T | undefined> {
    try {
      return await work();
    } catch (error) {
      this.notice("error", messageOf(error));
      return undefined;
    }
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
