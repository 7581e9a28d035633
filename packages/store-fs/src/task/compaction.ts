import { join } from "node:path";
import { encodeLine } from "../disk/checked-line.js";
import { allDone } from "../disk/shared-sync.js";
import type { StoreContext } from "../disk/store-context.js";
import { createFile } from "../disk/whole-file.js";
import { type ChainEntry, type ItemSegment, itemEvents } from "../journal/journal-line.js";
import { removeSuperfluous } from "../journal/take-over.js";
import type { HeldTask } from "./held-task.js";

/** Keeps the journals of held tasks short: states, progress and log entries of long ago go, items never do. */
export class Compaction {
  readonly #context: StoreContext;
  readonly #running = new Map<HeldTask, Promise<void>>();

  constructor(context: StoreContext) {
    this.#context = context;
  }

  /** Called after each commit. What fails is tried again after a later one; the files that are there stay whole. */
  consider(held: HeldTask): void {
    const { rotateBytes, maxJournalFiles } = this.#context.limits;
    const { offset, bodyStart } = held.view;
    // A snapshot that is larger than what it replaces would make the journal longer, not shorter.
    if (offset - bodyStart > Math.max(rotateBytes, 4 * bodyStart)) held.rotate();
    if (held.view.header.chain.length <= maxJournalFiles || held.isEnded || this.#running.has(held)) return;
    const running = this.#compact(held).catch(() => undefined);
    this.#running.set(
      held,
      running.finally(() => this.#running.delete(held)),
    );
  }

  /** Writes the items of the oldest files to a file of their own, seals a chain without those files, then removes them. */
  async #compact(held: HeldTask): Promise<void> {
    const context = this.#context;
    const { chain } = held.view.header;
    const oldFiles = Math.max(chain.length - context.limits.keepJournalFiles, 0);
    const last = chain[oldFiles - 1];
    if (last === undefined) return;
    const segment = await writeSegment(context, held, oldFiles);
    context.observe("store.compact.written", held.lease.taskId);
    if (held.isEnded) return;
    held.rotate({ throughEpoch: last.epoch, segment });
    if (context.durable) await held.sync();
    if (held.isEnded) return;
    removeSuperfluous(context, held.view);
    context.observe("store.compact.removed", held.lease.taskId);
  }

  /** Resolves when no compaction is under way. */
  async idle(): Promise<void> {
    await Promise.all(this.#running.values());
  }
}

async function writeSegment(
  context: StoreContext,
  { folder, view }: HeldTask,
  oldFiles: number,
): Promise<ItemSegment | undefined> {
  const { disk, durable, syncs, unique } = context;
  const { chain, epoch } = view.header;
  const itemsFrom = view.record.itemsFromSeq;
  const lines: Buffer[] = [];
  let first: number | undefined;
  let next = 0;
  for (const [place, entry] of chain.slice(0, oldFiles).entries()) {
    if (!mayHoldItems(entry, chain[place + 1])) continue;
    for (const { items, index } of itemEvents(context, folder, entry, itemsFrom)) {
      first ??= index;
      next = index + items.length;
      lines.push(encodeLine(JSON.stringify({ first: index, items })));
    }
    await Promise.resolve();
  }
  if (first === undefined) return undefined;
  const name = `${epoch}-${unique()}.jsonl`;
  const items = join(folder, "items");
  disk.makeFolder(items);
  const bytes = Buffer.concat(lines);
  createFile(disk, join(items, name), bytes);
  // With the name of the folder itself: the seal that names this file may be on the disk before anything else.
  if (durable) await allDone([syncs.sync(join(items, name)), disk.syncFolder(items), disk.syncFolder(folder)]);
  return { name, bytes: bytes.byteLength, first, count: next - first, itemsFrom };
}

/** The number of items before a file and before the next one tells that there are none in it. */
function mayHoldItems(entry: ChainEntry, next: ChainEntry | undefined): boolean {
  return next === undefined || next.itemsFrom !== entry.itemsFrom || next.items !== entry.items;
}
