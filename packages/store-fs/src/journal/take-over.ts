import { dirname, join } from "node:path";
import { encodeLine } from "../disk/checked-line.js";
import { hasCode, isSystemError } from "../disk/disk.js";
import { journalFiles, journalName, layoutVersion, leaseName, taskFolder } from "../disk/layout.js";
import { allDone } from "../disk/shared-sync.js";
import type { StoreContext } from "../disk/store-context.js";
import { touchFile, unlinkIfExists, writeAll } from "../disk/whole-file.js";
import type { ItemSegment, JournalHeader } from "./journal-line.js";
import { disturb, type FolderState, lookAt } from "./task-folder.js";
import { chainThrough, type FoldedJournal, newestView, sealedBytes, type ViewCache } from "./task-view.js";

/** Who begins an epoch, and why. */
export interface TakeOverRequest {
  readonly taskId: string;
  /** Absent where no worker takes the lease, and only the past is to be sealed. */
  readonly by?: { readonly worker: string; readonly holder: string };
  readonly ttlMs: number;
  /** The newest epoch as far as the taker knows: nothing is taken when there is a later one. */
  readonly after?: number;
  /** Rotation: only the epoch directly after this one will do, and the lease stays the one it was. */
  readonly rotate?: {
    readonly epoch: number;
    readonly lease: number;
    readonly leaseFile: string;
    readonly view: FoldedJournal;
  };
  /** Files up to this epoch are replaced by a segment with their items. */
  readonly compacted?: Compacted;
}

/** What compaction prepared. */
export interface Compacted {
  readonly throughEpoch: number;
  readonly segment: ItemSegment | undefined;
}

/** An epoch that began: its file, open for appending, and the task as the seal says it is. */
export interface TakenOver {
  readonly epoch: number;
  readonly file: number;
  readonly view: FoldedJournal;
}

/**
 * Begins an epoch: announce, read, seal. The one mechanism of take-over, rotation, compaction and going on after a
 * failed write.
 *
 * Announcing creates the epoch's file exclusively. Only then is read how far the earlier ones count, and these lengths
 * become the new file's first line. The writer before finds the announcement after its next append, and every
 * reader follows the newest seal.
 *
 * @returns `undefined` when another process was faster, or the task was deleted.
 */
export function takeOver(context: StoreContext, cache: ViewCache, request: TakeOverRequest): TakenOver | undefined {
  const announced = announce(context, request);
  if (announced === undefined) return undefined;
  const { epoch, file } = announced;
  let isSealed = false;
  let taken: TakenOver | undefined;
  try {
    context.observe("store.takeover.announced", request.taskId);
    disturb(context, request.taskId);
    const before = request.rotate?.view ?? newestView(context, request.taskId, { cache, below: epoch });
    if (before === undefined) return undefined;
    cache.delete(request.taskId);
    context.observe("store.takeover.read", request.taskId);
    syncSealed(context, before);
    const header = headerOf(request, epoch, before);
    const line = encodeLine(JSON.stringify(header));
    writeAll(context.disk, file, line);
    isSealed = true;
    context.observe("store.takeover.sealed", request.taskId);
    const folder = lookAt(context.disk, taskFolder(context.layout, request.taskId));
    if (folder?.newest === epoch) taken = { epoch, file, view: viewOf(context, header, before, line.byteLength) };
    // The taker that came after may give up, and this epoch be the newest again.
    else withdraw(context, request, epoch, isSealed);
    return taken;
  } catch (error) {
    withdraw(context, request, epoch, isSealed);
    throw error;
  } finally {
    if (taken === undefined) context.disk.close(file);
  }
}

/** A loss of power must not leave the seal behind and take what it counts, or the name of that. */
function syncSealed({ disk, durable, syncs }: StoreContext, before: FoldedJournal): void {
  const { unsynced, sealSynced, path, header } = before;
  if (!durable) return;
  if (unsynced) syncs.syncNow(path, () => before.offset);
  if (sealSynced) return;
  const folder = dirname(path);
  for (const { epoch, bytes } of header.chain) syncs.syncNow(join(folder, journalName(epoch)), () => bytes);
  disk.syncFolderNow(folder);
}

/**
 * Gives up an epoch whose taker failed. An announcement that will never be sealed can go: no process has read anything into
 * it. What cannot be removed stays, as if its taker had died: the next one takes the next number.
 */
function withdraw(
  context: StoreContext,
  { taskId, by, rotate }: TakeOverRequest,
  epoch: number,
  sealed: boolean,
): void {
  const folder = taskFolder(context.layout, taskId);
  try {
    if (!sealed) unlinkIfExists(context.disk, join(folder, journalName(epoch)));
    if (rotate === undefined && by !== undefined) {
      unlinkIfExists(context.disk, join(folder, leaseName(epoch, by.holder)));
    }
  } catch (error) {
    if (!isSystemError(error)) throw error;
  }
}

