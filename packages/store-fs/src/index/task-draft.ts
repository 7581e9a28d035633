import { join } from "node:path";
import type { Instant, NewTask, TaskEvent } from "@resumable-mcp/core";
import { encodeLine } from "../disk/checked-line.js";
import { hasCode } from "../disk/disk.js";
import { journalName, layoutVersion, shardFolder, taskFolder } from "../disk/layout.js";
import type { StoreContext } from "../disk/store-context.js";
import { createFile, syncPath } from "../disk/whole-file.js";
import type { JournalHeader } from "../journal/journal-line.js";

/** A task's folder on its way into the store. */
export class TaskDraft {
  private readonly context: StoreContext;
  private readonly task: NewTask;
  private readonly now: Instant;
  private readonly place: string;
  /** What it takes on the disk. */
  bytes = 0;
  private state: "none" | "prepared" | "published" | "kept" = "none";

  constructor(context: StoreContext, { task, now }: { readonly task: NewTask; readonly now: Instant }) {
    this.context = context;
    this.task = task;
    this.now = now;
    this.place = join(context.layout.trash, `new.${context.instance}.${context.unique()}`);
  }

  /** The folder that is in place was made here. */
  get isPublished(): boolean {
    return this.state === "published" || this.state === "kept";
  }

  /** It stands for its call, and stays. */
  get isKept(): boolean {
    return this.state === "kept";
  }

  /**
   * Moves the folder into place, after preparing it.
   *
   * @returns false when it is not in place yet: it had to be prepared, which takes time in which others may have
   * claimed the call, or there is one already.
   */
  async publish(): Promise<boolean> {
    if (this.state === "none") {
      await this.prepare();
      return false;
    }
    const { disk, layout, observe } = this.context;
    disk.makeFolder(shardFolder(layout, this.task.id));
    try {
      disk.rename(this.place, taskFolder(layout, this.task.id));
    } catch (error) {
      if (hasCode(error, "ENOTEMPTY", "EEXIST")) return false;
      throw error;
    }
    this.state = this.task.key === null ? "kept" : "published";
    observe("store.create.published", this.task.id);
    return true;
  }

  private async prepare(): Promise<void> {
    const { disk, durable, observe } = this.context;
    disk.makeFolder(this.place);
    this.state = "prepared";
    const created: TaskEvent = {
      type: "created",
      task: this.task,
      seq: 1,
      at: new Date(this.now.wallMs).toISOString(),
    };
    const bodies = [firstHeader(this.task.id, this.context.unique()), { seq: 1, events: [created] }];
    const path = join(this.place, journalName(1));
    const bytes = Buffer.concat(bodies.map((body) => encodeLine(JSON.stringify(body))));
    this.bytes = bytes.byteLength;
    createFile(disk, path, bytes);
    if (durable) {
      await syncPath(disk, path);
      await disk.syncFolder(this.place);
    }
    observe("store.create.prepared", this.task.id);
  }

  /** The call is claimed: the task stays. */
  keep(): void {
    if (this.state === "published") this.state = "kept";
  }

  /** Removes what was made for nothing. */
  discard(): void {
    const { disk, layout } = this.context;
    if (this.state === "published") disk.rename(taskFolder(layout, this.task.id), this.place);
    if (this.state === "prepared" || this.state === "published") disk.removeTree(this.place);
    this.state = "none";
  }
}

/** The beginning of a task's first journal file: nothing was before. */
function firstHeader(taskId: string, birth: string): JournalHeader {
  return {
    layout: layoutVersion,
    taskId,
    birth,
    epoch: 1,
    lease: 1,
    worker: null,
    holder: null,
    ttlMs: 0,
    base: 0,
    items: 0,
    itemsFrom: 1,
    record: null,
    chain: [],
    segments: [],
    consumed: [],
    answered: [],
  };
}
