import type { Store, TaskCounts, TaskPage } from "../../store/store.js";
import type { Answer } from "../../task/task-event.js";
import { isFinal, type TaskRecord } from "../../task/task-record.js";
import { isDelivered, statusOf } from "../../task/task-rules.js";
import type { TaskSnapshot } from "../../task/task-snapshot.js";
import { invalidValue } from "../attempt/check-checkpoint.js";
import type { Followed, OwnedTasks, OwnTaskQuery, StartedTask, StartRequest, TaskView, WaitResult } from "../engine.js";
import { requireTool } from "../scheduling/tool-table.js";
import { checkGivenAnswer } from "./check-answer.js";
import type { EngineParts } from "./engine-parts.js";
import { followTask, waitForTask } from "./follow-task.js";
import { startTask } from "./start-task.js";
import { illegalTransition, isTaskId, taskNotFound, viewOf } from "./task-view.js";

/** Makes one owner's view of an engine. Its methods may be taken off it. */
export function createOwnedTasks(parts: EngineParts, owner: string): OwnedTasks {
  const tasks = new OneOwnersTasks(parts, owner);
  return {
    owner,
    start: (request) => tasks.start(request),
    get: (taskId) => tasks.get(taskId),
    list: async (query) => tasks.list(query),
    count: () => tasks.count(),
    follow: (taskId, options) => tasks.follow(taskId, options),
    wait: (taskId, options) => tasks.wait(taskId, options),
    pause: (taskId) => tasks.pause(taskId),
    resume: (taskId) => tasks.resume(taskId),
    cancel: (taskId) => tasks.cancel(taskId),
    answer: (taskId, key, answer) => tasks.answer(taskId, key, answer),
    delete: (taskId) => tasks.delete(taskId),
    items: (taskId, range) => tasks.items(taskId, range),
    detach: (taskId) => tasks.detach(taskId),
    markDelivered: (taskId) => tasks.markDelivered(taskId),
    withdrawDelivered: (taskId) => tasks.withdrawDelivered(taskId),
    addWaiter: (taskId) => tasks.addWaiter(taskId),
  };
}

/** A call that found its task waits for it within this time, or not at all. */
const arrivalMs = 1_000;

class OneOwnersTasks {
  readonly #parts: EngineParts;
  readonly #owner: string;
  /** The task that this view created last: it is the owner's. */
  #created: string | undefined;
  /** The same until its caller waits for it: it runs already, and nothing has to be resumed. */
  #fresh: string | undefined;
  /** The finished task that this view read last: only its signals change. */
  #finished: TaskSnapshot | undefined;

  constructor(parts: EngineParts, owner: string) {
    this.#parts = parts;
    this.#owner = owner;
  }

  async start(request: StartRequest): Promise<StartedTask> {
    this.#parts.checkOpen();
    await this.#parts.open();
    await this.#parts.deliveries.written(this.#owner);
    const { snapshot, created } = await startTask(this.#parts, this.#owner, request);
    if (created) this.#created = this.#fresh = snapshot.record.id;
    const view = created ? viewOf(snapshot) : await this.get(snapshot.record.id);
    return { ...view, created, reused: !created && isFinal(snapshot.record.status) };
  }

  async get(taskId: string): Promise<TaskView> {
    return viewOf(await this.#look(taskId));
  }

  async list({ statuses, tool, limit = 100, cursor }: OwnTaskQuery = {}): Promise<TaskPage> {
    checkWholeNumber("limit", limit, 1, 1_000);
    return this.#parts.store.listTasks({
      owner: this.#owner,
      limit,
      ...(statuses === undefined ? {} : { statuses }),
      ...(tool === undefined ? {} : { tool }),
      ...(cursor === undefined ? {} : { cursor }),
    });
  }

  count(): Promise<TaskCounts> {
    return this.#parts.store.countTasks({ owner: this.#owner });
  }

