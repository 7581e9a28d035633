import { join } from "node:path";
import { isResumableError, type TaskRecord } from "@resumable-mcp/core";
import { type Cache, deepFreeze, isPlainRecord, noCache, recordMemory } from "@resumable-mcp/core/internal";
import { checkJournalQuotas, reduceTask, storeErrors, type TaskEvent } from "@resumable-mcp/core/store";
import { DamagedFile, type RawLine, rawLines, ShrunkFile } from "../disk/checked-line.js";
import { journalFiles, journalName, taskFolder } from "../disk/layout.js";
import type { FsStoreLimits } from "../disk/limits.js";
import { missing, newest } from "../disk/numbered-files.js";
import type { StoreContext } from "../disk/store-context.js";
import { listIfExists, readFrom } from "../disk/whole-file.js";
import { type ChainEntry, type JournalHeader, parseCommit, parseHeader, writtenPart } from "./journal-line.js";
import { EventTail } from "./number-events.js";
import { type FolderState, signalFile } from "./task-folder.js";

/** A journal as far as it was read: the newest sealed file, and the fold of everything up to `offset` in it. */
export interface FoldedJournal {
  readonly header: Omit<JournalHeader, "record">;
  readonly path: string;
  /** How much earlier files and items take. */
  readonly sealedBytes: number;
  /** How much of the file is folded in. */
  offset: number;
  /** Where the first commit of the file begins. */
  readonly bodyStart: number;
  record: TaskRecord;
  /** The record has no fields of a later version. */
  isPlain: boolean;
  /** Signals that were carried out, and whose files were there when last looked; answers also after that. */
  readonly consumed: Set<string>;
  readonly answered: Set<string>;
  readonly tail: EventTail;
  /** Something was read that this process has not synced. */
  unsynced: boolean;
  /** The files that it seals are known to be on the disk. */
  sealSynced: boolean;
}

/** Opens the file of an epoch; `undefined` when it is announced and not sealed. */
function openView(
  context: StoreContext,
  folder: string,
  taskId: string,
  epoch: number,
): FoldedJournal | typeof missing | undefined {
  const path = join(folder, journalName(epoch));
  const bytes = readFrom(context.disk, path);
  if (bytes === undefined) return missing;
  const lines = rawLines(writtenPart(bytes, 0, path), 0, path);
  const first = lines.next();
  if (first.done) return undefined;
  const { record, ...header } = parseHeader(first.value, path);
  if (header.taskId !== taskId || header.epoch !== epoch) throw new DamagedFile(path, 0, "it belongs elsewhere");
  const view: Draft = {
    header,
    path,
    sealedBytes: sealedBytes(header),
    offset: first.value.next,
    bodyStart: first.value.next,
    record: record ?? undefined,
    isPlain: record !== null && isPlainRecord(record),
    consumed: new Set(header.consumed),
    answered: new Set(header.answered),
    tail: new EventTail(context.limits),
    unsynced: true,
    sealSynced: false,
  };
  for (const line of lines) fold(view, line);
  if (!isBegun(view)) throw new DamagedFile(path, view.offset, "the task's first event is missing");
  return view;
}

/** The file of the first epoch has no snapshot: its first commit holds the `created` event. */
type Draft = Omit<FoldedJournal, "record"> & { record: TaskRecord | undefined };

function isBegun(view: Draft): view is FoldedJournal {
  return view.record !== undefined;
}

/** Reads what was appended since the last time. @returns false when there was nothing. */
export function extendView(context: StoreContext, view: FoldedJournal): boolean {
  const size = context.disk.stat(view.path)?.size;
  if (size === undefined || size === view.offset) return false;
  if (size < view.offset) {
    throw new ShrunkFile(view.path, size, { incarnation: view.header.incarnation, known: view.offset });
  }
  const before = view.offset;
  const bytes = readFrom(context.disk, view.path, before);
  if (bytes === undefined) return false;
  for (const line of rawLines(writtenPart(bytes, before, view.path), before, view.path)) fold(view, line);
  if (view.offset === before) return false;
  view.unsynced = true;
  return true;
}

function fold(view: Draft, line: RawLine): void {
  const { events, consumed } = parseCommit(line, view.path);
  try {
    const record = reduceTask(view.record, events, view.isPlain);
    if (view.record === undefined) view.isPlain = isPlainRecord(record);
    const bytes = line.next - line.start;
    addCommit(view, { record, events, consumed: consumed ?? [], bytes });
  } catch (error) {
    if (isResumableError(error, "SEQ_CONFLICT")) throw new DamagedFile(view.path, line.start, error.message);
    throw error;
  }
}

/** A commit, with the record that it leads to. */
export interface FoldedCommit {
  readonly record: TaskRecord;
  readonly events: readonly TaskEvent[];
  readonly consumed: readonly string[];
  /** How long its line is. */
  readonly bytes: number;
}

