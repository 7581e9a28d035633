import { dirname, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { isFinal, type TaskRecord } from "@resumable-mcp/core";
import { type BoundedCache, deepFreeze } from "@resumable-mcp/core/internal";
import { openQuestions, storeErrors, type TaskSnapshot } from "@resumable-mcp/core/store";
import { DamagedFile, ShrunkFile } from "../disk/checked-line.js";
import { hasCode } from "../disk/disk.js";
import { isSafeId, journalName, leaseName, taskFolder } from "../disk/layout.js";
import { quarantinedAt, quarantineTask } from "../disk/quarantine.js";
import { allDone } from "../disk/shared-sync.js";
import type { StoreContext } from "../disk/store-context.js";
import { taskCorrupt } from "../disk/store-errors.js";
import { ownerIn } from "../journal/owner-in.js";
import { type Compacted, removeSuperfluous, syncTakenOver, takeOver } from "../journal/take-over.js";
import { type FolderState, lookAt, parseLease } from "../journal/task-folder.js";
import {
  extendView,
  type FoldedJournal,
  freezeRecord,
  keepView,
  lostEnd,
  newestView,
  type Reading,
  readableView,
  type ViewCache,
} from "../journal/task-view.js";
import type { HeldTask, TaskReading } from "./held-task.js";
import { pendingSignals } from "./task-signals.js";
import type { WorkerRegistry } from "./worker-registry.js";

/** Which event a task is known to have finished with, whatever its journal holds; 0 where none is known. */
export interface FinalEvents {
  endOf(reading: Reading): Promise<number>;
}

interface Parts {
  readonly cache: BoundedCache<FoldedJournal>;
  readonly held: ReadonlyMap<string, HeldTask>;
  readonly workers: WorkerRegistry;
  readonly ends: FinalEvents;
  /** Tells whether a task has its call; one that has not is not there for callers. */
  isClaimed(taskId: string): boolean;
}

/** Reads tasks, those that this store writes itself and those of other processes. */
export class TaskReader {
  readonly #context: StoreContext;
  readonly #parts: Parts;

  constructor(context: StoreContext, parts: Parts) {
    this.#context = context;
    this.#parts = parts;
  }

  /** Reads a task that has to exist. */
  async require(taskId: string): Promise<TaskReading> {
    const reading = await this.#readMade(taskId);
    if (reading === undefined) throw storeErrors.taskNotFound(taskId);
    return reading;
  }

  /**
   * Reads a task that was made whole. One whose maker died before it had its call is known to no caller, and the same call
   * makes another: a request that names it, as one of a session does, must not bring it to life next to that.
   */
  async #readMade(taskId: string): Promise<TaskReading | undefined> {
    const reading = await this.read(taskId);
    if (reading === undefined || this.#context.readOnly) return reading;
    const { record, view } = reading;
    if (view.header.epoch > 1 || record.key === null || isFinal(record.status)) return reading;
    // The marker comes after the claim.
    const isMarked = this.#context.disk.exists(join(this.#context.layout.open, taskId));
    return isMarked || this.#parts.isClaimed(taskId) ? reading : undefined;
  }

  /** Reads a task as others may see it from now on, or resolves to `undefined` when there is none. */
  read(taskId: string): Promise<TaskReading | undefined> {
    return this.#readWith(this.#parts.cache, taskId);
  }

  /** Reads one task after the other, as `read` does, for a caller that goes through many and will do so again. */
  scan(): (taskId: string) => Promise<TaskReading | undefined> {
    const cache = this.#parts.cache.forScan();
    return (taskId) => this.#readWith(cache, taskId);
  }

  async #readWith(cache: ViewCache, taskId: string): Promise<TaskReading | undefined> {
    if (!isSafeId(taskId)) return undefined;
    return this.guard(
      taskId,
      async () => this.#parts.held.get(taskId)?.read() ?? (await this.#readStable(cache, taskId)),
    );
  }

  /** Notes that a task was synced before it came into its place, in a journal of so many bytes. */
  noteSynced(taskId: string, bytes: number): void {
    const view = readableView(this.#context, taskId, { cache: this.#parts.cache });
    if (view?.header.epoch !== 1 || view.offset !== bytes) return;
    view.unsynced = false;
    view.sealSynced = true;
  }

  /** Runs something that reads a task's files, and sets the task aside when they turn out to be damaged. */
  async guard<Result>(taskId: string, run: () => Promise<Result>): Promise<Result> {
    try {
      return await run();
    } catch (error) {
      return await this.tryAgain(taskId, error, run);
    }
  }

  /**
   * Runs something once more that failed, as {@link guard} does. Damage has to be seen twice: a file may have been removed or
   * moved while it was read.
   */
  async tryAgain<Result>(taskId: string, first: unknown, run: () => Promise<Result>): Promise<Result> {
    if (!(first instanceof DamagedFile)) throw first;
    this.#parts.cache.delete(taskId);
    try {
      const result = await run();
      if (!this.#isShorter(taskId, first)) return result;
      throw first;
    } catch (error) {
      const damage = error instanceof DamagedFile ? error : first;
      if (!(error instanceof DamagedFile) && !hasCode(error, "ENOENT")) throw error;
      const path = quarantineTask(this.#context, taskId, damage);
      throw taskCorrupt(taskId, path, { owner: ownerIn(this.#context.disk, path), cause: damage });
    }
  }

  /** What this process has read of a file is more than what is there: looking twice does not bring it back. */
  #isShorter(taskId: string, damage: DamagedFile): boolean {
    if (!(damage instanceof ShrunkFile)) return false;
    const view = newestView(this.#context, taskId);
    return view?.path === damage.path && view.header.incarnation === damage.incarnation && view.offset < damage.known;
  }

  async #readStable(cache: ViewCache, taskId: string): Promise<TaskReading | undefined> {
    const { takeOverPollMs, maxTakeOverPolls } = this.#context.limits;
    for (let polls = 0; ; polls += 1) {
      // Read, then look: what was read counts for good when no later epoch is announced by then, since a later taker reads later.
      const { view, folder } = this.#look(cache, taskId);
      if (view === undefined || folder === undefined) return this.#missing(taskId);
      const reading = { view, folder };
      const signals = pendingSignals(this.#context, taskId, folder, view);
      // An answer whose file went before this looked stands in the journal, behind what was read.
      const asks = openQuestions(reading.view.record).length > 0;
      if (asks && polls < maxTakeOverPolls && extendView(this.#context, reading.view)) continue;
      const isDurable = await this.#makeDurable(reading.view);
      if (!isDurable) {
        this.#expectNewer(reading.view);
        continue;
      }
      const isFinalReading = folder.newest === view.header.epoch || this.#context.readOnly;
      if (!isFinalReading && polls < maxTakeOverPolls && this.#isBeingTaken(reading)) {
        await delay(takeOverPollMs);
        continue;
      }
      await this.#expectEnd(cache, reading);
      if (isFinalReading) return { ...reading, record: isDurable.record, signals };
      await this.sealEpoch(taskId);
    }
  }

  /** The newest journal, and the folder as it is afterwards. Where a journal that was read before is still the newest, one listing tells both. */
  #look(cache: ViewCache, taskId: string): { readonly view?: FoldedJournal; readonly folder?: FolderState } {
    const list = () => lookAt(this.#context.disk, taskFolder(this.#context.layout, taskId));
    const known = cache.get(taskId);
    if (known !== undefined) {
      if (extendView(this.#context, known)) keepView(cache, known);
      const folder = list();
      if (folder?.newest === known.header.epoch) return { view: known, folder };
    }
    const view = newestView(this.#context, taskId, { cache });
    return { view, folder: list() };
  }

  /** A journal that ends before the task is known to have finished is damaged, however sound what is left of it. */
  async #expectEnd(cache: ViewCache, reading: Reading): Promise<void> {
    const { header, record } = reading.view;
    const end = await this.#parts.ends.endOf(reading);
    if (end <= record.lastSeq) return;
    // The task may have finished while the list was read: the journal comes last.
    const again = newestView(this.#context, header.taskId, { cache });
    if (again?.header.incarnation === header.incarnation && again.record.lastSeq < end) throw lostEnd(again, end);
  }

  #missing(taskId: string): undefined {
    const path = quarantinedAt(this.#context, taskId);
    if (path !== undefined) throw taskCorrupt(taskId, path, { owner: ownerIn(this.#context.disk, path) });
    return undefined;
  }

  /**
   * What was read may not be on the disk yet: others must not act on what a loss of power could take back.
   *
   * @returns the record up to which that is so, or `undefined` when the files were removed meanwhile.
   */
  async #makeDurable(view: FoldedJournal): Promise<{ readonly record: TaskRecord } | undefined> {
    const { record } = view;
    if (!view.unsynced || !this.#context.durable || this.#context.readOnly) return { record };
    try {
      await this.#syncRead(view);
    } catch (error) {
      if (hasCode(error, "ENOENT")) return undefined;
      throw error;
    }
    if (view.record === record) view.unsynced = false;
    return { record };
  }

  /** A file that was removed was made superfluous by a newer one. Where there is none, a missing file is damage. */
  #expectNewer({ header, path }: FoldedJournal): void {
    const again = newestView(this.#context, header.taskId);
    if (again?.header.epoch !== header.epoch || again.header.incarnation !== header.incarnation) return;
    throw new DamagedFile(path, 0, "a file that it continues is missing");
  }

  /** A journal that is read for the first time may seal files whose taker died before it synced them. */
  async #syncRead(view: FoldedJournal): Promise<void> {
    const { disk, syncs } = this.#context;
    const folder = dirname(view.path);
    const sealed = view.sealSynced ? [] : view.header.chain;
    const endOf = () => {
      // Its writer may have died after it was read.
      extendView(this.#context, view);
      return view.offset;
    };
    const chain = sealed.map(({ epoch, bytes }) => syncs.sync(join(folder, journalName(epoch)), () => bytes));
    await allDone([...chain, syncs.sync(view.path, endOf)]);
    if (!view.sealSynced) await disk.syncFolder(folder);
    view.sealSynced = true;
  }

  /** A live worker has announced an epoch: a taker, or the holder of the lease, whose journal continues in a new file. */
  #isBeingTaken({ view, folder }: Reading): boolean {
    return folder.leases
      .map(parseLease)
      .filter(({ epoch, holder }) => epoch >= view.header.lease && !this.#parts.workers.isOwn(holder))
      .some(({ holder }) => this.#parts.workers.isAlive(holder, view.header.ttlMs));
  }

  /**
   * An epoch was announced and its taker died: only a seal can say what counts, so one without a lease does.
   *
   * @param compacted files that count no more from then on.
   */
  async sealEpoch(taskId: string, compacted?: Compacted): Promise<void> {
    const taken = takeOver(this.#context, this.#parts.cache, { taskId, ttlMs: 0, compacted });
    if (taken === undefined) return;
    try {
      await syncTakenOver(this.#context, taken);
      removeSuperfluous(this.#context, taken.view);
    } catch (error) {
      // Another process took over since, and removed what is not needed any more.
      if (!hasCode(error, "ENOENT")) throw error;
    } finally {
      this.#context.disk.close(taken.file);
    }
  }

  /**
   * Waits for something that a live worker may be about to write. When it is not written, it never will be from then
   * on: a new epoch sees to that.
   */
  async fence(taskId: string, isWritten: (reading: TaskReading) => boolean): Promise<TaskReading | undefined> {
    const { takeOverPollMs, maxTakeOverPolls } = this.#context.limits;
    for (let polls = 0; polls < maxTakeOverPolls; polls += 1) {
      const reading = await this.read(taskId);
      if (reading === undefined || isWritten(reading)) return reading;
      if (!this.isLeased(reading.folder, reading)) break;
      await delay(takeOverPollMs);
    }
    await this.sealEpoch(taskId);
    return await this.read(taskId);
  }

  /** A task as its callers see it, or `undefined` when there is none. */
  async snapshot(taskId: string): Promise<TaskSnapshot | undefined> {
    const reading = await this.#readMade(taskId);
    return reading && this.snapshotOf(reading);
  }

  /** Makes a snapshot out of a reading. */
  snapshotOf(reading: TaskReading): TaskSnapshot {
    const { record, folder, signals } = reading;
    return { record: freezeRecord(record), signals: deepFreeze(signals), leased: this.isLeased(folder, reading) };
  }

  /** This store writes the task itself. */
  isOwn(taskId: string): boolean {
    return this.#parts.held.get(taskId)?.isEnded === false;
  }

  /** No process has taken the task since it was read. */
  isStill(reading: TaskReading): boolean {
    const folder = lookAt(this.#context.disk, taskFolder(this.#context.layout, reading.record.id));
    return folder !== undefined && folder.newest === reading.view.header.epoch && !this.isLeased(folder, reading);
  }

  /** Tells whether a live worker holds the lease. */
  isLeased(folder: FolderState, { view }: Reading): boolean {
    const { holder, lease, ttlMs } = view.header;
    if (holder === null || !folder.leases.includes(leaseName(lease, holder))) return false;
    // This store knows its own leases: a file that could not be removed is none.
    if (this.#parts.workers.isOwn(holder) && this.#parts.held.get(view.header.taskId)?.lease.epoch !== lease)
      return false;
    return this.#parts.workers.isAlive(holder, ttlMs);
  }
}
