import { join } from "node:path";
import type { Instant, Lease, TaskSnapshot } from "@resumable-mcp/core";
import { allDone } from "../disk/all-done.js";
import { deepFreeze } from "../disk/deep-freeze.js";
import { hasCode, isSystemError } from "../disk/disk.js";
import { journalName, leaseName, quietName, taskFolder } from "../disk/layout.js";
import { SharedSync } from "../disk/shared-sync.js";
import type { StoreContext } from "../disk/store-context.js";
import { taskNotFound } from "../disk/store-errors.js";
import { rewriteInPlace, unlinkIfExists } from "../disk/whole-file.js";
import { trim } from "../journal/journal-append.js";
import type { LiveLease } from "../journal/live-lease.js";
import type { ViewCache } from "../journal/newest-view.js";
import { removeSuperfluous, syncTakenOver, type TakenOver, takeOver } from "../journal/take-over.js";
import { lookAt } from "../journal/task-folder.js";
import { pendingSignals } from "../journal/task-signals.js";
import type { Hints } from "./hints.js";
import type { TaskReader } from "./task-reader.js";
import type { WorkerRegistry } from "./worker-registry.js";

/** The leases that this store holds. */
export class LeaseBook {
  private readonly parts: {
    readonly context: StoreContext;
    readonly cache: ViewCache;
    readonly leases: Map<string, LiveLease>;
    readonly reader: TaskReader;
    readonly workers: WorkerRegistry;
    readonly hints: Hints;
  };

  constructor(parts: LeaseBook["parts"]) {
    this.parts = parts;
  }

  private readonly doubtful = new Set<string>();
  /** Files of leases that are over. */
  private readonly remaining = new Set<string>();

  async acquire(request: {
    readonly taskId: string;
    readonly worker: string;
    readonly ttlMs: number;
    readonly now: Instant;
  }): Promise<{ readonly lease: Lease; readonly snapshot: TaskSnapshot } | undefined> {
    const { reader, workers } = this.parts;
    const { taskId } = request;
    workers.noteTime(request.now);
    const reading = await reader.require(taskId);
    if (reader.isLeased(reading.folder, reading) && !this.isSpent(taskId)) return undefined;
    const taken = await reader.guard(taskId, async () => this.take(request, reading.folder.newest));
    return taken && this.begin(request, taken);
  }

  /** The lease is this store's own, and no commit of it will be accepted any more. */
  private isSpent(taskId: string): boolean {
    return this.parts.leases.get(taskId)?.ended === true;
  }

  /** Takes over unless somebody else did since the task was read. */
  private take(request: { taskId: string; worker: string; ttlMs: number }, newest: number): TakenOver | undefined {
    const { context, cache, workers } = this.parts;
    const { taskId, worker, ttlMs } = request;
    if (lookAt(context.disk, taskFolder(context.layout, taskId))?.newest !== newest) return undefined;
    return takeOver(context, cache, { taskId, ttlMs, by: { worker, holder: workers.beat(worker) } });
  }

  private async begin(
    { taskId, worker, ttlMs }: { taskId: string; worker: string; ttlMs: number },
    taken: TakenOver,
  ): Promise<{ readonly lease: Lease; readonly snapshot: TaskSnapshot } | undefined> {
    const { context, leases, hints } = this.parts;
    const live = this.open({ taskId, worker, epoch: taken.epoch }, ttlMs, taken);
    const before = leases.get(taskId);
    leases.set(taskId, live);
    if (before !== undefined) this.end(before);
    try {
      this.refresh(taken);
      await syncTakenOver(context, taken);
      context.observe("store.takeover.synced", taskId);
      removeSuperfluous(context, live.view);
      hints.notify(taskId, "task");
      const folder = lookAt(context.disk, live.folder);
      if (folder === undefined) throw taskNotFound(taskId);
      const signals = pendingSignals(context, taskId, folder, live.view);
      return { lease: live.lease, snapshot: { record: deepFreeze(live.durable), signals, leased: true } };
    } catch (error) {
      // Whoever was not given the lease cannot give it back.
      this.abandon(live);
      // Somebody took over since, and removed what is not needed any more.
      if (hasCode(error, "ENOENT")) return undefined;
      throw error;
    }
  }

