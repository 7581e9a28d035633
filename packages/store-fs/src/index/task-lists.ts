import { join } from "node:path";
import { isFinal, isResumableError, ResumableError, type Store } from "@resumable-mcp/core";
import {
  type CountQuery,
  dueMs,
  type Instant,
  isExpired,
  needsNoCaller,
  type RunnableTask,
  statusOf,
  summarise,
  type TaskCounts,
  type TaskPage,
  type TaskQuery,
  type TaskSnapshot,
  type TaskSummary,
} from "@resumable-mcp/core/store";
import { FirstOf } from "../disk/first-of.js";
import { isSafeId } from "../disk/layout.js";
import { quarantinedAt } from "../disk/quarantine.js";
import type { StoreContext } from "../disk/store-context.js";
import { listIfExists, unlinkIfExists } from "../disk/whole-file.js";
import { taskExists } from "../journal/task-folder.js";
import type { TaskReader } from "../task/task-reader.js";
import type { FinishedIndex, FinishedTask } from "./finished-index.js";
import type { FinishedHead } from "./finished-line.js";
import { parseFinishedText } from "./finished-line.js";

const maxListLimit = 1000;
/** Journals of unfinished tasks that are read at the same time. */
const openTasksAtOnce = 16;
/** Unfinished tasks whose owners are remembered. */
const maxKnownOwners = 100_000;

interface Parts {
  readonly context: StoreContext;
  readonly reader: TaskReader;
  readonly finished: FinishedIndex;
}

