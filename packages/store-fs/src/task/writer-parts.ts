import type { TaskRecord } from "@resumable-mcp/core";
import type { Instant, TaskEventBody } from "@resumable-mcp/core/store";
import type { StoreContext } from "../disk/store-context.js";
import type { ViewCache } from "../journal/task-view.js";
import type { Compaction } from "./compaction.js";
import type { LeaseFiles } from "./held-folder.js";
import type { HeldTask } from "./held-task.js";
import type { Notifications } from "./notifications.js";
import type { TaskDocuments } from "./task-documents.js";
import type { DoubtfulFiles } from "./writer-files.js";

/** What a writer appends. */
export interface CommitRequest {
  readonly afterSeq: number;
  readonly events: readonly TaskEventBody[];
  readonly consume: readonly string[];
  readonly now: Instant;
}

/** What is kept about all tasks, and follows the commits of each. */
export interface TaskIndex {
  readonly keys: { claimAgain(record: TaskRecord): Promise<() => void> };
  readonly usage: { add(bytes: number): void };
  readonly finished: {
    close(record: TaskRecord, incarnation: string, isStill: () => boolean): Promise<void>;
    reopen(taskId: string): void;
    reopenDurably(taskId: string): Promise<void>;
  };
}

/** What all writers of a store share. */
export interface WriterParts extends TaskIndex {
  readonly context: StoreContext;
  readonly cache: ViewCache;
  /** The tasks that this store holds. */
  readonly held: { get(taskId: string): HeldTask | undefined; delete(taskId: string): boolean };
  readonly leaseFiles: LeaseFiles;
  readonly doubtful: DoubtfulFiles;
  readonly documents: TaskDocuments;
  readonly compaction: Compaction;
  readonly notifications: Notifications;
}
