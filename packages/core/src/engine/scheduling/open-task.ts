import type { EngineLimits } from "../../limits.js";
import type { Lease, Store } from "../../store/store.js";
import type { TaskRecord } from "../../task/task-record.js";
import type { TaskSnapshot } from "../../task/task-snapshot.js";
import type { Tool } from "../../tool/tool.js";
import { type Clock, type DueTimes, instantOf } from "../clock.js";
import { listCompanions } from "./list-companions.js";
import { planAttempt, waitsUntil } from "./plan-attempt.js";

/** What opening a task needs. */
export interface OpenTaskOptions {
  readonly store: Store;
  readonly tools: ReadonlyMap<string, Tool>;
  readonly worker: string;
  readonly limits: EngineLimits;
  readonly clock: Clock;
  readonly dueTimes: DueTimes;
}

/** What came of opening a task. */
export type OpenedTask =
  /** Another process holds its lease. */
  | { readonly kind: "held" }
  /** All requests are carried out, the lease is given back, and there is nothing to run now. */
  | { readonly kind: "idle"; readonly snapshot: TaskSnapshot }
  /** An attempt is committed as started; the process that asked holds the lease. */
  | { readonly kind: "started"; readonly lease: Lease; readonly record: TaskRecord; readonly tool: Tool };

/**
 * Takes a task's lease, carries out what is requested, and commits the start of an attempt if there is to be one.
 *
 * Rejects with the store's error; the lease is given back then.
 */
export async function openTask(
  options: OpenTaskOptions,
  taskId: string,
  attempt: { readonly mayRun: boolean; readonly brokenAttempt: number | undefined },
): Promise<OpenedTask> {
  const { store, worker, limits, clock, dueTimes } = options;
  const acquired = await store.acquireLease({ taskId, worker, ttlMs: limits.leaseTtlMs, now: instantOf(clock) });
  if (acquired === undefined) return { kind: "held" };
  const { lease, snapshot } = acquired;
  try {
    const tool = options.tools.get(snapshot.record.tool);
    const companions = await companionsOf(options, snapshot.record);
    const waitMs = dueTimes.leftMs(waitsUntil(snapshot.record));
    const nowMs = clock.wallMs();
    const plan = planAttempt(snapshot, { ...attempt, ...limits, tool, worker, companions, nowMs, waitMs });
    const written = await carryOut(options, lease, snapshot, plan);
    if (plan.run && tool !== undefined) return { kind: "started", lease, record: written.record, tool };
    await store.releaseLease(lease);
    return { kind: "idle", snapshot: written };
  } catch (error) {
    await store.releaseLease(lease).catch(() => {});
    throw error;
  }
}

/** Whose deaths they were matters only when the task may have died often enough. */
async function companionsOf({ store, limits }: OpenTaskOptions, record: TaskRecord): ReturnType<typeof listCompanions> {
  const deaths = record.crashes + (record.live && !record.progressed ? 1 : 0);
  return deaths < limits.maxCrashesWithoutProgress ? [] : listCompanions(store, record);
}

async function carryOut(
  { store, clock }: OpenTaskOptions,
  lease: Lease,
  { record, signals }: TaskSnapshot,
  { events, consume }: ReturnType<typeof planAttempt>,
): Promise<TaskSnapshot> {
  if (events.length === 0 && consume.length === 0) return { record, signals, leased: false };
  const now = instantOf(clock);
  return { ...(await store.commit({ lease, afterSeq: record.lastSeq, events, consume, now })), leased: false };
}

/** Lets one piece of work at a time touch a task within this process: they would take each other's lease away. */
export class Exclusive {
  readonly #tails = new Map<string, Promise<void>>();

  /** Runs work when all earlier work on this task has ended. */
  run<Result>(taskId: string, work: () => Promise<Result>): Promise<Result> {
    const result = (this.#tails.get(taskId) ?? Promise.resolve()).then(work);
    const over = (): void => {
      if (this.#tails.get(taskId) === tail) this.#tails.delete(taskId);
    };
    const tail: Promise<void> = result.then(over, over);
    this.#tails.set(taskId, tail);
    return result;
  }
}
