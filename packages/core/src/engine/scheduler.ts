import type { engineDefaults } from "../limits.js";
import type { JsonSchemaValidator } from "../schema.js";
import type { Instant, Observer, Store, TaskSnapshot } from "../store.js";
import { isFinal, type TaskRecord } from "../task-record.js";
import { dueMs } from "../task-rules.js";
import type { Tool } from "../tool.js";
import type { Clock } from "./engine.js";
import { isLeaseLost } from "./journal-writer.js";
import { pickNext, type QueuedTask, type RunningTask } from "./pick-next.js";
import { planAttempt } from "./plan-attempt.js";
import { type Attempt, runAttempt } from "./run-attempt.js";

/** What a scheduler is made of. */
export interface SchedulerOptions {
  readonly store: Store;
  readonly tools: ReadonlyMap<string, Tool>;
  readonly recover: "auto" | "all";
  readonly worker: string;
  readonly limits: typeof engineDefaults;
  readonly clock: Clock;
  readonly validate: JsonSchemaValidator | undefined;
  readonly observer: Observer | undefined;
  readonly onError: (error: unknown) => void;
  readonly onFinished: (record: TaskRecord) => void;
}

/** Decides which tasks this process runs, and runs them. */
export interface Scheduler {
  readonly running: readonly string[];
  /** Looks for work in the store now, and from then on when hinted or due. */
  look(): Promise<void>;
  /** Queues a task that somebody in this process waits for. */
  kick(task: Pick<TaskRecord, "id" | "owner" | "tool" | "crashes">): void;
  /** Carries out signals of a task: by its attempt in this process, or, when nobody runs it, here and now. */
  settle(snapshot: TaskSnapshot): Promise<void>;
  /** Begins a new generation of a failed task from its last state. Nothing happens when somebody else holds it. */
  restart(taskId: string): Promise<void>;
  /** Deletes a finished task; resolves to false when somebody else holds it. */
  remove(taskId: string): Promise<boolean>;
  /** Takes no more work and stops what runs. Resolves to the tasks that did not stop in time. */
  drain(timeoutMs: number): Promise<readonly string[]>;
}

interface Slot extends RunningTask {
  alone: boolean;
  attempt?: Attempt;
}