  async *follow(
    taskId: string,
    { afterSeq = 0, signal }: { readonly afterSeq?: number; readonly signal?: AbortSignal } = {},
  ): AsyncGenerator<Followed, void, void> {
    if (afterSeq !== 0 || taskId !== this.#created) {
      const { record } = await this.#look(taskId);
      checkWholeNumber("The cursor", afterSeq, 0, record.lastSeq);
    }
    yield* followTask(this.#parts, taskId, afterSeq, signal);
  }

  async wait(taskId: string, options: Parameters<OwnedTasks["wait"]>[1] = {}): Promise<WaitResult> {
    await this.#returnTo(taskId);
    return waitForTask(this.#parts, taskId, () => this.get(taskId), options);
  }

  async pause(taskId: string): Promise<TaskView> {
    const status = statusOf(await this.#own(taskId));
    if (isFinal(status) || status === "paused") throw illegalTransition(taskId, status, "pause");
    return this.#request(taskId, "pause");
  }

  async resume(taskId: string): Promise<TaskView> {
    const parts = this.#parts;
    const { record, ...snapshot } = await this.#own(taskId);
    const status = statusOf({ record, ...snapshot });
    if (status !== "failed" && isFinal(status)) throw illegalTransition(taskId, status, "resume");
    this.#requireValidator(record);
    if (status !== "failed") return this.#request(taskId, "resume");
    parts.checkOpen();
    requireTool(parts.tools, record.tool);
    await parts.open();
    await parts.unfinished.admit(record);
    await parts.scheduler.restart(taskId);
    parts.unfinished.add(record);
    return this.get(taskId);
  }

  async cancel(taskId: string): Promise<TaskView> {
    const status = statusOf(await this.#own(taskId));
    if (isFinal(status)) throw illegalTransition(taskId, status, "cancel");
    return this.#request(taskId, "cancel");
  }

  async answer(taskId: string, key: string, given: Answer): Promise<TaskView> {
    const { store, dueTimes, scheduler, open } = this.#parts;
    const answer = checkGivenAnswer(await this.#own(taskId), key, given, (wallMs) => dueTimes.leftMs(wallMs));
    await open();
    await store.signal(taskId, { kind: "answer", key, answer });
    const snapshot = await this.#own(taskId);
    if (snapshot.leased) await scheduler.applySignals(snapshot);
    scheduler.resumeForWaiter(snapshot);
    return this.get(taskId);
  }

  async delete(taskId: string): Promise<void> {
    const before = await this.#own(taskId);
    const status = statusOf(before);
    const deleted = isFinal(status) && (await this.#parts.scheduler.remove(taskId));
    if (!deleted) throw illegalTransition(taskId, isFinal(status) ? "pending" : status, "delete");
    this.#parts.unfinished.remove(before.record);
  }

  async items(
    taskId: string,
    { after = 0, limit = 100 }: { readonly after?: number; readonly limit?: number } = {},
  ): ReturnType<Store["readItems"]> {
    checkWholeNumber("after", after, 0, Number.MAX_SAFE_INTEGER);
    checkWholeNumber("limit", limit, 1, 1_000);
    await this.#own(taskId);
    return this.#parts.store.readItems(taskId, { after, limit });
  }

  async detach(taskId: string): Promise<void> {
    const { record } = await this.#own(taskId);
    if (!isFinal(record.status) && !record.detached) await this.#request(taskId, "detach");
  }

  markDelivered(taskId: string): Promise<void> {
    return this.#parts.deliveries.write(this.#owner, taskId, async () => {
      const known = this.#finished?.record.id === taskId ? this.#finished : undefined;
      const snapshot = known ?? (await this.#own(taskId));
      if (snapshot.record.status !== "completed" || isDelivered(snapshot)) return;
      await this.#parts.store.signal(taskId, { kind: "delivered" });
    });
  }

  withdrawDelivered(taskId: string): Promise<void> {
    return this.#parts.deliveries.write(this.#owner, taskId, async () => {
      const snapshot = await this.#own(taskId);
      this.#finished = undefined;
      if (isDelivered(snapshot)) await this.#parts.store.signal(taskId, { kind: "undelivered" });
    });
  }

  addWaiter(taskId: string): (left: "cancelled" | "gone") => void {
    const { callers, stops, onError } = this.#parts;
    stops.forget(taskId);
    callers.set(taskId, (callers.get(taskId) ?? 0) + 1);
    this.#parts.arrivals.delete(taskId);
    if (this.#fresh === taskId) this.#fresh = undefined;
    else void this.#returnTo(taskId).catch(onError);
    let here = true;
    return (left) => {
      if (!here) return;
      here = false;
      const others = (callers.get(taskId) ?? 1) - 1;
      if (others > 0) callers.set(taskId, others);
      else callers.delete(taskId);
      if (left === "cancelled" && others <= 0) stops.begin(taskId, () => this.#stopUnawaited(taskId));
    };
  }

  async #own(taskId: string): Promise<TaskSnapshot> {
    const snapshot = isTaskId(taskId) ? await this.#parts.store.getTask(taskId) : undefined;
    if (snapshot === undefined || snapshot.record.owner !== this.#owner) throw taskNotFound(taskId);
    if (isFinal(snapshot.record.status)) {
      this.#finished = snapshot;
      this.#parts.unfinished.remove(snapshot.record);
    }
    return snapshot;
  }

  /** Who only looks at a task expects it to go on all the same, if it continues by itself. */
  async #look(taskId: string): Promise<TaskSnapshot> {
    const snapshot = await this.#own(taskId);
    if (!isFinal(snapshot.record.status)) void this.#parts.open().catch(this.#parts.onError);
    return snapshot;
  }

  /** Leaves a signal, and sees to it that it is carried out. */
  async #request(taskId: string, kind: "pause" | "resume" | "cancel" | "detach"): Promise<TaskView> {
    const { store, scheduler, open } = this.#parts;
    await open();
    await store.signal(taskId, { kind });
    const snapshot = await this.#own(taskId);
    if (kind === "resume") scheduler.resumeForWaiter(snapshot);
    else await scheduler.applySignals(snapshot);
    return this.get(taskId);
  }

  /** A caller waits for the task again: an orphan continues, and what another process runs is watched. */
  async #returnTo(taskId: string): Promise<void> {
    const snapshot = await this.#own(taskId);
    const status = statusOf(snapshot);
    if (isFinal(status) || status === "paused") return;
    if (!snapshot.leased) this.#requireValidator(snapshot.record);
    await this.#parts.open();
    this.#parts.scheduler.resumeForWaiter(snapshot);
  }

  /** Without this, a caller waits in silence for a task that cannot run here. */
  #requireValidator(record: TaskRecord): void {
    const tool = this.#parts.tools.get(record.tool);
    if (tool !== undefined) this.#parts.runnable.require(tool);
  }

  /** A caller waits for the task, or has found it and is about to. */
  #isAwaited(taskId: string): boolean {
    const { callers, arrivals, clock } = this.#parts;
    const arrivedMs = arrivals.get(taskId);
    return callers.has(taskId) || (arrivedMs !== undefined && clock.monotonicMs() - arrivedMs < arrivalMs);
  }

  async #stopUnawaited(taskId: string): Promise<void> {
    const { tools, store } = this.#parts;
    const snapshot = await this.#own(taskId);
    const { record } = snapshot;
    const detached = record.detached || snapshot.signals.some((signal) => signal.kind === "detach");
    const status = statusOf(snapshot);
    const detaches = tools.get(record.tool)?.onCallerCancel === "detach";
    if (detached || detaches || isFinal(status) || status === "paused" || this.#isAwaited(taskId)) return;
    await this.#request(taskId, "pause");
    if (!this.#isAwaited(taskId)) return;
    // A caller came while the task was being stopped.
    await store.signal(taskId, { kind: "resume" });
    await this.#returnTo(taskId);
  }
}

function checkWholeNumber(what: string, value: number, from: number, to: number): void {
  if (Number.isInteger(value) && value >= from && value <= to) return;
  throw invalidValue(what, [`must be a whole number from ${from} to ${to}, not ${value}`]);
}
