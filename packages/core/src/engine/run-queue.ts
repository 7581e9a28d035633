import type { EngineLimits } from "../limits.js";
import type { TaskRecord } from "../task-record.js";
import type { Tool } from "../tool.js";
import type { Attempt } from "./attempt.js";
import type { Clock } from "./engine.js";
import { pickNext, type QueuedTask, type RunningTask } from "./pick-next.js";

/** What has to be known of a task to queue it. */
export type Runnable = Pick<TaskRecord, "id" | "owner" | "tool" | "crashes">;

/** A place in which one task is run. */
export interface Slot extends RunningTask {
  alone: boolean;
  attempt?: Attempt;
  readonly done: Promise<void>;
}

/** What a queue is made of. */
export interface RunQueueOptions {
  readonly tools: ReadonlyMap<string, Tool>;
  readonly limits: EngineLimits;
  readonly clock: Clock;
  /** Runs a task in its slot; resolves to what is to be done when the slot is free. Never rejects. */
  readonly serve: (task: Runnable, slot: Slot) => Promise<() => void>;
}

/** Tasks that wait for a slot of this process, and those that have one. */
export class RunQueue {
  private readonly options: RunQueueOptions;
  private readonly queue = new Map<string, QueuedTask>();
  private readonly slots = new Map<string, Slot>();
  private stopped = false;

  constructor(options: RunQueueOptions) {
    this.options = options;
  }

  get running(): readonly string[] {
    return [...this.slots.keys()];
  }

  /** How many wait for a slot. */
  get length(): number {
    return this.queue.size;
  }

  slotOf(taskId: string): Slot | undefined {
    return this.slots.get(taskId);
  }

  /** Queues a task, unless it has a slot already or this process does not have its tool. */
  add({ id, owner, tool, crashes }: Runnable): void {
    if (this.stopped || !this.options.tools.has(tool) || this.slots.has(id)) return;
    const queuedAtMs = this.queue.get(id)?.queuedAtMs ?? this.options.clock.monotonicMs();
    this.queue.set(id, { id, owner, tool, crashes, queuedAtMs });
  }

  remove(taskId: string): void {
    this.queue.delete(taskId);
  }

  /** Gives slots to tasks as long as there are both. */
  pump(): void {
    const { limits, tools, clock } = this.options;
    const maxRunningOf = (tool: string): number => tools.get(tool)?.maxRunning ?? Number.POSITIVE_INFINITY;
    while (!this.stopped) {
      const running = [...this.slots.values()];
      const next = pickNext(this.queue.values(), running, { ...limits, maxRunningOf }, clock.monotonicMs());
      if (next === undefined) return;
      this.queue.delete(next.id);
      this.occupy(next);
    }
  }

  /** Lets others run beside the task: it is no suspect any more. */
  trust(slot: Slot): void {
    if (!slot.alone) return;
    slot.alone = false;
    this.pump();
  }

  /** Gives no more slots, and forgets who waits for one. */
  stop(): readonly Slot[] {
    this.stopped = true;
    this.queue.clear();
    return [...this.slots.values()];
  }

  private occupy(task: QueuedTask): void {
    const { limits, clock, serve } = this.options;
    let stopAlone = () => {};
    // Begins in a later turn: the slot has to be there first.
    const done = Promise.resolve()
      .then(() => serve(task, slot))
      .then((afterwards) => {
        stopAlone();
        this.slots.delete(task.id);
        afterwards();
        this.pump();
      });
    const slot: Slot = { owner: task.owner, tool: task.tool, alone: task.crashes > 0, done };
    if (slot.alone) stopAlone = clock.after(limits.aloneMs, () => this.trust(slot));
    this.slots.set(task.id, slot);
  }
}
