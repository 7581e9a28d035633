import { isFinal, type Store, type TaskRecord } from "@resumable-mcp/core";
import { deepFreeze } from "@resumable-mcp/core/internal";
import { type Lease, reduceTask, storeErrors, type TaskSnapshot } from "@resumable-mcp/core/store";
import { journalName, taskFolder } from "../disk/layout.js";
import { storeFailure } from "../disk/store-errors.js";
import { encodeCommit, numberEvents } from "../journal/number-events.js";
import { type Compacted, removeSuperfluous, syncTakenOver, type TakenOver, takeOver } from "../journal/take-over.js";
import type { FolderState } from "../journal/task-folder.js";
import {
  addCommit,
  checkCommitSize,
  type FoldedCommit,
  type FoldedJournal,
  freezeRecord,
  keepView,
} from "../journal/task-view.js";
import { Acknowledged } from "./acknowledged.js";
import { HeldFolder } from "./held-folder.js";
import type { HeldTask, TaskReading } from "./held-task.js";
import { maxShownLength } from "./task-documents.js";
import { hiddenBy, pendingSignals, removeSignals } from "./task-signals.js";
import { beginAgain, WriterFiles, type WriterParts } from "./writer-files.js";

type CommitRequest = Parameters<Store["commit"]>[0];

/**
 * A task that this store holds, and the only one that writes it. These hold at any time:
 *
 * - Every write goes to the file of the view's epoch. The view is the fold of all that was written, and its offset is
 *   where the lines of the file end.
 * - Each append is followed by a look at the folder, and counts only when no later epoch was announced before that.
 * - Others see what was acknowledged. It follows the view when a sync is over.
 * - What a rotation sealed is synced before the next acknowledgement.
 * - Nothing is written after the end, and the files are closed when the last sync is over.
 * - The lease of a task that finished is released after the finished index has the task.
 */
export class TaskWriter implements HeldTask {
  readonly lease: Lease;
  readonly folder: string;
  readonly #parts: WriterParts;
  readonly #folder: HeldFolder;
  readonly #files: WriterFiles;
  #view: FoldedJournal;
  readonly #acknowledged: Acknowledged;
  lastBatch: HeldTask["lastBatch"];
  #isEnded = false;
  #closing: Promise<void> | undefined;

  constructor(parts: WriterParts, lease: Lease, { view, file }: TakenOver) {
    const { context } = parts;
    this.#parts = parts;
    this.lease = Object.freeze(lease);
    this.folder = taskFolder(context.layout, lease.taskId);
    this.#folder = new HeldFolder(context, this.folder, view.header);
    this.#files = new WriterFiles(context, this.folder, file);
    this.#view = view;
    this.#acknowledged = new Acknowledged(view.record);
  }

  get view(): Readonly<FoldedJournal> {
    return this.#view;
  }

  get durable(): TaskRecord {
    return this.#acknowledged.record;
  }

  get isEnded(): boolean {
    return this.#isEnded;
  }

  isWriting(name: string): boolean {
    return !this.#isEnded && name === journalName(this.#view.header.epoch);
  }

  /** Tells whether no later epoch was announced and the lease is still there. */
  isCurrent(): boolean {
    return this.#folder.list(this.#view.header.epoch) !== undefined;
  }

