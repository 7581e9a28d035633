import { type Instant, isContinuable, isFinal, isReusable, type NewTask, type TaskSnapshot } from "@resumable-mcp/core";
import { isSafeId, shardFolder } from "../disk/layout.js";
import { allDone } from "../disk/shared-sync.js";
import type { StoreContext } from "../disk/store-context.js";
import { badId } from "../disk/store-errors.js";
import type { TaskReading } from "../task/held-task.js";
import type { Notifications } from "../task/notifications.js";
import type { TaskReader } from "../task/task-reader.js";
import type { FinishedTasks } from "./finished-tasks.js";
import type { StoreUsage } from "./store-usage.js";
import { TaskDraft } from "./task-draft.js";
import type { TaskKeys } from "./task-keys.js";

interface CreateRequest {
  readonly task: NewTask;
  readonly reuseResultMs: number;
  readonly continueFailed?: boolean;
  readonly now: Instant;
}

interface Created {
  readonly snapshot: TaskSnapshot;
  readonly created: boolean;
}

/** Makes tasks, at most one unfinished one for an owner and key. */
export class TaskCreator {
  private readonly parts: {
    readonly context: StoreContext;
    readonly usage: StoreUsage;
    readonly reader: TaskReader;
    readonly keys: TaskKeys;
    readonly finished: FinishedTasks;
    readonly notifications: Notifications;
  };

  constructor(parts: TaskCreator["parts"]) {
    this.parts = parts;
  }

  /**
   * Prepares the task's folder aside, moves it into place, and then claims the call: a claim always leads to a whole
   * task. The marker comes last, so that nothing runs that has not been claimed.
   */
  async create(request: CreateRequest): Promise<Created> {
    const { reader } = this.parts;
    const { task } = request;
    if (!isSafeId(task.id)) throw badId("task.id");
    const draft = new TaskDraft(this.parts.context, request);
    let giveBack: (() => void) | undefined;
    try {
      for (;;) {
        const same = await reader.read(task.id);
        if (same !== undefined && isFinal(same.record.status)) return this.existing(same);
        const call = callOf(same?.record ?? task);
        const bucket = call && this.parts.keys.look(call.owner, call.key);
        if (call && bucket?.isDoubtful && (await this.parts.keys.mend(bucket, call.owner, call.key))) continue;
        if (same !== undefined && (bucket === undefined || bucket.claim?.taskId === task.id)) {
          return draft.isPublished ? await this.finish(same) : await this.attach(same);
        }
        const other = bucket?.claim && (await this.standing(bucket.claim, request));
        if (other !== undefined) return await this.attach(other);
        if (same === undefined) {
          giveBack ??= await this.parts.usage.admit(request.now);
          if (!(await draft.publish())) continue;
        }
        if (bucket === undefined || call === undefined) continue;
        const generation = same?.record.generation ?? 1;
        if (this.parts.keys.claim(bucket, { ...call, id: task.id, generation }) === undefined) continue;
        this.parts.context.observe("store.create.linked", task.id);
        draft.keep();
      }
    } finally {
      if (draft.isKept) this.parts.usage.add(draft.bytes);
      else giveBack?.();
      draft.discard();
    }
  }

  /** The task that stands for the call already, if it is unfinished or its result can be given again. */
  private async standing(
    claim: { taskId: string; hash: string; generation: number },
    request: CreateRequest,
  ): Promise<TaskReading | undefined> {
    const { reader, keys } = this.parts;
    const reading = await keys.holderOf(claim);
    if (reading === undefined || !isFinal(reading.record.status)) return reading;
    const reusable = isReusable(reader.snapshotOf(reading), request.reuseResultMs, request.now.wallMs);
    const continues = request.continueFailed === true && isContinuable(reading.record);
    return reusable || continues ? reading : undefined;
  }

  private existing(reading: TaskReading): Created {
    return { snapshot: this.parts.reader.snapshotOf(reading), created: false };
  }

  /** Whoever attaches answers its caller by this task: what its maker has not made durable yet becomes so now. */
  private async attach(reading: TaskReading): Promise<Created> {
    if (!isFinal(reading.record.status)) await this.settle(reading);
    return this.existing(reading);
  }

  private async finish(reading: TaskReading): Promise<Created> {
    const { context, notifications, reader } = this.parts;
    const taskId = reading.record.id;
    context.observe("store.create.claimed", taskId);
    await this.settle(reading);
    context.observe("store.create.synced", taskId);
    notifications.notify(taskId, "runnable");
    return { snapshot: reader.snapshotOf(reading), created: true };
  }

  private async settle({ record }: TaskReading): Promise<void> {
    const { context, finished, keys } = this.parts;
    const { disk, layout, durable } = context;
    finished.reopen(record.id);
    if (!durable) return;
    await allDone([
      disk.syncFolder(shardFolder(layout, record.id)),
      disk.syncFolder(layout.tasks),
      disk.syncFolder(layout.open),
      record.key === null ? undefined : keys.sync(record.owner, record.key),
    ]);
  }
}

function callOf({ owner, key }: Pick<NewTask, "owner" | "key">): { owner: string; key: string } | undefined {
  return key === null ? undefined : { owner, key };
}
