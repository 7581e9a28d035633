import { isFinal, type Store, type TaskRecord } from "@resumable-mcp/core";
import {
  checkJournalQuotas,
  type Instant,
  type Lease,
  reduceTask,
  type Signal,
  storeErrors,
  type TaskEventBody,
} from "@resumable-mcp/core/store";
import type { Database } from "../database/database.js";
import { hashCall, hashValue, isTaskId, toHex } from "../database/hash.js";
import { breaksConstraint } from "../database/store-errors.js";
import { encodeEvents } from "../journal/encode-events.js";
import { type CommitOutcome, type CommitRow, type GroupCommit, isCheckpoint } from "../journal/group-commit.js";
import { questionsAfter, readSignals, toFold } from "../journal/task-columns.js";
import type { HeldTask, LeaseBook } from "./lease-book.js";
import type { Notifications } from "./notifications.js";
import { makeMark, type TaskReader } from "./task-reader.js";

const whyStatement = { name: "why", text: "SELECT last_seq, epoch, holder FROM store.task WHERE id = $1" };

const rivalStatement = {
  name: "rival",
  text: "SELECT id FROM store.task WHERE call = $1 AND finished_ms IS NULL AND id <> $2",
};

const chunkStatement = {
  name: "chunk",
  text: `WITH t AS (
      UPDATE store.task SET chunk_bytes = chunk_bytes + octet_length($6::bytea) - CASE WHEN $5::int > 0 THEN 0 ELSE (
        SELECT coalesce(sum(octet_length(c.bytes)), 0) FROM store.chunk c WHERE c.task = $1 AND c.artifact <> ALL ($7)) END
      WHERE id = $1 AND epoch = $2 AND holder = $3 RETURNING id),
    d AS (DELETE FROM store.chunk c USING t WHERE $5 = 0 AND c.task = t.id AND c.artifact <> ALL ($7)),
    i AS (INSERT INTO store.chunk (task, artifact, place, bytes) SELECT id, $4, $5::int, $6::bytea FROM t)
    SELECT id FROM t`,
};

const removeStatement = {
  name: "remove",
  text: `WITH t AS (DELETE FROM store.task WHERE id = $1 AND epoch = $2 AND holder = $3 RETURNING id),
    j AS (DELETE FROM store.journal USING t WHERE journal.task = t.id),
    n AS (DELETE FROM store.snapshot USING t WHERE snapshot.task = t.id),
    a AS (DELETE FROM store.answer USING t WHERE answer.task = t.id)
    SELECT id FROM t`,
};

const compactMarkStatement = {
  name: "compact_mark",
  text: "UPDATE store.snapshot SET compacted_seq = $2, compacted_bytes = $3 WHERE task = $1 AND seq > $2 AND compacted_seq < $2",
};

const compactStatement = {
  name: "compact",
  text: `WITH old AS (
      SELECT j.task, j.last_seq FROM store.journal j JOIN store.snapshot n ON n.task = j.task
      WHERE j.task = $1 AND j.last_seq <= n.compacted_seq AND j.body IS NOT NULL ORDER BY j.last_seq LIMIT $2),
    d AS (DELETE FROM store.journal j USING old WHERE j.task = old.task AND j.last_seq = old.last_seq AND j.items IS NULL),
    u AS (UPDATE store.journal j SET body = NULL FROM old
      WHERE j.task = old.task AND j.last_seq = old.last_seq AND j.items IS NOT NULL)
    SELECT count(*)::int AS rows FROM old`,
};

interface CommitRequest {
  readonly lease: Lease;
  readonly afterSeq: number;
  readonly events: readonly TaskEventBody[];
  readonly consume: readonly string[];
  readonly maxUnfinished?: number;
  readonly now: Instant;
}

type Refused = Pick<CommitRequest, "lease" | "afterSeq" | "maxUnfinished">;

interface CommitResult {
  readonly record: TaskRecord;
  readonly signals: readonly Signal[];
}

/** A commit that was checked, and the task as it leaves it. */
interface Prepared {
  readonly row: CommitRow;
  readonly record: TaskRecord;
  readonly questions: readonly string[];
}

