import {
  checkStoreQuotas,
  type Instant,
  type NewTask,
  reduceTask,
  storeErrors,
  type TaskSnapshot,
} from "@resumable-mcp/core/store";
import type { Database } from "../database/database.js";
import { hashCall, hashValue, isTaskId } from "../database/hash.js";
import { breaksConstraint, invalidOption } from "../database/store-errors.js";
import { encodeEvents } from "../journal/encode-events.js";
import { toBrief } from "../journal/task-columns.js";
import type { Notifications } from "../task/notifications.js";
import { makeMark, type TaskReader } from "../task/task-reader.js";
import type { StoreUsage } from "./store-usage.js";

const createStatement = {
  name: "create",
  text: "SELECT * FROM store.create_task_v1($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18)",
};

/** With a lower limit an owner's tasks are always made one after the other; no server has fewer connections by default. */
const countedAlone = 100;

interface CreatedRow {
  readonly made: boolean;
  /** The task, or `null` where the store is full, or its owner may have too many tasks. */
  readonly standing: string | null;
  readonly held_tasks: number | null;
  readonly held_bytes: number | null;
  /** The owner's unfinished tasks, as far as they were counted. */
  readonly unfinished: number | null;
  readonly made_as: number | null;
}

interface CreateRequest {
  readonly task: NewTask;
  readonly reuseResultMs: number;
  readonly acceptedMs?: number | undefined;
  readonly continueFailed?: boolean;
  readonly maxUnfinished?: number;
  readonly now: Instant;
}

/** Makes tasks. */
export class TaskCreator {
  readonly #database: Database;
  readonly #reader: TaskReader;
  readonly #notifications: Notifications;
  readonly #usage: StoreUsage;

  constructor(parts: { database: Database; reader: TaskReader; notifications: Notifications; usage: StoreUsage }) {
    this.#database = parts.database;
    this.#reader = parts.reader;
    this.#usage = parts.usage;
    this.#notifications = parts.notifications;
  }

  /** Makes a task, or finds the one of the same call. */
  async create(request: CreateRequest): Promise<{ readonly snapshot: TaskSnapshot; readonly created: boolean }> {
    if (!isTaskId(request.task.id)) {
      throw invalidOption("task.id", "task.id must be 16 to 64 characters out of A-Z a-z 0-9 _ -.");
    }
    const { maxCommitBytes, maxStoreTasks, maxStoreBytes } = this.#database.limits;
    const { events, body, bytes } = encodeEvents([{ type: "created", task: request.task }], 0, request.now);
    if (bytes > maxCommitBytes) throw storeErrors.storeLimitExceeded("maxCommitBytes", bytes, maxCommitBytes);
    const record = reduceTask(undefined, events);
    const { maxUnfinished = Number.POSITIVE_INFINITY } = request;
    const made = { body, bytes, brief: toBrief(record), createdAt: record.createdAt };
    for (let alone = maxUnfinished < countedAlone; ; ) {
      const row = await this.#create(request, made, alone);
      if (row?.made === true) {
        const incarnation = row.made_as ?? 0;
        const mark = makeMark(incarnation, { epoch: 0, size: bytes, at_ms: Date.parse(record.createdAt) });
        this.#reader.keep({ incarnation, mark, record });
        this.#usage.addTask(bytes);
        this.#notifications.notify(record.id, "runnable");
        return { snapshot: Object.freeze({ record, signals: Object.freeze([]), leased: false }), created: true };
      }
      if (row?.standing === null && row.unfinished !== null && row.held_tasks === null && row.held_bytes === null) {
        if (row.unfinished >= maxUnfinished) throw storeErrors.tooManyUnfinished(maxUnfinished);
        // So near to the limit one is made after the other.
        alone = true;
        continue;
      }
      if (row?.standing === null) {
        const held = { tasks: row.held_tasks ?? 0, bytes: row.held_bytes ?? 0 };
        checkStoreQuotas({ maxStoreTasks, maxStoreBytes }, held);
      }
      // It may have been deleted meanwhile.
      const snapshot = row?.standing ? await this.#reader.snapshot(row.standing) : undefined;
      if (snapshot !== undefined) return { snapshot, created: false };
    }
  }

  /** `undefined`: another task of this id or call was made at the same moment. */
  async #create(
    {
      task,
      reuseResultMs,
      acceptedMs,
      continueFailed = false,
      maxUnfinished = Number.POSITIVE_INFINITY,
      now,
    }: CreateRequest,
    made: { readonly body: string; readonly bytes: number; readonly brief: string; readonly createdAt: string },
    alone: boolean,
  ): Promise<CreatedRow | undefined> {
    const { maxStoreTasks, maxStoreBytes } = this.#database.limits;
    const near = await this.#usage.near(now);
    const values = [
      ...[task.id, hashValue(task.owner), hashCall(task), JSON.stringify(task.tool), JSON.stringify(task.toolVersion)],
      ...[task.detached, task.ttlMs, made.brief, made.body, made.bytes, Date.parse(made.createdAt)],
      ...[reuseResultMs, continueFailed, near.tasks ? maxStoreTasks : null, near.bytes ? maxStoreBytes : null],
      ...[Number.isFinite(maxUnfinished) ? maxUnfinished : null, alone, acceptedMs ?? null],
    ];
    try {
      return (await this.#database.query<CreatedRow>("write", createStatement, values))[0];
    } catch (error) {
      if (breaksConstraint(error, "task_pkey") || breaksConstraint(error, "task_one_unfinished")) return undefined;
      throw error;
    }
  }
}
