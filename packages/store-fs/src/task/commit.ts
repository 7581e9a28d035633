import {
  checkJournalQuotas,
  type Instant,
  isFinal,
  type Lease,
  ResumableError,
  reduceTask,
  type Signal,
  type TaskEventBody,
  type TaskRecord,
} from "@resumable-mcp/core";
import { encodeLine } from "../disk/checked-line.js";
import { deepFreeze } from "../disk/deep-freeze.js";
import type { StoreContext } from "../disk/store-context.js";
import { leaseLost, limitExceeded, storeFailure } from "../disk/store-errors.js";
import type { FinishedTasks } from "../index/finished-tasks.js";
import type { StoreUsage } from "../index/store-usage.js";
import type { TaskKeys } from "../index/task-keys.js";
import { appendLine } from "../journal/journal-append.js";
import type { LiveLease } from "../journal/live-lease.js";
import { numberEvents } from "../journal/number-events.js";
import { lookAsWriter } from "../journal/quiet-folder.js";
import { holds, keptBytes } from "../journal/take-over.js";
import type { FolderState } from "../journal/task-folder.js";
import { hiddenBy, pendingSignals, removeSignals } from "../journal/task-signals.js";
import { addCommit, type FoldedCommit } from "../journal/task-view.js";
import type { Hints } from "./hints.js";
import type { LeaseBook } from "./lease-book.js";
import type { Rotation } from "./rotation.js";
import type { TaskDocuments } from "./task-documents.js";

/** What a writer wants to happen. */
export interface CommitRequest {
  readonly lease: Lease;
  readonly afterSeq: number;
  readonly events: readonly TaskEventBody[];
  readonly consume: readonly string[];
  readonly now: Instant;
}

/** Appends to journals: the only way to change a task. */
export class Committer {
  private readonly parts: {
    readonly context: StoreContext;
    readonly usage: StoreUsage;
    readonly book: LeaseBook;
    readonly keys: TaskKeys;
    readonly finished: FinishedTasks;
    readonly documents: TaskDocuments;
    readonly rotation: Rotation;
    readonly hints: Hints;
  };

  constructor(parts: Committer["parts"]) {
    this.parts = parts;
  }

  async commit(request: CommitRequest): Promise<{ readonly record: TaskRecord; readonly signals: readonly Signal[] }> {
    const { context } = this.parts;
    const live = this.writer(request);
    const before = live.view.record;
    const { text, events } = numberEvents(request);
    const record = reduceTask(before, events);
    context.observe("store.commit.before", record.id);
    const undo = reopens(before, record) ? await this.claimKey(request, record) : undefined;
    const { line, consumed } = this.encode(live, request, text, undo);
    const wrote = events.length + consumed.length > 0;
    const commit = { record, events: text, count: events.length, consumed };
    const folder = wrote ? this.append(live, line, commit) : this.look(live);
    const signals = pendingSignals(context, record.id, folder, live.view);
    if (wrote && context.durable) await this.sync(live, record.id);
    if (wrote) acknowledge(live, record, consumed);
    this.afterwards(live, { before, record, consumed, nowMs: request.now.monotonicMs });
    return { record: deepFreeze(record), signals };
  }

  /** The open journal, if this lease may write and the writer knows where it ends. */
  private writer({ lease, afterSeq }: CommitRequest): LiveLease {
    const live = this.parts.book.find(lease);
    if (live === undefined) throw leaseLost(lease);
    const actual = live.view.record.lastSeq;
    if (afterSeq === actual) return live;
    this.look(live);
    throw new ResumableError(
      "SEQ_CONFLICT",
      `The journal of task ${lease.taskId} ends at ${actual}, not at ${afterSeq}. Nothing was written; read the task again.`,
      { details: { taskId: lease.taskId, expected: afterSeq, actual } },
    );
  }

  /** Another commit may come first while the key is claimed. */
  private async claimKey(request: CommitRequest, record: TaskRecord): Promise<() => void> {
    const undo = await this.parts.keys.claimAgain(record);
    try {
      // First the marker, durably: what begins again has to be found after a loss of power.
      await this.parts.finished.reopenDurably(record.id);
      this.writer(request);
      this.parts.context.observe("store.commit.keyed", record.id);
      return undo;
    } catch (error) {
      undo();
      throw error;
    }
  }

