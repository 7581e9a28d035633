import type { Json, TaskRecord } from "@resumable-mcp/core";
import type { Lease, Signal } from "@resumable-mcp/core/store";
import type { Compacted } from "../journal/take-over.js";
import type { FoldedJournal, Reading } from "../journal/task-view.js";

/** A task as read: the acknowledged record, its journal and its folder. */
export interface TaskReading extends Reading {
  readonly record: TaskRecord;
  /** What was pending when the record was read: looked at later, a commit in between would hide both. */
  readonly signals: readonly Signal[];
}

/** What the rest of the store sees of a task that it holds; only the task's writer changes it. */
export interface HeldTask {
  readonly lease: Lease;
  readonly folder: string;
  /** The journal as it was written. */
  readonly view: Readonly<FoldedJournal>;
  /** The task as it was acknowledged. */
  readonly durable: TaskRecord;
  /** The items of the newest checkpoint of this lease that appended some, unless they are too large to be shown. */
  readonly lastBatch: readonly Json[] | undefined;
  /** Nothing is written any more: released, lost, deleted, or a write failed. */
  readonly isEnded: boolean;
  /** The task as others may see it; `undefined` when the lease is over. */
  read(): TaskReading | undefined;
  /** Tells whether a file is the one that is written here. */
  isWriting(name: string): boolean;
  /** Tells whether no later epoch was announced, also after the lease was released. */
  isNewest(): boolean;
  /** Continues in a new file under the same lease. */
  rotate(compacted?: Compacted): void;
  /** Resolves when all that was written before this call is on the disk. */
  sync(): Promise<void>;
}
