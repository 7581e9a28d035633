import {
  type Client,
  type ClientEvent,
  isClientError,
  type JsonObject,
  type TaskInfo,
  type TaskResult,
  type ToolInfo,
} from "@resumable-mcp/client";
import type { QuestionAnswer, TaskQuestion, TaskStatus } from "@resumable-mcp/protocol";
import { wasInterrupted } from "@resumable-mcp/protocol/display";
import { contentText } from "../display/result-text.js";
import { titleOf } from "../display/task-status.js";
import { openingNotices } from "../display/whose-tasks.js";
import { errorMessage } from "../json.js";
import { type BoardAction, type BoardState, initialBoardState, reduceBoardBatch } from "./board-state.js";
import { isUnfinished } from "./board-task.js";
import { oneAtATime } from "./one-at-a-time.js";
import { createThrottledStore, type Schedule } from "./throttled-store.js";

/** Tasks that are followed live at the same time; the others are looked at when the list is. */
const maxFollowed = 256;
/** Finished tasks of each server that are listed. */
const listedTasks = 100;
const finalStatuses: readonly TaskStatus[] = ["completed", "failed", "cancelled"];
/** Tasks missing from a list that are asked for by name, each time. */
const maxSought = 20;
/**
 * Least time between two draws of what happens on servers. The screen allows almost four times as many draws
 * (`maxDrawsPerSecond`), so that a key mostly finds it free.
 */
const drawIntervalMs = 250;

/** What the screens can do with tasks; every action reports its failure as a notice and never throws. */
export class TaskBoard {
  readonly store: ReturnType<typeof createThrottledStore<BoardState, BoardAction>>;
  readonly #client: Client;
  readonly #clock: () => number;
  readonly #followed = new Map<string, AsyncIterator<ClientEvent>>();
  readonly #once = oneAtATime(() => this.#closed);
  readonly #withoutJournal = new Set<string>();
  /** The servers that have listed their tasks. */
  readonly #listed = new Set<string>();
  /** The servers whose unfinished tasks resume as soon as they are listed. */
  readonly #resumeWhenListed = new Set<string>();
  readonly #stopListening: () => void;
  #closed = false;