/** Changes tasks by their leases. */
export class TaskWriter {
  readonly #database: Database;
  readonly #book: LeaseBook;
  readonly #reader: TaskReader;
  readonly #group: GroupCommit;
  readonly #notifications: Notifications;

  constructor(parts: {
    database: Database;
    book: LeaseBook;
    reader: TaskReader;
    group: GroupCommit;
    notifications: Notifications;
  }) {
    this.#database = parts.database;
    this.#book = parts.book;
    this.#reader = parts.reader;
    this.#group = parts.group;
    this.#notifications = parts.notifications;
  }

  /** Appends events to a task's journal. One commit of a task follows another; those of different tasks share statements. */
  async commit(request: CommitRequest): Promise<CommitResult> {
    const held = this.#book.heldBy(request.lease);
    if (held === undefined) throw await this.#refusal(request);
    const result = held.queue.then(() => this.#commitHeld(held, request));
    held.queue = result.catch(() => {});
    return result;
  }

  async #commitHeld(held: HeldTask, request: CommitRequest): Promise<CommitResult> {
    const isCurrent = this.#book.heldBy(request.lease) === held && request.afterSeq === held.record.lastSeq;
    if (!isCurrent) throw await this.#refusal(request);
    const prepared = prepare(held, request, this.#database.limits);
    const outcome = await this.#write(held, prepared, request.maxUnfinished);
    if (outcome === undefined) throw await this.#refusal(request);
    this.#wrote(held, prepared);
    return { record: prepared.record, signals: readSignals(outcome) };
  }

  async #write(held: HeldTask, { row, record }: Prepared, maxUnfinished?: number): Promise<CommitOutcome> {
    const writeAlone = () => this.#group.writeAlone(row, hashValue(record.owner), maxUnfinished);
    try {
      return row.claims
        ? await writeAlone()
        : await this.#group.write({ row, isCheckpoint: isCheckpoint(held.fold, row) });
    } catch (error) {
      if (!breaksConstraint(error, "task_one_unfinished")) {
        this.#book.giveUp(held);
        throw error;
      }
      const rivals = await this.#database.query<{ id: string }>("read", rivalStatement, [hashCall(record), record.id]);
      // The other one may have finished meanwhile.
      if (rivals[0] === undefined) return writeAlone();
      throw storeErrors.keyTaken(record.id, rivals[0].id);
    }
  }

