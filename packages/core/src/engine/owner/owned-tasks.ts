import { invalidValue } from "../../errors.js";
import { isFinal, type NewSignal, type TaskSnapshot } from "../../task/task-record.js";
import { isDelivered, readStatus } from "../../task/task-rules.js";
import type { Followed, OwnedTasks, TaskView } from "../engine.js";
import { canContinue } from "../runs-again.js";
import { isKeptForParent } from "../scheduling/family.js";
import { readOwned } from "../scheduling/read-tasks.js";
import { findArtifact } from "./artifact-reader.js";
import { checkGivenAnswer } from "./check-answer.js";
import { findTask } from "./find-task.js";
import { followTask, waitForTask } from "./follow-task.js";
import { type EngineParts, startTask } from "./start-task.js";
import { cannotPause, illegalTransition, isTaskId, keptForParent, taskNotFound, toTaskView } from "./task-view.js";

/** One owner's view of an engine. Its methods may be taken off it. */
export class OneOwnersTasks implements OwnedTasks {
  readonly owner: string;
  readonly #parts: EngineParts;
  /** The task that this view created last: it is the owner's. */
  #created: string | undefined;
  /** The same until its caller waits for it: it runs already, and nothing has to be resumed. */
  #fresh: string | undefined;
  /** What is known of the finished task that this view read last; its input and output may be large. */
  #finished: { readonly taskId: string; readonly owner: string; readonly takesDelivery: boolean } | undefined;
  /** Whose tasks it reaches by their ids, too. */
  readonly #reaches: (owner: string) => boolean;
  /** Whose tasks it lists and counts; `undefined`: those of all owners. */
  readonly #listed: string | undefined;

  constructor(parts: EngineParts, owner: string, reaches: ((owner: string) => boolean) | "all" = () => false) {
    this.#parts = parts;
    this.owner = owner;
    this.#reaches = reaches === "all" ? () => true : reaches;
    this.#listed = reaches === "all" ? undefined : owner;
  }