/** Lists and counts tasks: finished ones from their lines, all others from their journals. */
export class TaskLists {
  readonly #parts: Parts;
  /** Owners of unfinished tasks, which never change: one owner's list does not read the journals of all others. */
  readonly #owners = new Map<string, string>();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  async listTasks(query: TaskQuery): Promise<TaskPage> {
    const limit = Math.min(Math.max(query.limit, 1), maxListLimit);
    const cursor = parseCursor(query.cursor);
    const newest = new FirstOf<ListedTask, Place>(limit + 1, byAge);
    const isWanted = (task: Chosen & Place) =>
      matches(task, query) && (cursor === undefined || byAge(task, cursor) > 0) && newest.takes(task);
    const open = new Set<string>();
    for await (const snapshot of this.#openTasks(open, query.owner)) {
      const task = summarise(snapshot.record, statusOf(snapshot));
      if (isWanted(task)) newest.add({ id: task.id, createdAt: task.createdAt, summary: () => task });
    }
    // How much has finished costs nothing where only what is unfinished is asked for.
    if (query.statuses !== undefined && !query.statuses.some(isFinal)) return this.#pageOf(newest, limit);
    const enough = (day: string) => newest.isFull && (newest.last?.createdAt.slice(0, 10) ?? "") > day;
    for await (const page of this.#parts.finished.pages(open, enough)) {
      for (const task of page) if (isWanted(task.head)) newest.add(listed(task));
    }
    return this.#pageOf(newest, limit);
  }

  #pageOf(newest: FirstOf<ListedTask, Place>, limit: number): TaskPage {
    const found = newest.items.slice(0, limit);
    const last = found.at(-1);
    const summaries = (chosen: readonly ListedTask[]) => chosen.flatMap((task) => task.summary() ?? []);
    const tasks = summaries(found.filter(({ id }) => taskExists(this.#parts.context, id)));
    const setAside = found.filter(({ id }) => !taskExists(this.#parts.context, id) && this.#isSetAside(id));
    const damaged = summaries(setAside).map((task) => ({ ...task, damage: `look into quarantine/${task.id}` }));
    const isMore = newest.items.length > limit && last !== undefined;
    return {
      tasks,
      damaged: damaged.length > 0 ? damaged : undefined,
      nextCursor: isMore ? formatCursor(last) : undefined,
    };
  }

  async countTasks({ owner, unfinished }: CountQuery): Promise<TaskCounts> {
    let total = 0;
    const byStatus = new Map<string, number>();
    const byTool = new Map<string, number>();
    const count = (summary: Pick<TaskSummary, "owner" | "status" | "tool">) => {
      if (owner !== undefined && summary.owner !== owner) return;
      total += 1;
      byStatus.set(summary.status, (byStatus.get(summary.status) ?? 0) + 1);
      byTool.set(summary.tool, (byTool.get(summary.tool) ?? 0) + 1);
    };
    const open = new Set<string>();
    for await (const snapshot of this.#openTasks(open, owner)) {
      const { record } = snapshot;
      if (unfinished === true && isFinal(record.status)) continue;
      count({ owner: record.owner, tool: record.tool, status: statusOf(snapshot) });
    }
    const counts = () => ({ total, byStatus: Object.fromEntries(byStatus), byTool: Object.fromEntries(byTool) });
    if (unfinished === true) return counts();
    const { context } = this.#parts;
    // Names in `quarantine/`, few as they are: asking for each finished task would cost more than counting it.
    const setAside = new Set(listIfExists(context.disk, context.layout.quarantine));
    const isThere = (id: string) => !setAside.has(id) || taskExists(context, id);
    for await (const page of this.#parts.finished.pages(open)) {
      for (const { head } of page) if (isThere(head.id)) count(head);
    }
    return counts();
  }

  async listExpired({ now, limit }: { readonly now: Instant; readonly limit: number }): Promise<readonly string[]> {
    const oldest = new FirstOf<Ended>(limit, byEnd);
    const open = new Set<string>();
    for await (const { record } of this.#openTasks(open)) if (isExpired(record, now.wallMs)) oldest.add(record);
    for await (const page of this.#parts.finished.pages(open)) {
      for (const { head } of page) {
        if (!isExpired(head, now.wallMs) || !oldest.takes(head)) continue;
        if (taskExists(this.#parts.context, head.id)) oldest.add(head);
        else this.#forget(head);
      }
    }
    // The sweep asks for what is to be deleted: the index is compacted at the same pace.
    void this.#parts.finished.compact();
    return oldest.items.map(({ id }) => id);
  }

  async listRunnable(request: Parameters<Store["listRunnable"]>[0]): ReturnType<Store["listRunnable"]> {
    const oldest = new FirstOf<RunnableTask & Place>(request.limit, byCreation);
    let nextDueMs: number | undefined;
    for await (const snapshot of this.#openTasks(new Set())) {
      const { record } = snapshot;
      if (!request.tools.includes(record.tool)) continue;
      const due = dueMs(snapshot);
      if (due === undefined) continue;
      if (due > request.now.wallMs) nextDueMs = Math.min(due, nextDueMs ?? due);
      else {
        const { id, owner, tool, toolVersion, crashes, createdAt } = record;
        const detached = needsNoCaller(snapshot);
        oldest.add({ id, owner, tool, toolVersion, dueMs: due, crashes, detached, createdAt });
      }
    }
    const tasks = oldest.items.map(({ createdAt: _, ...task }) => task);
    return { tasks, nextDueMs };
  }

  /**
   * Tasks with a marker, whose ids are added to `ids`, without those that are known to have another owner than the given one.
   * Markers that should not be there are put right.
   */
  async *#openTasks(ids: Set<string>, owner?: string): AsyncGenerator<TaskSnapshot> {
    const all = this.#parts.finished.openIds();
    const open = owner === undefined ? all : all.filter((id) => (this.#owners.get(id) ?? owner) === owner);
    if (owner === undefined) this.#forgetOwners(all);
    const read = this.#parts.reader.scan();
    for (let from = 0; from < open.length; from += openTasksAtOnce) {
      const page = open.slice(from, from + openTasksAtOnce);
      const snapshots = await Promise.all(page.map((id) => this.#openTask(id, read)));
      for (const snapshot of snapshots) {
        if (snapshot === undefined) continue;
        ids.add(snapshot.record.id);
        if (this.#owners.size < maxKnownOwners) this.#owners.set(snapshot.record.id, snapshot.record.owner);
        yield snapshot;
      }
    }
  }

  /** Keeps the owners of what is unfinished: looks for work, which read all tasks, come again and again. */
  #forgetOwners(open: readonly string[]): void {
    const kept = new Set(open);
    for (const id of this.#owners.keys()) if (!kept.has(id)) this.#owners.delete(id);
  }

  async #openTask(id: string, read: TaskReader["read"]): Promise<TaskSnapshot | undefined> {
    const { context, reader, finished } = this.#parts;
    if (!isSafeId(id)) return undefined;
    try {
      const reading = await read(id);
      if (reading === undefined) {
        if (!context.readOnly) unlinkIfExists(context.disk, join(context.layout.open, id));
        return undefined;
      }
      const snapshot = reader.snapshotOf(reading);
      if (isFinal(snapshot.record.status) && !snapshot.leased && !reader.isOwn(id)) {
        finished.repair(snapshot.record, reading.view.header.incarnation, () => reader.isStill(reading));
      }
      return snapshot;
    } catch (error) {
      // It was set aside and its marker with it; the others are listed.
      if (isResumableError(error, "TASK_CORRUPT")) return undefined;
      throw error;
    }
  }

  /** A line of a task that was set aside, and that its operator has removed since, is the last that is left of it. */
  #forget(head: FinishedHead): void {
    const { context, finished } = this.#parts;
    if (context.readOnly || this.#isSetAside(head.id)) return;
    const { seq: lastSeq, ...task } = head;
    void finished.remove({ ...task, lastSeq }).catch(() => undefined);
  }

  #isSetAside(id: string): boolean {
    return isSafeId(id) && quarantinedAt(this.#parts.context, id) !== undefined;
  }
}

/** What a query chooses by. */
type Chosen = Pick<TaskSummary, "owner" | "tool" | "status">;
/** What tells when a task may go. */
type Ended = Pick<TaskSummary, "id" | "finishedAt" | "ttlMs">;

function matches(task: Chosen, query: TaskQuery): boolean {
  if (query.owner !== undefined && task.owner !== query.owner) return false;
  if (query.tool !== undefined && task.tool !== query.tool) return false;
  return query.statuses === undefined || query.statuses.includes(task.status);
}

interface Place {
  readonly createdAt: string;
  readonly id: string;
}

/** A task that may come on a page, and its summary. */
interface ListedTask extends Place {
  readonly summary: () => TaskSummary | undefined;
}

/** Its line is parsed when it comes on the page: many come before it is known which ones do. */
function listed({ head: { createdAt, id }, line }: FinishedTask): ListedTask {
  const text = line.bytes.toString("utf8");
  return { createdAt, id, summary: () => parseFinishedText(text)?.summary };
}

/** Newest first, then by id. */
function byAge(left: Place, right: Place): number {
  return compare(right.createdAt, left.createdAt) || compare(left.id, right.id);
}

/** Oldest first, then by id. */
function byCreation(left: Place, right: Place): number {
  return compare(left.createdAt, right.createdAt) || compare(left.id, right.id);
}

function byEnd(left: Ended, right: Ended): number {
  return compare(left.finishedAt ?? "", right.finishedAt ?? "") || compare(left.id, right.id);
}

function compare(left: string, right: string): number {
  if (left === right) return 0;
  return left < right ? -1 : 1;
}

function formatCursor({ createdAt, id }: Place): string {
  return `${createdAt}_${id}`;
}

function parseCursor(cursor: string | undefined): Place | undefined {
  if (cursor === undefined) return undefined;
  const [, createdAt, id] = /^(\d{4}-[0-9T:.-]+Z)_([A-Za-z0-9_-]+)$/.exec(cursor) ?? [];
  if (createdAt !== undefined && id !== undefined) return { createdAt, id };
  throw new ResumableError(
    "INVALID_VALUE",
    "The cursor does not come from a page of tasks. Leave the cursor out to get the first page.",
    {
      details: { what: "The cursor", problems: ["it does not come from a page of tasks"] },
    },
  );
}