/** Makes the scheduler of one engine. */
export function createScheduler(options: SchedulerOptions): Scheduler {
  const { store, tools, limits, clock, worker, onError } = options;
  const queue = new Map<string, QueuedTask>();
  const slots = new Map<string, Slot>();
  /** Tasks that ran here and are to run again, with the timer that queues them. */
  const waiting = new Map<string, () => void>();
  const writeFailures = new Map<string, number>();
  const finished = new Set<Promise<void>>();
  let draining = false;
  let stopLook = () => {};
  let looking: Promise<void> | undefined;
  let lookAgain = false;

  const now = (): Instant => ({ wallMs: clock.wallMs(), monotonicMs: clock.monotonicMs() });
  const slotLimits = {
    maxRunning: limits.maxRunning,
    maxRunningPerOwner: limits.maxRunningPerOwner,
    maxRunningOf: (tool: string) => tools.get(tool)?.maxRunning ?? Number.POSITIVE_INFINITY,
    aloneMs: limits.aloneMs,
  };

  const enqueue = (task: Pick<TaskRecord, "id" | "owner" | "tool" | "crashes">): void => {
    if (draining || !tools.has(task.tool) || queue.has(task.id) || slots.has(task.id)) return;
    waiting.get(task.id)?.();
    waiting.delete(task.id);
    const { id, owner, tool, crashes } = task;
    queue.set(id, { id, owner, tool, crashes, queuedAtMs: clock.monotonicMs() });
  };

  const pump = (): void => {
    while (!draining) {
      const next = pickNext(queue.values(), [...slots.values()], slotLimits, clock.monotonicMs());
      if (next === undefined) return;
      queue.delete(next.id);
      slots.set(next.id, { owner: next.owner, tool: next.tool, alone: next.crashes > 0 });
      const done = run(next)
        .catch(onError)
        .finally(() => {
          slots.delete(next.id);
          finished.delete(done);
          pump();
        });
      finished.add(done);
    }
  };

  const run = async (task: QueuedTask): Promise<void> => {
    const started = await begin(task.id);
    if (started === undefined) return;
    const { attempt, release } = started;
    const slot = slots.get(task.id);
    if (slot !== undefined) slot.attempt = attempt;
    if (draining) attempt.drain(limits.graceMs);
    const { broken } = await attempt.ended;
    await release().catch(onError);
    if (!isLeaseLost(broken)) await after(task, broken);
  };

  /** Decides when a task that ran here runs again: its callers are here, whatever the recovery policy says. */
  const after = async (task: QueuedTask, broken: unknown): Promise<void> => {
    if (broken !== undefined) {
      onError(broken);
      const failures = writeFailures.get(task.id) ?? 0;
      writeFailures.set(task.id, failures + 1);
      return schedule(task, Math.min(limits.writeBackoffMs * 2 ** failures, limits.maxWriteBackoffMs));
    }
    writeFailures.delete(task.id);
    const snapshot = await store.getTask(task.id);
    if (snapshot === undefined) return;
    if (isFinal(snapshot.record.status)) return options.onFinished(snapshot.record);
    const due = dueMs(snapshot, "all");
    if (due !== undefined) schedule(snapshot.record, due - clock.wallMs());
  };

  const schedule = (task: Pick<TaskRecord, "id" | "owner" | "tool"> & { crashes: number }, delayMs: number): void => {
    if (draining) return;
    waiting.get(task.id)?.();
    const queueNow = (): void => {
      waiting.delete(task.id);
      enqueue(task);
      pump();
    };
    waiting.set(task.id, clock.after(Math.max(0, delayMs), queueNow));
  };

  /** Takes a task's lease, carries out what is wished, and begins an attempt if there is to be one. */
  const begin = async (
    taskId: string,
    mayRun = true,
  ): Promise<{ attempt: Attempt; release: () => Promise<void> } | undefined> => {
    const acquired = await store.acquireLease({ taskId, worker, ttlMs: limits.leaseTtlMs, now: now() });
    if (acquired === undefined) return undefined;
    const { lease, snapshot } = acquired;
    const release = (): Promise<void> => store.releaseLease(lease);
    try {
      const tool = tools.get(snapshot.record.tool);
      const facts = tool ?? {
        name: snapshot.record.tool,
        version: "",
        kind: "generator" as const,
        onCrash: "fail" as const,
      };
      const plan = planAttempt(snapshot, {
        tool: facts,
        worker,
        nowMs: clock.wallMs(),
        maxCrashesWithoutProgress: limits.maxCrashesWithoutProgress,
        crashBackoffMs: limits.crashBackoffMs,
        mayRun: mayRun && tool !== undefined && !draining,
      });
      const record = await carryOut(lease, snapshot, plan);
      if (plan.run && tool !== undefined) return { attempt: start(lease, record, snapshot, tool), release };
      await release();
      await afterPlan(record);
      return undefined;
    } catch (error) {
      await release().catch(onError);
      throw error;
    }
  };

  const afterPlan = async (record: TaskRecord): Promise<void> => {
    if (isFinal(record.status)) return options.onFinished(record);
    const snapshot = await store.getTask(record.id);
    const due = snapshot === undefined ? undefined : dueMs(snapshot, "all");
    if (snapshot !== undefined && due !== undefined) schedule(snapshot.record, due - clock.wallMs());
  };

  const carryOut = async (
    lease: Parameters<Store["commit"]>[0]["lease"],
    snapshot: TaskSnapshot,
    plan: ReturnType<typeof planAttempt>,
  ): Promise<TaskRecord> => {
    const { events, consume } = plan;
    if (events.length === 0 && consume.length === 0) return snapshot.record;
    await store.commit({ lease, afterSeq: snapshot.record.lastSeq, events, consume, now: now() });
    const written = await store.getTask(lease.taskId);
    return written?.record ?? snapshot.record;
  };

  const start = (
    lease: Parameters<Store["commit"]>[0]["lease"],
    record: TaskRecord,
    before: TaskSnapshot,
    tool: Tool,
  ): Attempt =>
    runAttempt({
      store,
      clock,
      lease,
      record,
      tool,
      limits,
      previousVersion: before.record.toolVersion,
      validate: options.validate,
      observer: options.observer,
      onProgressed: () => {
        const slot = slots.get(lease.taskId);
        if (slot?.alone !== true) return;
        slot.alone = false;
        pump();
      },
    });

  const lookOnce = async (): Promise<void> => {
    const found = await store.listRunnable({
      tools: [...tools.keys()],
      recover: options.recover,
      now: now(),
      limit: limits.lookBatch,
    });
    for (const task of found.tasks) if (!waiting.has(task.id)) enqueue(task);
    pump();
    const dueInMs = found.nextDueMs === undefined ? limits.pollMs : found.nextDueMs - clock.wallMs();
    stopLook();
    if (!draining) stopLook = clock.after(Math.min(Math.max(dueInMs, 0), limits.pollMs), () => void look());
  };

  /** One look at a time; whoever asks meanwhile gets one more. */
  const look = (): Promise<void> => {
    if (draining) return Promise.resolve();
    lookAgain = looking !== undefined;
    looking ??= lookOnce()
      .catch((error: unknown) => {
        onError(error);
        if (!draining) stopLook = clock.after(limits.pollMs, () => void look());
      })
      .finally(() => {
        looking = undefined;
        if (lookAgain) {
          lookAgain = false;
          void look();
        }
      });
    return looking;
  };

  return {
    get running() {
      return [...slots.keys()];
    },
    look,
    kick(task) {
      enqueue(task);
      pump();
    },
    async settle(snapshot) {
      const { id } = snapshot.record;
      const slot = slots.get(id);
      if (slot !== undefined) return slot.attempt?.look();
      if (!snapshot.leased) await begin(id, false);
    },
    async restart(taskId) {
      const acquired = await store.acquireLease({ taskId, worker, ttlMs: limits.leaseTtlMs, now: now() });
      if (acquired === undefined) return;
      const { lease, snapshot } = acquired;
      const { record } = snapshot;
      try {
        if (record.status !== "failed") return;
        const restarted = { type: "restarted", generation: record.generation + 1, fromState: true } as const;
        const consume = snapshot.signals.map((signal) => signal.id);
        await store.commit({ lease, afterSeq: record.lastSeq, events: [restarted], consume, now: now() });
      } finally {
        await store.releaseLease(lease);
      }
      enqueue({ ...record, crashes: 0 });
      pump();
    },
    async remove(taskId) {
      const acquired = await store.acquireLease({ taskId, worker, ttlMs: limits.leaseTtlMs, now: now() });
      if (acquired === undefined) return false;
      if (isFinal(acquired.snapshot.record.status)) {
        await store.deleteTask(acquired.lease);
        return true;
      }
      await store.releaseLease(acquired.lease);
      return false;
    },
    async drain(timeoutMs) {
      draining = true;
      stopLook();
      for (const stop of waiting.values()) stop();
      waiting.clear();
      queue.clear();
      for (const slot of slots.values()) slot.attempt?.drain(timeoutMs / 2);
      const late = new Promise<void>((resolve) => {
        clock.after(timeoutMs, resolve);
      });
      await Promise.race([Promise.all(finished), late]);
      return [...slots.keys()];
    },
  };
}