/** Adds a commit to a view. */
export function addCommit(view: Draft, { record, events, consumed, bytes }: FoldedCommit): void {
  if (view.record !== undefined && view.record.itemsFromSeq !== record.itemsFromSeq) view.answered.clear();
  for (const id of consumed) {
    view.consumed.add(id);
    if (id.startsWith("answer.")) view.answered.add(signalFile(id));
  }
  view.record = record;
  view.tail.add(events, bytes);
  view.offset += bytes;
}

/** Folded journals that were read lately. */
export type ViewCache = Cache<FoldedJournal>;

/** A journal as read, and the folder as it looked afterwards. */
export interface Reading {
  readonly view: FoldedJournal;
  readonly folder: FolderState;
}

/**
 * Finds the newest sealed epoch and folds it to its end. Epochs that are announced and not sealed count for nothing.
 *
 * @param options.below only epochs lower than this one.
 * @param options.folder where its files are, if not in the task's place.
 * @returns `undefined` when there is no such task.
 */
export function newestView(
  context: StoreContext,
  taskId: string,
  options: { readonly cache?: ViewCache; readonly below?: number; readonly folder?: string | undefined } = {},
): FoldedJournal | undefined {
  const { cache = noCache, below = Number.POSITIVE_INFINITY, folder = taskFolder(context.layout, taskId) } = options;
  let isThere = true;
  const list = () => {
    const names = listIfExists(context.disk, folder);
    isThere = names !== undefined;
    return journalFiles.numbersIn(names ?? []).filter((epoch) => epoch < below);
  };
  const view = newest(list, (epoch) => {
    const cached = cache.get(taskId);
    const isKnown = cached?.header.epoch === epoch;
    const found = isKnown ? cached : openView(context, folder, taskId, epoch);
    if (found === undefined || found === missing || (isKnown && !extendView(context, found))) return found;
    keepView(cache, found);
    return found;
  });
  if (view !== undefined || !isThere) return view;
  throw new DamagedFile(folder, 0, "no journal is readable");
}

/** Keeps a view for the next reader. Its tail has the parsed events of so many bytes, which are few. */
export function keepView(cache: ViewCache, view: FoldedJournal): void {
  const { record, tail } = view;
  cache.set(record.id, view, 2048 + recordMemory(record) + tail.bytes);
}

/** As `newestView`; a task that cannot be read counts as none: it is set aside when it is asked for. */
export function readableView(
  context: StoreContext,
  taskId: string,
  options?: Parameters<typeof newestView>[2],
): FoldedJournal | undefined {
  try {
    return newestView(context, taskId, options);
  } catch (error) {
    if (error instanceof DamagedFile) return undefined;
    throw error;
  }
}

/** What a journal says about signals. */
export type SignalState = Pick<FoldedJournal, "record" | "consumed" | "answered">;

/** How much a header counts of earlier files and items. */
export function sealedBytes({ chain, segments }: Pick<JournalHeader, "chain" | "segments">): number {
  return [...chain, ...segments].reduce((sum, { bytes }) => sum + bytes, 0);
}

/** Freezes all of a record that was folded from a file, so that it can be given out. */
export function freezeRecord(record: TaskRecord): TaskRecord {
  for (const part of Object.values(record)) deepFreeze(part);
  return Object.freeze(record);
}

/** @throws {@link ResumableError} `LIMIT_EXCEEDED` or `QUOTA_EXCEEDED` for a commit that is too large for its journal. */
export function checkCommitSize(
  limits: FsStoreLimits,
  view: FoldedJournal,
  events: readonly TaskEvent[],
  bytes: number,
): void {
  if (bytes > limits.maxCommitBytes)
    throw storeErrors.storeLimitExceeded("maxCommitBytes", bytes, limits.maxCommitBytes);
  const { id, lastSeq } = view.record;
  checkJournalQuotas(limits, id, events, { events: lastSeq + events.length, bytes: keptBytes(view) + bytes });
}

/** How much is kept of a task's journal and items. */
export function keptBytes(view: FoldedJournal): number {
  return view.sealedBytes + view.offset;
}

/** The files that count for a view, its own included; a file without events counts for nothing. */
export function chainThrough(view: FoldedJournal): readonly ChainEntry[] {
  const { header } = view;
  if (view.record.lastSeq === header.base) return header.chain;
  const own: ChainEntry = {
    epoch: header.epoch,
    base: header.base,
    end: view.record.lastSeq,
    bytes: view.offset,
    items: header.items,
    itemsFrom: header.itemsFrom,
  };
  return [...header.chain, own];
}

/** The journal that was read after its end became known does not reach so far. */
export function lostEnd({ record, path, offset }: FoldedJournal, end: number): DamagedFile {
  const reason = `the task finished with event ${end}, and its journal ends with event ${record.lastSeq}: its last lines are lost`;
  return new DamagedFile(path, offset, reason);
}
