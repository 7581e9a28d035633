import { isResumableError } from "../../errors.js";
import { isFinal, type TaskSnapshot } from "../../task/task-record.js";
import { dueMs, needsNoCaller } from "../../task/task-rules.js";
import { Attempt } from "../attempt/attempt.js";
import type { LeftTasks } from "../engine.js";
import type { Environment } from "../environment.js";
import { Exclusive } from "../exclusive.js";
import { writeBackoff } from "../retry-delay.js";
import { deleteFinished, restartFailed } from "./change-finished.js";
import { Company } from "./company.js";
import { wakeParent } from "./family.js";
import { type OpenedTask, openTask } from "./open-task.js";
import type { SlotWait } from "./pick-next.js";
import { Poller, TaskTimers, type TimerKind } from "./poller.js";
import { type PlacedTask, type Runnable, RunQueue, type Slot } from "./run-queue.js";
import { ToolLimits } from "./tool-limits.js";
import type { VersionVerdict } from "./version-rule.js";
import { Versions } from "./versions.js";
import { WorkFinder } from "./work-finder.js";

/** What the store did to a task that ran here, while that is not over. */
interface Trouble {
  readonly failures: number;
  /** The attempt whose end could not be written. */
  readonly brokenAttempt: number | undefined;
}

/** Decides which tasks this process runs, and runs them. */
export class Scheduler {
  /** Looks for work in the store: at once, when notified, and when something falls due. */
  readonly poller: Poller;
  readonly versions: Versions;
  readonly #environment: Environment;
  readonly #queue: RunQueue;
  /** Tasks that a caller in this process waits for: should a runner elsewhere die, this process continues with them. */
  readonly #awaited = new Set<string>();
  readonly #troubles = new Map<string, Trouble>();
  readonly #exclusive = new Exclusive();
  readonly #timers: TaskTimers;
  readonly #toolLimits: ToolLimits;
  /** When what still runs has to stop, in monotonic milliseconds. */
  #drainUntilMs: number | undefined;
  #left: LeftTasks = [];