  readonly start: OwnedTasks["start"] = async (request) => {
    this.#parts.checkOpen();
    await this.#parts.open();
    await this.#parts.deliveries.written(this.owner);
    const { snapshot, created } = await startTask(this.#parts, this.owner, request);
    if (created) this.#created = this.#fresh = snapshot.record.id;
    const view = created ? this.#viewOf(snapshot) : await this.get(snapshot.record.id);
    return { ...view, created, reused: !created && isFinal(snapshot.record.status) };
  };

  readonly find: OwnedTasks["find"] = async (call) => {
    const snapshot = await findTask(this.#parts, this.owner, call);
    return snapshot && this.#viewOf(snapshot);
  };

  readonly get: OwnedTasks["get"] = async (taskId) => {
    return this.#viewOf(await this.#look(taskId));
  };

  readonly list: OwnedTasks["list"] = async ({ statuses, tool, limit = 100, cursor } = {}) => {
    checkWholeNumber("limit", limit, 1, 1_000);
    const { store, masking } = this.#parts;
    const page = await store.listTasks({ ...this.#whose(), limit, statuses, tool, cursor });
    return { ...page, tasks: page.tasks.map((task) => masking.record(task)) };
  };

  readonly count: OwnedTasks["count"] = () => this.#parts.store.countTasks(this.#whose());

  readonly follow: OwnedTasks["follow"] = (taskId, options) => this.#follow(taskId, options);

  readonly wait: OwnedTasks["wait"] = async (taskId, options = {}) => {
    await this.#returnTo(taskId);
    return waitForTask(this.#parts, taskId, () => this.get(taskId), options);
  };

  readonly pause: OwnedTasks["pause"] = async (taskId) => {
    const snapshot = await this.#own(taskId);
    const { record } = snapshot;
    const status = readStatus(snapshot);
    if (isFinal(status) || status === "paused") throw illegalTransition(taskId, status, "pause");
    const isBegun = record.attempt > 0;
    if (isBegun && !canContinue(this.#parts.tools.all.get(record.tool), record)) throw cannotPause(taskId, status);
    return this.#request(taskId, { kind: "pause" });
  };

  readonly resume: OwnedTasks["resume"] = async (taskId) => {
    const parts = this.#parts;
    const snapshot = await this.#own(taskId);
    const { record } = snapshot;
    const status = readStatus(snapshot);
    if (status !== "failed" && isFinal(status)) throw illegalTransition(taskId, status, "resume");
    parts.tools.requireValidator(record.tool);
    if (status !== "failed") return this.#request(taskId, { kind: "resume" });
    parts.checkOpen();
    parts.tools.require(record.tool);
    await parts.open();
    await parts.scheduler.restart(taskId);
    return this.get(taskId);
  };

  readonly cancel: OwnedTasks["cancel"] = async (taskId) => {
    const status = readStatus(await this.#own(taskId));
    if (isFinal(status)) throw illegalTransition(taskId, status, "cancel");
    return this.#request(taskId, { kind: "cancel" });
  };

  readonly answer: OwnedTasks["answer"] = async (taskId, key, given) => {
    const { store, dueTimes, scheduler, open } = this.#parts;
    const asking = await this.#own(taskId);
    const answer = checkGivenAnswer(asking, key, given, (wallMs) => dueTimes.leftMs(wallMs));
    await open();
    await store.signal(taskId, { kind: "answer", key, answer, itemsFromSeq: asking.record.itemsFromSeq });
    const snapshot = await this.#own(taskId);
    if (snapshot.leased) await scheduler.applySignals(snapshot);
    scheduler.resumeForWaiter(snapshot);
    return this.get(taskId);
  };

  readonly delete: OwnedTasks["delete"] = async (taskId) => {
    const snapshot = await this.#own(taskId);
    const status = readStatus(snapshot);
    const deleted = isFinal(status) && (await this.#parts.scheduler.remove(taskId));
    if (deleted) return;
    if (isFinal(status) && (await isKeptForParent(this.#parts, snapshot.record))) throw keptForParent(snapshot.record);
    throw illegalTransition(taskId, isFinal(status) ? "pending" : status, "delete");
  };

  readonly items: OwnedTasks["items"] = async (taskId, { after = 0, limit = 100 } = {}) => {
    checkWholeNumber("after", after, 0, Number.MAX_SAFE_INTEGER);
    checkWholeNumber("limit", limit, 1, 1_000);
    await this.#own(taskId);
    return this.#parts.store.readItems(taskId, { after, limit });
  };

  readonly artifact: OwnedTasks["artifact"] = async (taskId, name) =>
    findArtifact(this.#parts.store, (await this.#own(taskId)).record, name);

  readonly detach: OwnedTasks["detach"] = async (taskId) => {
    const { record } = await this.#own(taskId);
    if (!isFinal(record.status) && !record.detached) await this.#request(taskId, { kind: "detach" });
  };

  readonly markDelivered: OwnedTasks["markDelivered"] = (taskId) =>
    this.#parts.deliveries.write(this.#ownerOf(taskId), taskId, async () => {
      if (this.#finished?.taskId !== taskId) await this.#own(taskId);
      if (this.#finished?.taskId !== taskId || !this.#finished.takesDelivery) return;
      await this.#parts.store.signal(taskId, { kind: "delivered" });
    });

  readonly withdrawDelivered: OwnedTasks["withdrawDelivered"] = (taskId) =>
    this.#parts.deliveries.write(this.#ownerOf(taskId), taskId, async () => {
      const snapshot = await this.#own(taskId);
      this.#finished = undefined;
      if (isDelivered(snapshot)) await this.#parts.store.signal(taskId, { kind: "undelivered" });
    });

  readonly addWaiter: OwnedTasks["addWaiter"] = (taskId) => {
    const { callers, onError } = this.#parts;
    callers.add(taskId);
    if (this.#fresh === taskId) this.#fresh = undefined;
    else void this.#returnTo(taskId).catch(onError);
    let here = true;
    return (left) => {
      if (!here) return;
      here = false;
      const wasLast = callers.remove(taskId);
      if (left === "cancelled" && wasLast) callers.beginStop(taskId, () => this.#stopUnawaited(taskId));
    };
  };

  async *#follow(
    taskId: string,
    { afterSeq = 0, signal }: { readonly afterSeq?: number; readonly signal?: AbortSignal } = {},
  ): AsyncGenerator<Followed, void, void> {
    if (afterSeq !== 0 || taskId !== this.#created) {
      const { record } = await this.#look(taskId);
      checkWholeNumber("The cursor", afterSeq, 0, record.lastSeq);
    }
    for await (const followed of followTask(this.#parts, taskId, afterSeq, signal)) {
      yield this.#parts.masking.followed(followed, taskId);
    }
  }

  #whose(): { readonly owner?: string } {
    return this.#listed === undefined ? {} : { owner: this.#listed };
  }

  #viewOf(snapshot: TaskSnapshot): TaskView {
    const { masking, scheduler } = this.#parts;
    const view = toTaskView({ ...snapshot, record: masking.record(snapshot.record) });
    const waitsFor = view.status === "pending" ? scheduler.slotWait(snapshot.record.id) : undefined;
    return waitsFor === undefined ? view : { ...view, waitsFor };
  }

  async #own(taskId: string): Promise<TaskSnapshot> {
    const isOwn = (owner: string) => owner === this.owner || this.#reaches(owner);
    const snapshot = isTaskId(taskId) ? await readOwned(this.#parts, isOwn, taskId) : undefined;
    if (snapshot === undefined) throw taskNotFound(taskId);
    const { owner, status } = snapshot.record;
    const takesDelivery = status === "completed" && !isDelivered(snapshot);
    if (isFinal(status)) this.#finished = { taskId, owner, takesDelivery };
    return snapshot;
  }

  /** Whose calls wait for notes about a task: a result was read before it is delivered. */
  #ownerOf(taskId: string): string {
    return this.#finished?.taskId === taskId ? this.#finished.owner : this.owner;
  }

  /** Who only looks at a task expects it to go on all the same, if it continues by itself. */
  async #look(taskId: string): Promise<TaskSnapshot> {
    const snapshot = await this.#own(taskId);
    if (!isFinal(snapshot.record.status)) void this.#parts.open().catch(this.#parts.onError);
    return snapshot;
  }

  /** Leaves a signal, and sees to it that it is carried out. */
  async #request(taskId: string, signal: NewSignal): Promise<TaskView> {
    const { store, scheduler, open } = this.#parts;
    await open();
    await store.signal(taskId, signal);
    const snapshot = await this.#own(taskId);
    if (signal.kind === "resume") scheduler.resumeForWaiter(snapshot);
    else await scheduler.applySignals(snapshot);
    return this.get(taskId);
  }

  /** A caller waits for the task again: an orphan continues, and what another process runs is watched. */
  async #returnTo(taskId: string): Promise<void> {
    const snapshot = await this.#own(taskId);
    const status = readStatus(snapshot);
    if (isFinal(status) || status === "paused") return;
    // Without this, a caller waits in silence for a task that cannot run here.
    if (!snapshot.leased) this.#parts.tools.requireValidator(snapshot.record.tool);
    await this.#parts.open();
    this.#parts.scheduler.resumeForWaiter(snapshot);
  }

  async #stopUnawaited(taskId: string): Promise<void> {
    const { tools, store, callers } = this.#parts;
    const snapshot = await this.#own(taskId);
    const { record } = snapshot;
    const detached = record.detached || snapshot.signals.some((signal) => signal.kind === "detach");
    const status = readStatus(snapshot);
    const tool = tools.all.get(record.tool);
    if (
      detached ||
      tool?.onCallerCancel === "detach" ||
      isFinal(status) ||
      status === "paused" ||
      callers.isAwaited(taskId)
    )
      return;
    if (!canContinue(tool, record)) return void (await this.#request(taskId, { kind: "cancel" }));
    await this.#request(taskId, { kind: "pause", cause: "caller_left" });
    if (!callers.isAwaited(taskId)) return;
    // A caller came while the task was being stopped.
    await store.signal(taskId, { kind: "resume" });
    await this.#returnTo(taskId);
  }
}

function checkWholeNumber(what: string, value: number, from: number, to: number): void {
  if (Number.isInteger(value) && value >= from && value <= to) return;
  throw invalidValue(what, [`must be a whole number from ${from} to ${to}, not ${value}`]);
}
