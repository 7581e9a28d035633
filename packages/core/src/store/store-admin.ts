import type { Json } from "../json.js";
import type { TaskEvent } from "../task/task-event.js";
import type { Signal, TaskRecord } from "../task/task-record.js";
import type { Store, StoredDocument } from "./store.js";

/**
 * What an operator's program needs of a store in addition to the contract: `resumable-mcp store` works on every store that has
 * one. It is used outside any engine, also while servers run.
 */
export interface StoreAdmin {
  /** Names the store, without any secret. */
  readonly place: string;
  /** Reads tasks and documents. Nothing is made, repaired, or taken over. */
  readonly reading: Pick<
    Store,
    | "getTask"
    | "listTasks"
    | "countTasks"
    | "readEvents"
    | "readItems"
    | "readChunk"
    | "getDocument"
    | "listIdleDocuments"
  >;
  /** What only this kind of store says of a task that exists. */
  describeTask(id: string): Promise<{ readonly [name: string]: Json | undefined }>;
  /** Sizes and counts in addition to those of `countTasks`. */
  measure(): Promise<StoreSizes>;
  /** The processes that have the store open, in words by which an operator finds them; none that is known to be dead. */
  processes(): Promise<readonly string[]>;
  /** Tasks that cannot be read and are in no list. */
  unlistedIds(): AsyncIterable<string>;
  /** All documents of servers. */
  documents(): AsyncIterable<StoredDocument>;
  /** Reads everything and says what is wrong. */
  check(): Promise<StoreCheck>;
  /** Puts right what a program can, or says with `apply` false what it would do. Absent where nothing can be. */
  readonly repair?: (apply: boolean) => Promise<readonly StoreRepair[]>;
  /** Brings the layout of the store to that of this version. */
  migrate(): Promise<StoreMigration>;
  /** Opens the store as one more process; with `mayBeMade`, also one that does not exist yet. */
  write<Result>(work: (writing: StoreWriting) => Promise<Result>, mayBeMade?: boolean): Promise<Result>;
  close(): Promise<void>;
}

/** A store that is open for an operator's changes. */
export interface StoreWriting
  extends Pick<
    Store,
    | "getTask"
    | "signal"
    | "acquireLease"
    | "releaseLease"
    | "commit"
    | "deleteTask"
    | "getDocument"
    | "putDocument"
    | "deleteDocument"
  > {
  /** Begins to bring a task of another store. One task at a time. */
  beginTask(task: TaskBeginning): Promise<TaskDraft>;
}

/** How a task of another store begins. */
export interface TaskBeginning {
  readonly id: string;
  /** The task before its first event that is left; `null` where that is the first of all. */
  readonly base: TaskRecord | null;
  readonly signals: readonly Signal[];
}

/** A task on its way into a store. */
export interface TaskDraft {
  readonly id: string;
  /** The task as far as it was given. */
  readonly record: TaskRecord | undefined;
  /** Adds items that belong to the base, in order. */
  addItems(items: readonly Json[]): Promise<void>;
  /** Adds what happened next. @throws {@link ResumableError} `SEQ_CONFLICT` when it does not follow. */
  addEvents(events: readonly TaskEvent[]): Promise<void>;
  /** Adds a chunk of an artifact, in order. */
  addChunk(artifact: string, index: number, bytes: Uint8Array): Promise<void>;
  /**
   * Moves the task into the store, whole and durable.
   *
   * @returns whether it is new there; an import that was interrupted can be repeated.
   * @throws {@link ResumableError} `TASK_EXISTS`, `KEY_TAKEN`; nothing was changed then.
   */
  finish(): Promise<boolean>;
  /** Forgets what was not finished. */
  discard(): Promise<void>;
}

/** How large a store is. */
export interface StoreSizes {
  readonly bytes: number;
  /** What `maxStoreBytes` is compared with. */
  readonly countedBytes: number;
  /** The disk of the store, where this process sees it. */
  readonly disk?: {
    readonly bytes: number;
    readonly freeBytes: number;
    /** Files that it can hold; 0 where it has no such limit. */
    readonly files: number;
    readonly freeFiles: number;
  };
  readonly unfinished: number;
  readonly documents: number;
  readonly workers: number;
  /** What was set aside since it could not be read. */
  readonly quarantined?: number;
}

/** What reading all of a store found. */
export interface StoreCheck {
  readonly tasks: number;
  readonly problems: readonly StoreProblem[];
}

/** Something in a store that is not as it should be. */
export interface StoreProblem {
  readonly kind: string;
  /** `damage` lost something, or may; what is `harmless` does no harm. */
  readonly severity: "damage" | "harmless";
  readonly taskId?: string;
  /** Where it is: a file, or a table. */
  readonly path: string;
  readonly message: string;
  /** What a repair would do; absent where nothing can be done by a program. */
  readonly fix?: string;
}

/** A problem, and what became of it: `would` where nothing was changed, `none` where no program can do anything. */
export interface StoreRepair {
  readonly problem: StoreProblem;
  readonly outcome: "done" | "refused" | "none" | "would";
  readonly reason?: string;
}

/** Layouts of a store before and after a migration; `null` for a store that was made. */
export interface StoreMigration {
  readonly from: number | null;
  readonly to: number;
}
