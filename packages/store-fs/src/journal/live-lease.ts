import type { Lease, TaskRecord } from "@resumable-mcp/core";
import type { SharedSync } from "../disk/shared-sync.js";
import type { FolderState } from "./task-folder.js";
import type { TaskView } from "./task-view.js";

/** A lease that this store holds: the open journal file, and the task as this writer knows it. */
export interface LiveLease {
  readonly lease: Lease;
  readonly ttlMs: number;
  readonly holder: string;
  /** The name of the file whose presence is the lease. */
  readonly leaseFile: string;
  /** Where the task's files are, and the marker that says that nothing changed there. */
  readonly folder: string;
  readonly quietPath: string;
  /** What the folder held when it was last listed, as long as nobody says that it changed. */
  seen: FolderState | undefined;
  /** As appended; moves to a new file when the journal rotates. */
  view: TaskView;
  /** Epoch and descriptor of the file that is written. */
  epoch: number;
  file: number;
  /** How far the file reaches with the zeros behind what is written; 0 while there are none. */
  extendedTo: number;
  /** As acknowledged: what others may see. */
  durable: TaskRecord;
  /** Signals that were carried out by commits which are not acknowledged: others still see them pending. */
  readonly unacknowledged: Set<string>;
  /** Nothing may be written any more: released, lost, deleted, or a write failed. */
  ended: boolean;
  readonly sync: SharedSync;
  /** Syncs that belong to the next acknowledgement besides the file's own. */
  alsoSync: (() => Promise<void>)[];
  /** Descriptors of earlier files, to be closed. */
  readonly retired: Set<number>;
  /** Work that has to be over before somebody else may have the lease. */
  closing: Promise<void> | undefined;
  /** When the readable document was last written, by the caller's monotonic clock. */
  documentMs: number;
  compacting: boolean;
}