  /** Makes the epoch's beginning durable. Nothing is acknowledged before. */
  async begin(taken: TakenOver): Promise<TaskSnapshot> {
    const { context, notifications } = this.#parts;
    const { taskId } = this.lease;
    await syncTakenOver(context, taken);
    context.observe("store.takeover.synced", taskId);
    const folder = removeSuperfluous(context, this.#view);
    notifications.notify(taskId, "task");
    if (folder === undefined) throw storeErrors.taskNotFound(taskId);
    const signals = pendingSignals(context, taskId, folder, this.#view);
    return { record: freezeRecord(this.durable), signals, leased: true };
  }

  read(): TaskReading | undefined {
    const folder = this.#isEnded ? undefined : this.#folder.list(this.#view.header.epoch);
    if (folder === undefined) return undefined;
    const view = this.#acknowledged.viewOf(this.#view);
    const signals = pendingSignals(this.#parts.context, this.lease.taskId, folder, view);
    return { record: this.durable, view, folder, signals };
  }

  isNewest(): boolean {
    return this.#folder.isNewest(this.#view.header.epoch);
  }

  async commit(request: CommitRequest): ReturnType<Store["commit"]> {
    const { context } = this.#parts;
    this.#expect(request.afterSeq);
    const before = this.#view.record;
    const events = numberEvents(request);
    const record = reduceTask(before, events, this.#view.isPlain);
    context.observe("store.commit.before", record.id);
    const consumed = request.consume.length === 0 ? [] : hiddenBy(request.consume, this.#look());
    const line = encodeCommit(request.afterSeq + 1, events, consumed);
    checkCommitSize(context.limits, this.#view, events, line.byteLength);
    const beginsAgain = isFinal(before.status) && !isFinal(record.status);
    const again = { record, maxUnfinished: request.maxUnfinished, check: () => this.#expect(request.afterSeq) };
    const endMaking = beginsAgain ? await beginAgain(this.#parts, again) : undefined;
    const wrote = events.length + consumed.length > 0;
    try {
      if (wrote) this.#files.append(line, this.#view.offset);
    } catch (error) {
      this.end();
      throw storeFailure(error, "write", this.#view.path);
    } finally {
      endMaking?.();
    }
    if (wrote) this.#note({ record, events, consumed, bytes: line.byteLength });
    // Append, then look: what was appended before a later epoch was announced counts for its taker.
    const folder = this.#look();
    const signals = pendingSignals(context, record.id, folder, this.#view);
    if (wrote && context.durable) {
      await this.#files.sync().catch((error: unknown) => {
        this.#fail();
        throw storeFailure(error, "write", this.#view.path);
      });
      context.observe("store.commit.synced", record.id);
    }
    this.#acknowledged.reach(record, consumed);
    const { items } = events.findLast((event) => event.type === "checkpoint") ?? {};
    if (items !== undefined) this.lastBatch = line.byteLength > maxShownLength ? undefined : items;
    this.#follow(before, record, consumed, request);
    // What else is in the record was frozen before.
    for (const event of events) deepFreeze(event);
    return { record, signals };
  }

  /** Refuses a commit after the end, or of one who is wrong about where the journal ends. */
  #expect(afterSeq: number): void {
    if (this.#isEnded) throw storeErrors.leaseLost(this.lease);
    const actual = this.#view.record.lastSeq;
    if (afterSeq === actual) return;
    this.#look();
    throw storeErrors.seqConflict(this.lease.taskId, afterSeq, actual);
  }

  #note(commit: FoldedCommit): void {
    const { context, usage } = this.#parts;
    usage.add(commit.bytes);
    context.observe("store.commit.appended", this.lease.taskId);
    addCommit(this.#view, commit);
    this.#acknowledged.hide(commit.consumed);
  }

  #look(): FolderState {
    const folder = this.#folder.look(this.#view.header.epoch);
    if (folder !== undefined) return folder;
    this.end();
    throw storeErrors.leaseLost(this.lease);
  }

  /** The commit counts already: what fails here is done by the next process that reads the task. */
  #follow(before: TaskRecord, record: TaskRecord, consumed: readonly string[], { now }: CommitRequest): void {
    const { context, finished, documents, compaction, notifications } = this.#parts;
    const statusChanged = before.status !== record.status;
    try {
      // Only now: a loss of power must not take the signals and leave the commit behind.
      removeSignals(context, record.id, consumed);
      if (consumed.length > 0) this.#folder.changed();
      if (statusChanged && isFinal(record.status)) this.#close(record);
      else if (statusChanged) finished.reopen(record.id);
    } catch (error) {
      if (!(error instanceof Error && "code" in error)) throw error;
    }
    documents.note(this, { statusChanged, nowMs: now.monotonicMs });
    compaction.consider(this);
    notifications.notify(record.id, statusChanged ? "runnable" : "task");
  }

  #close(record: TaskRecord): void {
    const isStill = () => !this.#isEnded && this.#view.record.lastSeq === record.lastSeq;
    this.#closing = this.#parts.finished.close(record, this.#view.header.incarnation, isStill);
  }

  /** Continues in a new file under the same lease. The next acknowledgement waits for the new file's beginning. */
  rotate(compacted?: Compacted): void {
    const { context, cache } = this.#parts;
    const isSafe = !context.durable || this.durable.lastSeq === this.#view.record.lastSeq;
    // A loss of power must not leave a seal behind and take what it counts, though no caller knows of it yet.
    if (this.#isEnded || (!isSafe && !this.#syncNow(() => this.#files.syncNow()))) return;
    const { taskId, epoch: lease, worker } = this.lease;
    const { holder, ttlMs, epoch } = this.#view.header;
    const rotate = { epoch, lease, leaseFile: this.#folder.leaseFile, view: this.#view };
    try {
      const by = { worker, holder: holder ?? "" };
      const taken = takeOver(context, cache, { taskId, ttlMs, by, rotate, compacted });
      if (taken === undefined) this.end();
      else this.#continueIn(taken);
    } catch {
      // The old file is whole and stays the newest: what could not be begun is tried again after the next commit.
    }
  }

  #continueIn({ file, view }: TakenOver): void {
    const { disk, durable, observe } = this.#parts.context;
    // Before anything follows the seal: readers take half of one in front of a whole line for damage.
    if (durable && !this.#syncNow(() => disk.syncDataNow(file))) {
      // The new file is the newest already: this lease is over.
      disk.close(file);
      return;
    }
    observe("store.rotate.sealed", this.lease.taskId);
    this.#files.replace(file, this.#view.offset);
    this.#view = view;
  }

  #syncNow(sync: () => void): boolean {
    try {
      sync();
      return true;
    } catch {
      this.#fail();
      return false;
    }
  }

  sync(): Promise<void> {
    return this.#files.sync();
  }

  /** Gives the lease back, once the finished index has what it must have before. */
  async release(): Promise<void> {
    await this.#closing;
    this.giveUp();
    await this.#files.idle();
  }

  /** Gives the lease up at once: its file goes, and with it the worker's right. */
  giveUp(): void {
    const { held, leaseFiles, notifications, cache } = this.#parts;
    const { taskId } = this.lease;
    if (!this.#isEnded) {
      this.#files.trim(this.#view.offset);
      // What was acknowledged is not synced again by who reads it next.
      if (this.durable.lastSeq === this.#view.record.lastSeq) keepView(cache, this.#view);
    }
    this.end();
    if (held.get(taskId) === this) held.delete(taskId);
    leaseFiles.remove(this.#folder.leasePaths);
    notifications.notify(taskId, "runnable");
  }

  /** Gives the lease up while the store's folder is not there: this store may take it again, and its file goes later. */
  leave(): void {
    this.end();
    this.#parts.leaseFiles.removeLater(this.#folder.leasePaths);
  }

  /** Writes nothing any more. */
  end(): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    void this.#files.close();
  }

  /** A sync failed. */
  #fail(): void {
    this.#files.noteLosses(this.#view);
    this.end();
  }

  /** Resolves when the finished index has what was acknowledged, and nothing is being synced. */
  async idle(): Promise<void> {
    await this.#closing;
    await this.#files.idle();
  }

  /** Ends with the task, which was deleted. */
  async drop(): Promise<void> {
    this.end();
    this.#parts.held.delete(this.lease.taskId);
    await this.#files.idle();
  }
}