  /** `clock` gives milliseconds since 1970. */
  constructor(client: Client, options: { readonly clock: () => number; readonly schedule?: Schedule }) {
    this.#client = client;
    this.#clock = options.clock;
    const initial = { ...initialBoardState, servers: client.servers() };
    this.store = createThrottledStore(reduceBoardBatch, initial, { intervalMs: drawIntervalMs, ...options });
    this.#stopListening = client.onServerChange((change) => {
      this.#showServers();
      if (change.type === "session_changed") this.notice("info", "server's session id changed; your tasks are kept");
    });
    const texts = openingNotices(client);
    if (texts.length > 0) this.notice("info", texts.join(" "));
  }

  /** Asks the servers what there is, and follows what is not over. */
  async refresh(): Promise<void> {
    this.#showServers();
    await Promise.all(this.#client.servers().map(({ address }) => this.#refreshServer(address)));
  }

  /** Shows what happens to a task from now on. */
  follow(taskId: string): void {
    if (this.#closed || this.#followed.has(taskId) || !this.#mayFollow(taskId)) return;
    const task = this.#handle(taskId);
    const events = task.follow();
    this.#followed.set(taskId, events);
    void this.#read(taskId, events, () => task.result());
  }

  /** Calls a tool; resolves to the task's id, or `undefined` when that failed or the server keeps no tasks. */
  async call(tool: ToolInfo, values: JsonObject, detached: boolean): Promise<string | undefined> {
    let taskId: string | undefined;
    await this.attempt(async () => {
      const options = { server: tool.server, detached, ask: (asked: TaskQuestion) => this.#dismiss(tool, asked) };
      const call = await this.#client.call(tool.name, values, options);
      if (call.taskId === undefined) return void this.attempt(() => this.#readPlain(tool, call.result()));
      this.#show(await this.#client.task(call.taskId, call.server).info());
      this.follow(call.taskId);
      taskId = call.taskId;
    });
    return taskId;
  }

  pause(taskId: string): Promise<void> {
    return this.#steer(taskId, "pause");
  }

  async resume(taskId: string): Promise<void> {
    const { status = "paused", interrupted = false } = this.store.current.tasks.get(taskId)?.info ?? {};
    // Following an interrupted task resumes it; a running one needs nothing.
    const isCutOff = interrupted && !this.#mayFollow(taskId);
    if (status === "paused" || status === "failed" || isCutOff) await this.#steer(taskId, "resume");
    this.follow(taskId);
  }

  #mayFollow(taskId: string): boolean {
    return this.#followed.has(taskId) || this.#followed.size < maxFollowed;
  }

  /**
   * Resumes every task that was interrupted; those of a server that has not listed its tasks yet, as soon as it does. What
   * was paused stays paused. Returns how many resume now, and how many servers have not listed theirs yet.
   */
  resumeAll(): { readonly tasks: number; readonly awaitedServers: number } {
    const waiting = [...this.store.current.tasks.values()].filter(wasInterrupted);
    const awaited = this.#client.servers().filter(({ address }) => !this.#listed.has(address));
    for (const { address } of awaited) this.#resumeWhenListed.add(address);
    for (const { info } of waiting) void this.resume(info.id);
    return { tasks: waiting.length, awaitedServers: awaited.length };
  }

  /** Tries servers that are out of reach at once, and asks all for their tasks. */
  async retryNow(): Promise<void> {
    this.#client.retryNow();
    await this.refresh();
  }

  cancel(taskId: string): Promise<void> {
    return this.#steer(taskId, "cancel");
  }

  answer(taskId: string, key: string, answer: QuestionAnswer): Promise<void> {
    return this.attempt(async () => this.#show(await this.#handle(taskId).answer(key, answer)));
  }

  /** Takes a task off this client's lists; one that is over is deleted on its server. */
  delete(taskId: string): Promise<void> {
    return this.attempt(async () => {
      const task = this.store.current.tasks.get(taskId);
      const events = this.#followed.get(taskId);
      if (task === undefined || isUnfinished(task) || task.gone === true) await this.#handle(taskId).forget();
      else await this.#handle(taskId).remove();
      this.store.dispatch({ type: "removed", taskId });
      events?.return?.().catch(() => undefined);
    });
  }

  /** Reads what happened to a task, and its result once it is over. */
  async look(taskId: string): Promise<void> {
    const task = this.store.current.tasks.get(taskId);
    if (task === undefined || task.gone === true || task.remembered === true) return;
    await this.#once(`look ${taskId}`, async () => {
      // Events do not contain the number of items.
      this.#show(await this.#handle(taskId).info());
      await this.#readJournal(task.info);
      const now = this.store.current.tasks.get(taskId);
      if (now === undefined || isUnfinished(now) || now.result !== undefined) return;
      this.store.dispatch({ type: "finished", taskId, result: await this.#handle(taskId).result() });
    }).catch((error: unknown) => this.#lose(taskId, error));
  }

  notice(kind: "info" | "error", text: string): void {
    this.store.dispatch({ type: "notice", kind, text });
  }

  /** Removes the last notice. */
  dismiss(): void {
    this.store.dispatch({ type: "dismissed" });
  }

  /** Does something; a failure becomes a notice. */
  async attempt(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.notice("error", errorMessage(error));
    }
  }

  /** Does what the embedding program has added, and tries the servers again: it may have started one. */
  runExtra(run: () => Promise<string | undefined> | string | undefined): Promise<void> {
    return this.attempt(async () => {
      const text = await run();
      void this.retryNow();
      if (text !== undefined) this.notice("info", text);
    });
  }

  close(): void {
    this.#closed = true;
    this.#stopListening();
    for (const events of this.#followed.values()) events.return?.().catch(() => undefined);
    this.store.close();
  }

  /** The unfinished tasks that their servers have listed. */
  #waiting(): readonly TaskInfo[] {
    const tasks = [...this.store.current.tasks.values()];
    return tasks.filter((task) => isUnfinished(task) && task.remembered !== true).map(({ info }) => info);
  }

  /** Those of which something was requested: another client may have withdrawn it, and no list says so. */
  #requested(server: string): readonly TaskInfo[] {
    const tasks = [...this.store.current.tasks.values()].filter((task) => isUnfinished(task) && task.requested);
    return tasks.flatMap(({ info }) => (info.server === server ? [info] : [])).slice(0, maxSought);
  }

  /** A silent server does not delay the lists of the others. */
  async #refreshServer(server: string): Promise<void> {
    await this.#once(server, async () => {
      const expected = this.#waiting().filter((task) => task.server === server);
      const unfinished = await this.#client.unfinished({ server });
      // Without those that the first list has: a server with many live tasks sends each of them once.
      const finished = await this.#client
        .tasks({ server, limit: listedTasks, status: finalStatuses })
        .catch((): readonly TaskInfo[] => []);
      const tasks = [...unfinished, ...finished];
      this.store.dispatch({ type: "listed", server, tasks });
      // Following an interrupted task would resume it, and the user decides that.
      for (const task of unfinished) if (!task.interrupted) this.follow(task.id);
      this.#listed.add(server);
      const resumes = this.#resumeWhenListed.delete(server);
      for (const task of unfinished) if (resumes && task.interrupted) void this.resume(task.id);
      const missing = expected.filter((task) => !tasks.some(({ id }) => id === task.id)).slice(0, maxSought);
      await Promise.all([...missing, ...this.#requested(server)].map((task) => this.#seek(task)));
    }).catch((error: unknown) => this.#onSilence(server, error));
  }

  #onSilence(server: string, error: unknown): void {
    if (this.#closed) return;
    const first = !this.store.current.answered.has(server);
    const tasks = this.#client.summary().activeTasks.filter(({ server_url }) => server_url === server);
    this.store.dispatch({ type: "silent", server, tasks });
    this.#showServers();
    if (first) this.notice("error", errorMessage(error));
  }

  /** A task that is missing from a list is over, deleted elsewhere, or unknown to its server. */
  async #seek({ id, server }: TaskInfo): Promise<void> {
    try {
      this.#show(await this.#client.task(id, server).info());
    } catch (error) {
      this.#lose(id, error);
    }
  }

  async #readJournal({ id, server }: TaskInfo): Promise<void> {
    if (this.#withoutJournal.has(server)) return;
    const journal = await this.#handle(id).journal();
    if (journal === undefined) this.#withoutJournal.add(server);
    else this.store.dispatch({ type: "journal", taskId: id, journal });
  }

  #handle(taskId: string) {
    return this.#client.task(taskId, this.store.current.tasks.get(taskId)?.info.server);
  }

  #steer(taskId: string, verb: "pause" | "resume" | "cancel"): Promise<void> {
    const request = (requested: "pause" | "cancel" | undefined) =>
      this.store.dispatch({ type: "requested", taskId, verb: requested });
    request(verb === "resume" ? undefined : verb);
    return this.attempt(async () => {
      try {
        const answer = await this.#handle(taskId)[verb]();
        // The answer to a pause says what was done, in place of what the task said last.
        const said = this.store.current.tasks.get(taskId)?.info.message;
        this.#show(verb === "pause" ? { ...answer, message: said } : answer);
      } catch (error) {
        request(undefined);
        throw error;
      }
    });
  }

  #show(task: TaskInfo): void {
    this.store.dispatch({ type: "seen", task });
  }

  async #read(taskId: string, events: AsyncIterableIterator<ClientEvent>, result: () => Promise<TaskResult>) {
    try {
      for await (const event of events) this.store.dispatch({ type: "event", taskId, event, atMs: this.#clock() });
      if (!this.#closed && this.store.current.tasks.has(taskId))
        this.store.dispatch({ type: "finished", taskId, result: await result() });
    } catch (error) {
      this.#lose(taskId, error);
    } finally {
      this.#followed.delete(taskId);
    }
  }

  #lose(taskId: string, error: unknown): void {
    const gone = isClientError(error) && error.code === "TASK_NOT_FOUND";
    this.store.dispatch({ type: "lost", taskId, problem: errorMessage(error), gone });
  }

  /** What a tool asks its caller directly belongs to no task, and has no form here. */
  async #dismiss(tool: ToolInfo, { message }: TaskQuestion): Promise<QuestionAnswer> {
    const advice = `Nothing was answered. To answer: resumable-mcp call ${tool.name}`;
    this.notice("error", `${titleOf(tool)} asks: ${message} ${advice}`);
    return { action: "cancel" };
  }

  async #readPlain(tool: ToolInfo, result: Promise<TaskResult>): Promise<void> {
    const ended = await result;
    this.notice(ended.isError ? "error" : "info", `${titleOf(tool)}: ${contentText(ended)}`);
  }

  #showServers(): void {
    this.store.dispatch({ type: "servers", servers: this.#client.servers(), atMs: this.#clock() });
  }
}
