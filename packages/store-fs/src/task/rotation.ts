import { join } from "node:path";
import { allDone } from "../disk/all-done.js";
import { encodeLine } from "../disk/checked-line.js";
import { taskFolder } from "../disk/layout.js";
import type { StoreContext } from "../disk/store-context.js";
import { createFile, syncPath } from "../disk/whole-file.js";
import { itemEvents } from "../journal/item-events.js";
import { trim } from "../journal/journal-append.js";
import type { ChainEntry, ItemSegment } from "../journal/journal-line.js";
import type { LiveLease } from "../journal/live-lease.js";
import type { ViewCache } from "../journal/newest-view.js";
import { type Compacted, removeSuperfluous, takeOver } from "../journal/take-over.js";
import type { LeaseBook } from "./lease-book.js";

/** Begins new journal files for tasks whose present one grew large, and thins out old ones. */
export class Rotation {
  private readonly context: StoreContext;
  private readonly cache: ViewCache;
  private readonly book: LeaseBook;
  private readonly background = new Set<Promise<void>>();

  constructor(context: StoreContext, cache: ViewCache, book: LeaseBook) {
    this.context = context;
    this.cache = cache;
    this.book = book;
  }

  /** Called after each commit. */
  consider(live: LiveLease): void {
    if (live.ended) return;
    const { rotateBytes, maxJournalFiles } = this.context.limits;
    const written = live.view.offset - live.view.bodyStart;
    // A snapshot that is larger than what it stands for would make the journal longer, not shorter.
    if (written > Math.max(rotateBytes, 4 * live.view.bodyStart)) this.rotate(live);
    if (live.view.header.chain.length > maxJournalFiles && !live.compacting) this.beginCompaction(live);
  }

  /** Goes on in a new file. The lease stays; the next acknowledgement waits for the new file's beginning. */
  private rotate(live: LiveLease, compacted?: Compacted): void {
    const { context, book } = this;
    const { taskId, epoch: lease, worker } = live.lease;
    const rotate = { epoch: live.epoch, lease, leaseFile: live.leaseFile, view: live.view };
    const by = { worker, holder: live.holder };
    if (!this.makeDurable(live)) return;
    try {
      const taken = takeOver(context, this.cache, {
        taskId,
        ttlMs: live.ttlMs,
        by,
        rotate,
        ...(compacted && { compacted }),
      });
      if (taken === undefined) {
        book.end(live);
        return;
      }
      if (!this.syncSeal(live, taken.file)) return;
      context.observe("store.rotate.sealed", taskId);
      trim(context, live);
      this.retire(live);
      live.view = taken.view;
      live.epoch = taken.epoch;
      live.file = taken.file;
      live.extendedTo = 0;
    } catch {
      // The old file is whole and stays the newest: what could not be begun is tried again after the next commit.
    }
  }

  /** Before anything follows it: half a seal in front of a whole line is damage to whoever reads it. */
  private syncSeal(live: LiveLease, file: number): boolean {
    const { disk, durable } = this.context;
    try {
      if (durable) disk.syncDataNow(file);
      return true;
    } catch {
      // The new file is the newest already: this lease is over.
      disk.close(file);
      this.book.fail(live);
      return false;
    }
  }

  /** A loss of power must not leave a seal behind and take what it counts, though nobody was told of it yet. */
  private makeDurable(live: LiveLease): boolean {
    const { disk, durable } = this.context;
    if (!durable || live.durable.lastSeq === live.view.record.lastSeq) return true;
    try {
      disk.syncDataNow(live.file);
      // What waits for the next sync includes the file's name.
      if (live.alsoSync.length > 0) disk.syncFolderNow(live.folder);
      return true;
    } catch {
      this.book.fail(live);
      return false;
    }
  }

  /** What the old file holds is sealed: it has to be on the disk before anything after it is acknowledged. */
  private retire(live: LiveLease): void {
    const { disk, layout, durable } = this.context;
    const old = live.file;
    if (!durable) {
      disk.close(old);
      return;
    }
    live.retired.add(old);
    live.alsoSync.push(async () => {
      await disk.syncData(old);
      await disk.syncFolder(taskFolder(layout, live.lease.taskId));
      live.retired.delete(old);
      disk.close(old);
    });
  }

  /**
   * Writes the items of the oldest files to a file of their own, then seals a chain without those files, then removes
   * them: states, progress and log entries that nobody asked for in a long time go, items never do.
   */
  private async compact(live: LiveLease): Promise<void> {
    const { context } = this;
    const { chain } = live.view.header;
    const oldFiles = Math.max(chain.length - context.limits.keepJournalFiles, 0);
    const last = chain[oldFiles - 1];
    if (last === undefined) return;
    const segment = await this.writeSegment(live, chain, oldFiles);
    context.observe("store.compact.written", live.lease.taskId);
    if (live.ended) return;
    this.rotate(live, { throughEpoch: last.epoch, segment });
    if (context.durable) await live.sync.request();
    if (live.ended) return;
    removeSuperfluous(context, live.view);
    context.observe("store.compact.removed", live.lease.taskId);
  }

  private async writeSegment(
    live: LiveLease,
    chain: readonly ChainEntry[],
    oldFiles: number,
  ): Promise<ItemSegment | undefined> {
    const { disk, layout, durable, unique } = this.context;
    const { itemsFromSeq } = live.view.record;
    const folder = taskFolder(layout, live.lease.taskId);
    const lines: Buffer[] = [];
    let first: number | undefined;
    let next = 0;
    for (const [place, entry] of chain.slice(0, oldFiles).entries()) {
      if (!mayHoldItems(entry, chain[place + 1])) continue;
      for (const { event, index } of itemEvents(this.context, folder, entry, itemsFromSeq)) {
        first ??= index;
        next = index + event.items.length;
        lines.push(encodeLine(JSON.stringify({ first: index, items: event.items })));
      }
      await Promise.resolve();
    }
    if (first === undefined) return undefined;
    const name = `${live.epoch}-${unique()}.jsonl`;
    disk.makeFolder(join(folder, "items"));
    const path = join(folder, "items", name);
    const bytes = Buffer.concat(lines);
    createFile(disk, path, bytes);
    // With the name of the folder itself: the seal that names this file may be on the disk before anything else.
    if (durable) {
      await allDone([syncPath(disk, path), disk.syncFolder(join(folder, "items")), disk.syncFolder(folder)]);
    }
    return { name, bytes: bytes.byteLength, first, count: next - first, itemsFrom: itemsFromSeq };
  }

  /** What fails is tried again after a later commit; the files that are there stay whole. */
  private beginCompaction(live: LiveLease): void {
    live.compacting = true;
    const work = this.compact(live)
      .catch(() => undefined)
      .finally(() => {
        live.compacting = false;
        this.background.delete(work);
      });
    this.background.add(work);
  }

  /** Resolves when no compaction is under way. */
  async idle(): Promise<void> {
    await Promise.all(this.background);
  }
}

/** The number of items before a file and before the next one tells that there are none in it. */
function mayHoldItems(entry: ChainEntry, next: ChainEntry | undefined): boolean {
  return next === undefined || next.itemsFrom !== entry.itemsFrom || next.items !== entry.items;
}