  /** Why a commit or a deletion by this lease does not count. */
  async #refusal({ lease, afterSeq, maxUnfinished }: Refused): Promise<Error> {
    const { taskId } = lease;
    if (!isTaskId(taskId)) return storeErrors.taskNotFound(taskId);
    type Why = { last_seq: number; epoch: number; holder: string | null };
    const [row] = await this.#database.query<Why>("read", whyStatement, [taskId]);
    const held = this.#book.heldBy(lease);
    if (row !== undefined && row.epoch === lease.epoch && row.holder !== null && row.holder === held?.holder) {
      const isCurrent = row.last_seq === afterSeq && maxUnfinished !== undefined;
      return isCurrent
        ? storeErrors.tooManyUnfinished(maxUnfinished)
        : storeErrors.seqConflict(taskId, afterSeq, row.last_seq);
    }
    if (held !== undefined) this.#book.forget(held);
    return row === undefined ? storeErrors.taskNotFound(taskId) : storeErrors.leaseLost(lease);
  }

  #wrote(held: HeldTask, { row, record, questions }: Prepared): void {
    const { maxEventBytes } = this.#database.limits;
    if (record !== held.record) held.mark = makeMark(held.incarnation, row);
    held.record = record;
    held.questions = questions;
    held.bytes = row.bytes;
    held.fold = row.fold;
    this.#reader.keep({ incarnation: held.incarnation, mark: held.mark, record });
    this.#notifications.notify(record.id, "progress");
    if (row.snapshot === null) return;
    const before = held.snapshot;
    held.snapshot = { seq: record.lastSeq, bytes: row.bytes, size: row.snapshot.length };
    if (before.seq === 0 || row.bytes - held.compactedBytes <= maxEventBytes) return;
    held.compactedBytes = before.bytes;
    void this.#compact(record.id, before);
  }

  /** Removes the events up to the snapshot before the newest one. What an interruption leaves is removed the next time. */
  async #compact(id: string, { seq, bytes }: HeldTask["snapshot"]): Promise<void> {
    const { compactRows } = this.#database.limits;
    try {
      await this.#database.query("write", compactMarkStatement, [id, seq, bytes]);
      for (;;) {
        const values = [id, compactRows];
        const [old] = await this.#database.query<{ rows: number }>("write", compactStatement, values);
        if ((old?.rows ?? 0) < compactRows) return;
      }
    } catch (error) {
      this.#database.warn(`The journal of task ${id} was not compacted: ${String(error)}`);
    }
  }

  /** In turn with the commits of its task. */
  async putChunk({ lease, artifact, index, bytes, keep }: Parameters<Store["putChunk"]>[0]): Promise<void> {
    const held = this.#book.heldBy(lease);
    if (held === undefined) throw await this.#refusal({ lease, afterSeq: 0 });
    const values = [lease.taskId, lease.epoch, held.holder, artifact, index, bytes.slice(), [...keep, artifact]];
    const result = held.queue.then(async () => {
      const put = await this.#database.query("write", chunkStatement, values);
      if (put.length === 0) throw await this.#refusal({ lease, afterSeq: 0 });
    });
    held.queue = result.catch(() => {});
    return result;
  }

  /** Deletes a task and all that belongs to it. */
  async delete(lease: Lease): Promise<void> {
    const held = this.#book.heldBy(lease);
    if (held === undefined) throw await this.#refusal({ lease, afterSeq: 0 });
    await held.queue;
    const values = [lease.taskId, lease.epoch, held.holder];
    const removed = await this.#database.query("write", removeStatement, values);
    if (removed.length === 0) throw await this.#refusal({ lease, afterSeq: 0 });
    this.#book.forget(held);
    this.#notifications.notify(lease.taskId, "progress");
  }
}

/** Checks a commit and folds it. @throws what the quotas and the limits refuse; nothing was written then. */
function prepare(
  held: HeldTask,
  { lease, afterSeq, events: bodies, consume, now }: CommitRequest,
  limits: Database["limits"],
): Prepared {
  const encoded = encodeEvents(bodies, afterSeq, now);
  if (encoded.bytes > limits.maxCommitBytes)
    throw storeErrors.storeLimitExceeded("maxCommitBytes", encoded.bytes, limits.maxCommitBytes);
  const record = bodies.length === 0 ? held.record : reduceTask(held.record, encoded.events, held.isPlain);
  const bytes = held.bytes + (bodies.length === 0 ? 0 : encoded.bytes);
  checkJournalQuotas(limits, lease.taskId, bodies, { events: record.lastSeq, bytes });
  const questions = questionsAfter(held.questions, bodies, record);
  const claims = isFinal(held.record.status) && !isFinal(record.status);
  const isDue = bytes - held.snapshot.bytes > Math.max(limits.snapshotBytes, 2 * held.snapshot.size);
  const snapshot = isDue ? JSON.stringify(record) : null;
  // What was answered before a restart from nothing is asked again.
  const restart = bodies.findLastIndex((body) => body.type === "restarted" && !body.fromState);
  const answered = bodies.slice(restart + 1).flatMap((body) => (body.type === "answered" ? [toHex(body.key)] : []));
  // Written out: a row that is put together of others has an object layout that is slow to make, and to read.
  const row: CommitRow = {
    id: lease.taskId,
    epoch: held.lease.epoch,
    holder: held.holder,
    after_seq: afterSeq,
    bytes,
    fold: toFold(record, questions),
    body: encoded.body,
    items: encoded.items,
    end_item: encoded.itemCount === 0 ? null : record.itemCount,
    size: encoded.bytes,
    at_ms: Math.trunc(now.wallMs),
    consume: consume.length === 0 ? null : JSON.stringify(consume.filter((id) => /^[\w-]+$/.test(id))),
    claims,
    snapshot,
    answered: answered.length === 0 ? null : JSON.stringify(answered),
  };
  return { row, record, questions };
}
