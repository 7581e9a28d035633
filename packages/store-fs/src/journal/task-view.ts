import { join } from "node:path";
import { isResumableError, reduceTask, type TaskRecord } from "@resumable-mcp/core";
import { DamagedFile, type RawLine, rawLines, ShrunkFile } from "../disk/checked-line.js";
import { journalName, taskFolder } from "../disk/layout.js";
import type { StoreContext } from "../disk/store-context.js";
import { readFrom } from "../disk/whole-file.js";
import { EventTail, type TailEvents } from "./event-tail.js";
import { type JournalHeader, parseCommit, parseHeader } from "./journal-line.js";
import { noteConsumed } from "./task-signals.js";
import { writtenPart } from "./written-part.js";

/** A journal as far as it was read: the newest sealed file, and the fold of everything up to `offset` in it. */
export interface TaskView {
  readonly header: Omit<JournalHeader, "record">;
  readonly path: string;
  /** How much of the file is folded in. */
  offset: number;
  /** Where the first commit of the file begins. */
  readonly bodyStart: number;
  record: TaskRecord;
  /** Signals that were carried out, and whose files were there when last looked; answers also after that. */
  readonly consumed: Set<string>;
  readonly answered: Set<string>;
  readonly tail: EventTail;
  /** Something was read that nobody here has synced. */
  unsynced: boolean;
  /** The files that it seals are known to be on the disk. */
  sealSynced: boolean;
}

/** Opens the file of an epoch; `undefined` when it is announced and not sealed, or gone. */
export function openView(context: StoreContext, taskId: string, epoch: number): TaskView | undefined {
  const path = join(taskFolder(context.layout, taskId), journalName(epoch));
  const bytes = readFrom(context.disk, path);
  if (bytes === undefined) return undefined;
  const lines = rawLines(writtenPart(bytes, 0, path), 0, path);
  const first = lines.next();
  if (first.done) return undefined;
  const { record, ...header } = parseHeader(first.value, path);
  if (header.taskId !== taskId || header.epoch !== epoch) throw new DamagedFile(path, 0, "it belongs elsewhere");
  const view: Draft = {
    header,
    path,
    offset: first.value.next,
    bodyStart: first.value.next,
    record: record ?? undefined,
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
type Draft = Omit<TaskView, "record"> & { record: TaskRecord | undefined };

function isBegun(view: Draft): view is TaskView {
  return view.record !== undefined;
}

/** Reads what was appended since the last time. @returns false when there was nothing. */
export function extendView(context: StoreContext, view: TaskView): boolean {
  const size = context.disk.stat(view.path)?.size;
  if (size === undefined || size === view.offset) return false;
  if (size < view.offset) {
    throw new ShrunkFile(view.path, size, { birth: view.header.birth, known: view.offset });
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
    const record = reduceTask(view.record, events);
    const bytes = line.next - line.start;
    addCommit(view, { record, events, count: events.length, consumed: consumed ?? [], bytes });
  } catch (error) {
    if (isResumableError(error, "SEQ_CONFLICT")) throw new DamagedFile(view.path, line.start, error.message);
    throw error;
  }
}

/** A commit, with the record that it leads to. */
export interface FoldedCommit {
  readonly record: TaskRecord;
  readonly events: TailEvents;
  /** How many events there are. */
  readonly count: number;
  readonly consumed: readonly string[];
  /** How long its line is. */
  readonly bytes: number;
}

/** Adds a commit to a view. */
export function addCommit(view: Draft, commit: FoldedCommit): void {
  const before = view.record;
  view.record = commit.record;
  const { consumed, answered } = view;
  noteConsumed({ record: commit.record, consumed, answered }, before, commit.consumed);
  const { events, count, bytes } = commit;
  view.tail.add({ events, count, lastSeq: commit.record.lastSeq, bytes });
  view.offset += commit.bytes;
}