function announce(
  context: StoreContext,
  request: TakeOverRequest,
): { readonly epoch: number; readonly file: number } | undefined {
  const { disk, layout } = context;
  const folderPath = taskFolder(layout, request.taskId);
  for (;;) {
    const folder = lookAt(disk, folderPath);
    if (folder === undefined) return undefined;
    const { rotate, by, after } = request;
    if (after !== undefined && folder.newest !== after) return undefined;
    if (rotate !== undefined && !holds(folder, rotate.epoch, rotate.leaseFile)) return undefined;
    const epoch = folder.newest + 1;
    const lease = rotate === undefined && by !== undefined ? join(folderPath, leaseName(epoch, by.holder)) : undefined;
    try {
      if (lease !== undefined) touchFile(disk, lease);
      const file = journalFiles.open(disk, folderPath, epoch);
      if (file !== undefined) return { epoch, file };
      if (lease !== undefined) unlinkIfExists(disk, lease);
    } catch (error) {
      if (lease !== undefined) unlinkIfExists(disk, lease);
      if (hasCode(error, "ENOENT")) return undefined;
      throw error;
    }
  }
}

/**
 * Tells whether an epoch is still the newest and its lease still there. A folder that was deleted and made again has
 * another lease file, though its epochs may be the same.
 */
export function holds(folder: FolderState | undefined, epoch: number, leaseFile: string): boolean {
  return folder?.newest === epoch && folder.leases.includes(leaseFile);
}

function headerOf(request: TakeOverRequest, epoch: number, before: FoldedJournal): JournalHeader {
  const { record } = before;
  const whole = chainThrough(before);
  const through = request.compacted?.throughEpoch ?? 0;
  const segment = request.compacted?.segment;
  return {
    layout: layoutVersion,
    taskId: request.taskId,
    incarnation: before.header.incarnation,
    epoch,
    lease: request.rotate?.lease ?? epoch,
    worker: request.by?.worker ?? null,
    holder: request.by?.holder ?? null,
    ttlMs: request.ttlMs,
    base: record.lastSeq,
    items: record.itemCount,
    itemsFrom: record.itemsFromSeq,
    record,
    chain: whole.filter((entry) => entry.epoch > through),
    segments: [...before.header.segments, ...(segment === undefined ? [] : [segment])].filter(
      ({ itemsFrom }) => itemsFrom === record.itemsFromSeq,
    ),
    consumed: [...before.consumed],
    answered: [...before.answered],
  };
}

function viewOf(context: StoreContext, header: JournalHeader, before: FoldedJournal, length: number): FoldedJournal {
  const { record: _, ...rest } = header;
  const { record, isPlain, tail } = before;
  // Written out: a spread of one view into the next gives each an object layout of its own, which slows all that uses it.
  return {
    header: rest,
    path: join(taskFolder(context.layout, header.taskId), journalName(header.epoch)),
    sealedBytes: sealedBytes(header),
    offset: length,
    bodyStart: length,
    record,
    isPlain,
    consumed: new Set(before.consumed),
    answered: new Set(before.answered),
    tail,
    unsynced: false,
    sealSynced: true,
  };
}

/**
 * Makes an epoch's beginning durable: the seal, and the names in the folder; what it seals was before. Has to be over
 * before the epoch's first acknowledgement.
 */
export async function syncTakenOver({ disk, durable }: StoreContext, { file, view }: TakenOver): Promise<void> {
  if (!durable) return;
  await allDone([disk.syncData(file), disk.syncFolder(dirname(view.path))]);
}

/**
 * Removes files that the newest seal made superfluous.
 *
 * Looks once more before: a taker that announced a later epoch meanwhile may have read the seal before this one, and
 * then needs the files that it names.
 *
 * @returns the folder as it was before.
 */
export function removeSuperfluous(context: StoreContext, view: FoldedJournal): FolderState | undefined {
  const { disk, layout } = context;
  const folderPath = taskFolder(layout, view.header.taskId);
  const folder = lookAt(disk, folderPath);
  if (folder?.newest !== view.header.epoch) return folder;
  const needed = new Set(view.header.chain.map(({ epoch }) => epoch));
  for (const epoch of folder.epochs) {
    if (epoch < view.header.epoch && !needed.has(epoch)) unlinkIfExists(disk, join(folderPath, journalName(epoch)));
  }
  for (const name of folder.leases) {
    if (Number(name.split(".")[1]) < view.header.lease) unlinkIfExists(disk, join(folderPath, name));
  }
  return folder;
}