  constructor(environment: Environment) {
    this.#environment = environment;
    this.versions = new Versions(environment);
    const company = new Company(environment);
    this.#toolLimits = new ToolLimits(environment, () => this.#queue.pump());
    this.#queue = new RunQueue(environment, {
      serve: (task, slot) => this.#serve(task, slot),
      offer: (taskId) => this.#offer(taskId),
      noteCompany: (isNow, owner) => company.note(isNow, owner),
      toolLimits: this.#toolLimits,
    });
    this.#timers = new TaskTimers(environment.clock);
    const finder = new WorkFinder({
      ...{ environment, queue: this.#queue, timers: this.#timers, versions: this.versions },
      isAwaited: (taskId) => this.#awaited.has(taskId),
    });
    this.poller = new Poller(environment, () => {
      this.#toolLimits.reopen();
      return finder.look();
    });
  }

  /** Ids of the tasks that this process runs or is about to run. */
  get running(): readonly string[] {
    return this.#queue.running;
  }

  /** Which limit keeps a task from a slot of this process, if one does. */
  slotWait(taskId: string): SlotWait | undefined {
    return this.#queue.slotWait(taskId);
  }

  /** Queues a task. `awaited`: a caller in this process waits for it. `runsElsewhere`: another process runs it by now. */
  kick(task: Runnable, { awaited = true, runsElsewhere = false } = {}): void {
    if (awaited) this.#awaited.add(task.id);
    this.#timers.clear(task.id);
    this.#queue.add(task, runsElsewhere);
    this.#queue.pump();
  }

  /** Sees to it that a task continues that a caller in this process waits for, as soon as it may. */
  resumeForWaiter(snapshot: TaskSnapshot): void {
    const { record } = snapshot;
    if (isFinal(record.status)) return;
    this.#awaited.add(record.id);
    const slot = this.#queue.slotOf(record.id);
    const due = dueMs(snapshot) ?? Number.POSITIVE_INFINITY;
    if (slot !== undefined) slot.attempt?.look();
    else if (snapshot.leased) this.kick(record, { runsElsewhere: true });
    else if (this.#environment.dueTimes.leftMs(due) <= 0) this.kick(record);
    else this.#rest(snapshot);
  }

  /** Carries out signals of a task: by its attempt in this process, or, when no process runs it, here and now. */
  async applySignals(snapshot: TaskSnapshot): Promise<void> {
    const { id } = snapshot.record;
    if (this.#queue.slotOf(id) === undefined && !snapshot.leased) {
      try {
        const opened = await this.#open(id, false);
        if (opened.kind === "idle") this.#rest(opened.snapshot, opened.verdict);
      } catch (error) {
        // The request is durable: the process that runs the task next, or looks for work, carries it out.
        this.#environment.onError(error);
        this.poller.notify();
      }
    }
    this.#queue.slotOf(id)?.attempt?.look();
  }

  /** Begins a new generation of a failed task from its last state. */
  async restart(taskId: string): Promise<void> {
    await this.#queue.slotOf(taskId)?.done;
    const record = await this.#exclusive.run(taskId, () => restartFailed(this.#environment, taskId));
    if (record !== undefined) this.kick({ ...record, crashes: 0 });
  }

  /** Deletes a finished task; resolves to false for an unfinished one. */
  async remove(taskId: string): Promise<boolean> {
    await this.#queue.slotOf(taskId)?.done;
    return this.#exclusive.run(taskId, () => deleteFinished(this.#environment, taskId));
  }

  /** Takes no more work and stops what runs. Resolves to the tasks that did not stop in time. */
  async drain(timeoutMs: number, leave: LeftTasks): Promise<readonly string[]> {
    const running = this.#queue.stop();
    // What a task leaves behind may throw in its name after its end: nothing tells whose code that was.
    this.#left = leave.length === 0 || running.some(({ id }) => leave.includes(id)) ? leave : "all";
    this.#drainUntilMs = this.#environment.clock.monotonicMs() + timeoutMs;
    this.poller.stop();
    this.#timers.clearAll();
    const slots = running.filter(({ id }) => !this.#isLeft(id));
    for (const slot of slots) this.#drainAttempt(slot);
    let stopTimer = () => {};
    const late = new Promise<void>((resolve) => {
      // A process in which nothing else is left to do would end before the last writes.
      stopTimer = this.#environment.clock.after(timeoutMs, resolve, true);
    });
    await Promise.race([Promise.all(slots.map((slot) => slot.done)), late]);
    stopTimer();
    return this.running;
  }

  /** A third each for the next checkpoint, for the tool to notice its signal, and for the last write. */
  #drainAttempt({ attempt, id }: Slot): void {
    if (this.#drainUntilMs === undefined || this.#isLeft(id)) return;
    attempt?.drain(Math.max(0, (this.#drainUntilMs - this.#environment.clock.monotonicMs()) / 3));
  }

  #isLeft(taskId: string): boolean {
    return this.#left === "all" || this.#left.includes(taskId);
  }

  #schedule(task: Runnable, kind: TimerKind, delayMs: number, runsElsewhere = false): void {
    if (this.#drainUntilMs !== undefined) return;
    this.#timers.set(task.id, kind, delayMs, () => this.kick(task, { awaited: false, runsElsewhere }));
  }

  /**
   * Runs one attempt of a task. When there is to be another one is decided when the slot is free: what comes in between
   * would find the slot taken, and be lost.
   */
  async #serve(task: PlacedTask, slot: Slot): Promise<() => void> {
    const { store, onError } = this.#environment;
    try {
      await slot.noted;
      const wait = await this.#toolLimits.look(task);
      if (wait !== undefined) return () => this.#holdBack(task, wait);
      const opened = await this.#open(task.id, true);
      if (opened.kind === "held") return () => this.#lost(task);
      if (opened.kind === "held_back") return () => this.#holdBack(task, opened.wait, opened.snapshot);
      if (opened.kind === "idle") return () => this.#rest(opened.snapshot, opened.verdict);
      const { lease, record, tool, before } = opened;
      this.#queue.begins(task, slot);
      const onProgressed = (): void => {
        this.#troubles.delete(task.id);
        this.#queue.clear(slot);
      };
      const onWaiting = (waiting: boolean): void => this.#queue.setWaiting(slot, waiting);
      const mayWaitInPlace = (): boolean => this.#queue.mayWaitInPlace;
      const yields = (): boolean => this.#queue.yields(slot);
      const runChild = (child: Runnable): void => this.kick(child, { awaited: false });
      const continueChild = (childId: string): Promise<void> => this.restart(childId);
      const callbacks = { onProgressed, onWaiting, mayWaitInPlace, yields, runChild, continueChild };
      try {
        slot.attempt = new Attempt({ ...this.#environment, ...callbacks, lease, record, tool, before });
        this.#drainAttempt(slot);
        const broken = await slot.attempt.run();
        if (broken !== undefined) return () => this.#failed(task, broken.error, record.attempt);
      } finally {
        await this.#toolLimits.release(tool, lease);
        await store.releaseLease(lease).catch(onError);
      }
      const snapshot = await this.#afterAttempt(task.id);
      if (snapshot === undefined) return () => this.#forget(task.id);
      await wakeParent(this.#environment, snapshot.record);
      const { refused } = snapshot.record;
      if (refused !== undefined) this.versions.noteRefused(snapshot.record);
      return () => this.#rest({ ...snapshot, leased: false }, refused === undefined ? "run" : "refuse");
    } catch (error) {
      return () => this.#failed(task, error, this.#troubles.get(task.id)?.brokenAttempt);
    }
  }

  /** Carries a request out that the attempt left: what the task called may need the slot until it stops. */
  async #afterAttempt(taskId: string): Promise<TaskSnapshot | undefined> {
    const snapshot = await this.#environment.store.getTask(taskId);
    if (!snapshot?.signals.some(({ kind }) => kind === "pause" || kind === "resume")) return snapshot;
    const opened = await this.#open(taskId, false);
    return opened.kind === "idle" ? opened.snapshot : snapshot;
  }

  /** A task that needs no caller is there for any process already. */
  async #offer(taskId: string): Promise<void> {
    const { store, onError } = this.#environment;
    try {
      const snapshot = await store.getTask(taskId);
      if (snapshot === undefined || isFinal(snapshot.record.status) || snapshot.leased) return;
      if (!needsNoCaller(snapshot)) await store.signal(taskId, { kind: "offer" });
    } catch (error) {
      onError(error);
    }
  }

  #open(taskId: string, mayRun: boolean): Promise<OpenedTask> {
    return this.#exclusive.run(taskId, () =>
      openTask(this.#environment, taskId, {
        mayRun: mayRun && this.#drainUntilMs === undefined,
        brokenAttempt: this.#troubles.get(taskId)?.brokenAttempt,
        versions: this.versions,
        toolLimits: this.#toolLimits,
      }),
    );
  }

  /** Decides when a task that ran here runs again: a caller was there, so it waits for none to return. */
  #rest(snapshot: TaskSnapshot, verdict: VersionVerdict["kind"] = "run"): void {
    const { record } = snapshot;
    const due = dueMs(snapshot);
    const leftMs = due === undefined ? undefined : this.#environment.dueTimes.leftMs(due);
    const isLeft = this.versions.note(record, verdict);
    this.#troubles.delete(record.id);
    if (verdict === "leave") this.#passOn(snapshot, leftMs);
    // Something has to happen to it first: the process that makes it happen, or looks for work then, continues it.
    if (leftMs === undefined) this.#forget(record.id);
    // What is left alone is looked at again when a look for work finds it.
    else if (!isLeft) this.#schedule(record, "due", leftMs);
  }

  /** A limit of its tool keeps a task: it keeps its place in the queue, unless it has something else to wait for by now. */
  #holdBack(task: PlacedTask, wait: SlotWait, snapshot?: TaskSnapshot): void {
    const due = snapshot === undefined ? 0 : dueMs(snapshot);
    const isDue = due !== undefined && this.#environment.dueTimes.leftMs(due) <= 0;
    if (snapshot !== undefined && !isDue) this.#rest(snapshot);
    else this.#queue.putBack({ ...task, attempt: wait.limit === "rate" ? 0 : task.attempt });
  }

  /** A caller waits here for a task that another worker is to run: it would give the task's own caller time to return. */
  #passOn(snapshot: TaskSnapshot, leftMs: number | undefined): void {
    const { id } = snapshot.record;
    if (!this.#awaited.has(id) || leftMs === undefined || leftMs > 0 || needsNoCaller(snapshot)) return;
    this.#environment.store.signal(id, { kind: "resume" }).catch(this.#environment.onError);
  }

  /** Another process runs the task. */
  #lost(task: Runnable): void {
    this.#troubles.delete(task.id);
    if (this.#awaited.has(task.id)) this.#schedule(task, "due", this.#environment.limits.pollMs, true);
  }

  #failed(task: Runnable, error: unknown, brokenAttempt: number | undefined): void {
    const { limits, onError, telemetry } = this.#environment;
    // Of a lost lease, too: no harm is done, but the operator wants to know that this process stood still.
    if (!isResumableError(error, "TASK_NOT_FOUND")) onError(error);
    if (isResumableError(error, "LEASE_LOST")) {
      telemetry.lostLease();
      this.#lost(task);
      return;
    }
    // The task was deleted, or cannot be read, or its store is closed: trying again changes nothing.
    if (isResumableError(error, "TASK_NOT_FOUND", "TASK_CORRUPT", "STORE_CLOSED")) {
      this.#forget(task.id);
      return;
    }
    const failures = this.#troubles.get(task.id)?.failures ?? 0;
    this.#troubles.set(task.id, { failures: failures + 1, brokenAttempt });
    this.#schedule(task, "backoff", writeBackoff(failures, limits));
  }

  #forget(taskId: string): void {
    this.#awaited.delete(taskId);
    this.#troubles.delete(taskId);
    this.#timers.clear(taskId);
    this.versions.forget(taskId);
    this.#queue.remove(taskId);
  }
}
