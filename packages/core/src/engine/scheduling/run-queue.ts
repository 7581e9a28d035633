import type { TaskRecord } from "../../task/task-record.js";
import type { Attempt } from "../attempt/attempt.js";
import type { Environment } from "../environment.js";
import { maxRunningFor } from "../limit-rules.js";
import {
  findSlotWait,
  hasStarving,
  mustYield,
  pickNext,
  type QueuedTask,
  type SlotLimits,
  type SlotWait,
  type TurnTask,
} from "./pick-next.js";
import { isInCompany, nextTrialMs } from "./suspects.js";
import type { ToolLimits } from "./tool-limits.js";

/** What has to be known of a task to queue it. */
export type Runnable = Pick<TaskRecord, "id" | "owner" | "tool" | "crashes"> & Partial<Pick<TaskRecord, "attempt">>;

/** A task in the queue. */
export interface PlacedTask extends QueuedTask {
  /** Lower than that of each task that came later. */
  readonly place: number;
}

/** A place in which one task is run. */
export interface Slot extends TurnTask {
  readonly id: string;
  crashes: number;
  progressed: boolean;
  waiting: boolean;
  yielding: boolean;
  /** A limit of its tool for all processes may still keep the task: those of its tool that wait come after it. */
  opening: boolean;
  /** Resolves when what can be said of its company is written. */
  noted: Promise<void>;
  attempt?: Attempt;
  done: Promise<void>;
}

/** Runs a task in its slot; resolves to what is to be done when the slot is free. Never rejects. */
export type Serve = (task: PlacedTask, slot: Slot) => Promise<() => void>;

/** What a queue asks of the scheduler. The first two never reject. */
export interface QueueServices {
  readonly serve: Serve;
  /** Lets any process run a task that waits for a slot. */
  readonly offer: (taskId: string) => Promise<void>;
  /** Notes whether a task that died before runs next to another that could kill the process. May reject. */
  readonly noteCompany: (isNow: boolean, owner: string) => Promise<void>;
  readonly toolLimits: Pick<ToolLimits, "isLimited" | "waitOf">;
}

/** Tasks that wait for a slot of this process, and those that have one. */
export class RunQueue {
  readonly #environment: Pick<Environment, "tools" | "limits" | "limitRules" | "clock" | "telemetry">;
  readonly #services: QueueServices;
  readonly #queue = new Map<string, PlacedTask>();
  #lastPlace = 0;
  readonly #slots = new Map<string, Slot>();
  /** Tools of which a slot is opening. */
  readonly #opening = new Set<string>();
  #stopped = false;
  /** Whether an owner waits that runs nothing here; `undefined` when that has to be looked up again. */
  #starves: boolean | undefined;
  /** Tasks of the queue that any process may run. */
  readonly #offered = new Set<string>();
  #stopTrialTimer = () => {};
  #stopOfferTimer = () => {};

  constructor(
    environment: Pick<Environment, "tools" | "limits" | "limitRules" | "clock" | "telemetry">,
    services: QueueServices,
  ) {
    this.#environment = environment;
    this.#services = services;
  }