  private open(lease: Lease, ttlMs: number, taken: TakenOver): LiveLease {
    const { context } = this.parts;
    const holder = taken.view.header.holder ?? "";
    const folder = taskFolder(context.layout, lease.taskId);
    const leaseFile = leaseName(lease.epoch, holder);
    const live: LiveLease = {
      lease: Object.freeze(lease),
      ttlMs,
      holder,
      leaseFile,
      folder,
      quietPath: join(folder, quietName(leaseFile)),
      seen: undefined,
      view: taken.view,
      epoch: taken.epoch,
      file: taken.file,
      extendedTo: 0,
      durable: taken.view.record,
      unacknowledged: new Set(),
      ended: false,
      sync: new SharedSync(async () => {
        if (live.alsoSync.length === 0) return context.disk.syncData(live.file);
        const also = live.alsoSync.splice(0);
        await allDone([context.disk.syncData(live.file), ...also.map((sync) => sync())]);
      }),
      alsoSync: [],
      retired: new Set(),
      closing: undefined,
      documentMs: Number.NEGATIVE_INFINITY,
      compacting: false,
    };
    return live;
  }

  /** The lease by which this store may write, or `undefined` when it may not. */
  find(lease: Lease): LiveLease | undefined {
    const live = this.parts.leases.get(lease.taskId);
    if (live === undefined || live.ended) return undefined;
    return live.lease.epoch === lease.epoch && live.lease.worker === lease.worker ? live : undefined;
  }

  async release(lease: Lease): Promise<void> {
    const live = this.parts.leases.get(lease.taskId);
    if (live?.lease.epoch !== lease.epoch) return;
    await live.closing;
    this.abandon(live);
    await live.sync.idle();
  }

  /** Gives up a lease: its file goes, and with it the worker's right. */
  private abandon(live: LiveLease): void {
    const { leases, hints } = this.parts;
    const { taskId } = live.lease;
    if (!live.ended) trim(this.parts.context, live);
    this.end(live);
    if (leases.get(taskId) === live) leases.delete(taskId);
    this.removeLease(live);
    hints.notify(taskId, "runnable");
  }

  private removeLease(live: LiveLease): void {
    for (const path of [join(live.folder, live.leaseFile), live.quietPath]) this.remaining.add(path);
    this.tidy();
  }

  /** Removes what could not be removed when its lease ended: until then, other processes see the task leased. */
  tidy(): void {
    for (const path of this.remaining) {
      try {
        unlinkIfExists(this.parts.context.disk, path);
        this.remaining.delete(path);
      } catch (error) {
        if (!isSystemError(error)) throw error;
      }
    }
  }

  /** Writes nothing by this lease any more. Its file is closed when its last sync is over. */
  end(live: LiveLease): void {
    if (live.ended) return;
    live.ended = true;
    const { disk } = this.parts.context;
    void live.sync.idle().then(() => {
      for (const file of [live.file, ...live.retired]) disk.close(file);
    });
  }

  /** A sync failed: its bytes may not be on the disk, though the system will not say so a second time. */
  fail(live: LiveLease): void {
    const { chain } = live.view.header;
    // Of earlier files, those that this lease has written and left.
    for (const { epoch } of chain)
      if (epoch >= live.lease.epoch) this.doubtful.add(join(live.folder, journalName(epoch)));
    this.doubtful.add(live.view.path);
    this.end(live);
  }

  /** Writes what a doubtful file holds once more in its place, so that the next sync has something to do. */
  private refresh(taken: TakenOver): void {
    const { disk, layout } = this.parts.context;
    const folder = taskFolder(layout, taken.view.header.taskId);
    for (const { epoch, bytes } of taken.view.header.chain) {
      const path = join(folder, journalName(epoch));
      if (!this.doubtful.has(path)) continue;
      rewriteInPlace(disk, path, bytes);
      this.doubtful.delete(path);
    }
  }

  /** Forgets a lease whose task is gone. */
  async drop(live: LiveLease): Promise<void> {
    this.end(live);
    this.parts.leases.delete(live.lease.taskId);
    await live.sync.idle();
  }

  /** Gives all leases back. */
  close(): Promise<unknown> {
    const all = [...this.parts.leases.values()];
    return Promise.all(all.map((live) => this.release(live.lease)));
  }
}