  private encode(
    live: LiveLease,
    { afterSeq, consume, events }: CommitRequest,
    text: string,
    undo: (() => void) | undefined,
  ): { readonly line: Buffer; readonly consumed: readonly string[] } {
    const consumed = consume.length === 0 ? [] : hiddenBy(consume, this.look(live));
    const also = consumed.length === 0 ? "" : `,"consumed":${JSON.stringify(consumed)}`;
    const line = encodeLine(`{"seq":${afterSeq + 1},"events":${text}${also}}`);
    try {
      this.refuseTooMuch(live, events, line.byteLength);
    } catch (error) {
      undo?.();
      throw error;
    }
    return { line, consumed };
  }

  private refuseTooMuch({ view }: LiveLease, events: readonly TaskEventBody[], bytes: number): void {
    const { limits } = this.parts.context;
    if (bytes > limits.maxCommitBytes) throw limitExceeded("maxCommitBytes", bytes, limits.maxCommitBytes);
    const { id, lastSeq } = view.record;
    checkJournalQuotas(limits, id, events, { events: lastSeq + events.length, bytes: keptBytes(view) + bytes });
  }

  /** Append, then look: what was appended before anybody announced a later epoch counts for whoever takes over. */
  private append(live: LiveLease, line: Buffer, commit: Omit<FoldedCommit, "bytes">): FolderState {
    this.write(live, line);
    this.parts.usage.add(line.byteLength);
    this.parts.context.observe("store.commit.appended", live.lease.taskId);
    addCommit(live.view, { ...commit, bytes: line.byteLength });
    for (const id of commit.consumed) live.unacknowledged.add(id);
    return this.look(live);
  }

  private write(live: LiveLease, line: Buffer): void {
    try {
      appendLine(this.parts.context, live, line);
    } catch (error) {
      this.parts.book.end(live);
      throw storeFailure(error, "write", live.view.path);
    }
  }

  private look(live: LiveLease): FolderState {
    const { context, book } = this.parts;
    const folder = lookAsWriter(context, live);
    if (folder !== undefined && holds(folder, live.epoch, live.leaseFile)) return folder;
    book.end(live);
    throw leaseLost(live.lease);
  }

  private async sync(live: LiveLease, taskId: string): Promise<void> {
    const { context, book } = this.parts;
    try {
      await live.sync.request();
    } catch (error) {
      book.fail(live);
      throw storeFailure(error, "write", live.view.path);
    }
    context.observe("store.commit.synced", taskId);
  }

  /** The commit counts already: what fails here is done by whoever comes next. */
  private afterwards(
    live: LiveLease,
    {
      before,
      record,
      consumed,
      nowMs,
    }: { before: TaskRecord; record: TaskRecord; consumed: readonly string[]; nowMs: number },
  ): void {
    const { context, finished, documents, rotation, hints } = this.parts;
    const changed = before.status !== record.status;
    try {
      // Only now: a loss of power must not take the signals and leave the commit behind.
      removeSignals(context, record.id, consumed);
      if (consumed.length > 0) live.seen = undefined;
      if (changed && isFinal(record.status)) finished.close(live, record);
      else if (changed) finished.reopen(record.id);
    } catch (error) {
      if (!(error instanceof Error && "code" in error)) throw error;
    }
    documents.note(live, { statusChanged: changed, nowMs });
    rotation.consider(live);
    hints.notify(record.id, changed ? "runnable" : "task");
  }
}

/** The commit is as safe as it is going to be: others may see it. */
function acknowledge(live: LiveLease, record: TaskRecord, consumed: readonly string[]): void {
  if (record.lastSeq > live.durable.lastSeq) live.durable = record;
  for (const id of consumed) live.unacknowledged.delete(id);
}

function reopens(before: TaskRecord, after: TaskRecord): boolean {
  return isFinal(before.status) && !isFinal(after.status);
}