  get running(): readonly string[] {
    return [...this.#slots.keys()];
  }

  /** How many wait for a slot. */
  get length(): number {
    return this.#queue.size;
  }

  /** The task waits for a slot or has one. */
  has(taskId: string): boolean {
    return this.#queue.has(taskId) || this.#slots.has(taskId);
  }

  /** Which limit keeps a task from a slot; `undefined` for one that waits for something else. */
  slotWait(taskId: string): SlotWait | undefined {
    const queued = this.#queue.get(taskId);
    if (queued === undefined) return undefined;
    const limits = this.#slotLimits();
    return this.#services.toolLimits.waitOf(queued) ?? findSlotWait(queued, [...this.#slots.values()], limits);
  }

  slotOf(taskId: string): Slot | undefined {
    return this.#slots.get(taskId);
  }

  /** Queues a task, unless it has a slot already or this process does not have its tool. */
  add({ id, owner, tool, crashes, attempt }: Runnable, runsElsewhere = false): void {
    if (this.#stopped || !this.#environment.tools.runnable.has(tool) || this.#slots.has(id)) return;
    this.#starves = undefined;
    const before = this.#queue.get(id);
    const queuedAtMs = before?.queuedAtMs ?? this.#environment.clock.monotonicMs();
    const known = { crashes, attempt: attempt ?? before?.attempt };
    const place = before?.place ?? ++this.#lastPlace;
    this.#queue.set(id, { id, owner, tool, ...known, queuedAtMs, runsElsewhere, place });
  }

  /** Queues a task that had a slot and may not begin, in front of those that came after it. */
  putBack(task: PlacedTask): void {
    if (this.#stopped || this.#queue.has(task.id)) return;
    this.#starves = undefined;
    const later = [...this.#queue.values()].filter(({ place }) => place > task.place);
    for (const { id } of later) this.#queue.delete(id);
    for (const each of [task, ...later]) this.#queue.set(each.id, each);
  }

  /**
   * Notes which of the tasks that have waited since before `sinceMs` are in other hands by now: those that may not run.
   *
   * @param runnable ids of all tasks that may run, as the store listed them after `sinceMs`.
   */
  noteRunnable(runnable: ReadonlySet<string>, sinceMs: number): void {
    this.#starves = undefined;
    for (const task of this.#queue.values()) {
      if (task.queuedAtMs >= sinceMs) continue;
      const runsElsewhere = !runnable.has(task.id);
      // It may have begun there.
      const attempt = runsElsewhere ? undefined : task.attempt;
      this.#queue.set(task.id, { ...task, attempt, runsElsewhere });
    }
  }

  remove(taskId: string): void {
    this.#starves = undefined;
    this.#queue.delete(taskId);
    this.#offered.delete(taskId);
  }

  /** Gives slots to tasks as long as there are both. */
  pump(): void {
    const { clock } = this.#environment;
    const limits = this.#slotLimits();
    while (!this.#stopped) {
      const next = pickNext(this.#queue.values(), [...this.#slots.values()], limits, clock.monotonicMs());
      if (next === undefined) break;
      const { id, owner, tool, crashes } = next;
      const slot: Slot = {
        id,
        owner,
        tool,
        crashes,
        progressed: false,
        waiting: false,
        yielding: false,
        opening: this.#services.toolLimits.isLimited(tool),
        noted: Promise.resolve(),
        startedAtMs: clock.monotonicMs(),
        done: Promise.resolve(),
      };
      if (slot.opening) this.#opening.add(tool);
      else this.#noteLeft(next);
      this.remove(id);
      this.#slots.set(id, slot);
      slot.noted = this.#noteCompany(owner);
      slot.done = this.#services.serve(next, slot).then((afterwards) => {
        this.#starves = undefined;
        this.#slots.delete(id);
        if (slot.opening) this.#opening.delete(tool);
        afterwards();
        this.#noteCompany(owner).catch(() => {});
        this.pump();
      });
    }
    this.#armTrialTimer(limits);
    this.#armOfferTimer();
  }

  /** No limit keeps the task: the next one of its tool may try. */
  begins(task: QueuedTask, slot: Slot): void {
    if (!slot.opening) return;
    slot.opening = false;
    this.#opening.delete(slot.tool);
    this.#noteLeft(task);
    if (this.#queue.size > 0) this.pump();
  }

  #noteLeft({ tool, queuedAtMs }: QueuedTask): void {
    const { clock, telemetry } = this.#environment;
    telemetry.leftQueue(tool, clock.monotonicMs() - queuedAtMs);
  }

  /** Whether the task, which has just written a checkpoint, stops there for another owner's turn. */
  yields(slot: Slot): boolean {
    const { clock, limits } = this.#environment;
    const nowMs = clock.monotonicMs();
    // Every checkpoint asks: most are answered without a look at the queue.
    if (this.#queue.size === 0 || this.#stopped || nowMs - slot.startedAtMs < limits.slotTurnMs) return false;
    this.#starves ??= hasStarving(this.#queue.values(), this.#slots.values());
    if (!this.#starves) return false;
    const [queue, slots] = [[...this.#queue.values()], [...this.#slots.values()]];
    slot.yielding ||= mustYield(slot, queue, slots, this.#slotLimits(), nowMs);
    return slot.yielding;
  }

  #slotLimits(): SlotLimits & Environment["limits"] {
    const { tools, limits } = this.#environment;
    const maxRunningOfTool = (name: string): number => {
      const tool = tools.runnable.get(name);
      return tool === undefined ? Number.POSITIVE_INFINITY : maxRunningFor(this.#environment, tool);
    };
    const isHeld = (task: QueuedTask): boolean =>
      this.#opening.has(task.tool) || this.#services.toolLimits.waitOf(task) !== undefined;
    return { ...limits, maxRunningOf: maxRunningOfTool, isHeld };
  }

  /** The task made progress: it is not a suspect any more. */
  clear(slot: Slot): void {
    if (slot.progressed) return;
    slot.progressed = true;
    slot.crashes = 0;
    this.#noteCompany(slot.owner).catch(() => {});
    if (this.#queue.size > 0) this.pump();
  }

  /** What begins because of it waits for it; what ends does not. */
  #noteCompany(owner: string): Promise<void> {
    return this.#services.noteCompany(isInCompany([...this.#slots.values()]), owner);
  }

  /** The task waits in place and needs no slot, or works on. */
  setWaiting(slot: Slot, waiting: boolean): void {
    if (slot.waiting === waiting) return;
    this.#starves = undefined;
    slot.waiting = waiting;
    this.#noteCompany(slot.owner).catch(() => {});
    if (waiting) this.pump();
  }

  /** Whether one more task may wait in place. */
  get mayWaitInPlace(): boolean {
    const waiting = [...this.#slots.values()].filter((slot) => slot.waiting).length;
    return waiting < this.#environment.limits.maxWaitingInPlace;
  }

  /** Gives no more slots, and forgets who waits for one. */
  stop(): readonly Slot[] {
    this.#stopped = true;
    this.#stopTrialTimer();
    this.#stopOfferTimer();
    this.#queue.clear();
    return [...this.#slots.values()];
  }

  /** A suspect may wait for nothing but the time of another's trial, or its own patience, to be over. */
  #armTrialTimer(limits: SlotLimits): void {
    const { clock } = this.#environment;
    this.#stopTrialTimer();
    if (this.#stopped) return;
    const nowMs = clock.monotonicMs();
    const dueMs = nextTrialMs(this.#queue.values(), [...this.#slots.values()], limits, nowMs);
    if (Number.isFinite(dueMs)) this.#stopTrialTimer = clock.after(dueMs - nowMs, () => this.pump());
  }

  /** Suspects wait for more than a slot. */
  #armOfferTimer(): void {
    const { clock, limits } = this.#environment;
    this.#stopOfferTimer();
    if (this.#stopped || this.#offered.size >= limits.maxRunning) return;
    const next = [...this.#queue.values()].find(
      ({ id, crashes, runsElsewhere }) => crashes === 0 && !runsElsewhere && !this.#offered.has(id),
    );
    if (next === undefined) return;
    const leftMs = next.queuedAtMs + limits.offerAfterMs - clock.monotonicMs();
    this.#stopOfferTimer = clock.after(Math.max(0, leftMs), () => {
      // It may have left the queue, which does not arm the timer again.
      if (this.#queue.has(next.id)) {
        this.#offered.add(next.id);
        void this.#services.offer(next.id);
      }
      this.#armOfferTimer();
    });
  }
}
