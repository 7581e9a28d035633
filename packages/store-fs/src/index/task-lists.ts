import { isFinal, type Store } from "@resumable-mcp/core";
import {
  type CountQuery,
  type DamagedTask,
  type Instant,
  isExpired,
  type RunnableTask,
  storeErrors,
  summarise,
  type TaskCounts,
  type TaskPage,
  type TaskQuery,
  type TaskSummary,
} from "@resumable-mcp/core/store";
import { FirstOf } from "../disk/first-of.js";
import { isSafeId } from "../disk/layout.js";
import { quarantinedAt } from "../disk/quarantine.js";
import type { StoreContext } from "../disk/store-context.js";
import { listIfExists } from "../disk/whole-file.js";
import { taskExists } from "../journal/task-folder.js";
import type { TaskReader } from "../task/task-reader.js";
import type { FinishedTable, FinishedTask, LinePlace } from "./finished-table.js";
import type { FinishedTasks } from "./finished-tasks.js";
import type { OpenTask, OpenTasks } from "./open-tasks.js";

const maxListLimit = 1000;
/** Lists of finished tasks are rewritten when this part of their lines counts no more. */
const deadPart = 1 / 4;
interface Parts {
  readonly context: StoreContext;
  readonly reader: TaskReader;
  readonly openTasks: OpenTasks;
  readonly finished: FinishedTasks;
}

/** Lists and counts tasks, out of what is known of the open and of the finished ones. */
export class TaskLists {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  async listTasks(query: TaskQuery): Promise<TaskPage> {
    const limit = Math.min(Math.max(query.limit, 1), maxListLimit);
    const cursor = parseCursor(query.cursor);
    const newest = new FirstOf<ListedTask, PagePosition>(limit + 1, byAge);
    const isWanted = (place: PagePosition) => (cursor === undefined || byAge(place, cursor) > 0) && newest.takes(place);
    // How much has finished costs nothing where only what is unfinished is asked for.
    const isFinishedWanted = query.statuses === undefined || query.statuses.some(isFinal);
    if (isFinishedWanted) this.#parts.finished.expectRead();
    const open = await this.#parts.openTasks.ofOwner(query.owner);
    for (const { summary, createdMs } of open.values()) {
      const place = { id: summary.id, createdMs };
      if (!matches(summary, query) || !isWanted(place)) continue;
      newest.add({ ...place, summary: async () => structuredClone(summary) });
    }
    if (isFinishedWanted) {
      const finished = await this.#parts.finished.read();
      for (const row of finished.rows(query.owner, rowsOf(open, finished, query.owner))) {
        if (newest.isFull && finished.createdMs(row) < (newest.last?.createdMs ?? 0)) continue;
        const task = finished.at(row);
        if (!matches(task, query) || !isWanted(task)) continue;
        newest.add({ ...task, summary: () => this.#summaryOf(task, finished.placeOf(row)) });
      }
    }
    return this.#pageOf(newest, limit);
  }

  async #pageOf(newest: FirstOf<ListedTask, PagePosition>, limit: number): Promise<TaskPage> {
    const found = newest.items.slice(0, limit);
    const last = found.at(-1);
    const { context } = this.#parts;
    const tasks: TaskSummary[] = [];
    const damaged: DamagedTask[] = [];
    for (const { id, summary } of found) {
      const isThere = taskExists(context, id);
      const task = isThere || this.#isSetAside(id) ? await summary() : undefined;
      if (task !== undefined && isThere) tasks.push(task);
      else if (task !== undefined) damaged.push({ ...task, damage: `look into quarantine/${id}` });
    }
    const isMore = newest.items.length > limit && last !== undefined;
    return {
      tasks,
      damaged: damaged.length > 0 ? damaged : undefined,
      nextCursor: isMore ? formatCursor(last) : undefined,
    };
  }

  /** Its line, or its journal where the line was written elsewhere a moment ago. */
  async #summaryOf(task: FinishedTask, place: LinePlace): Promise<TaskSummary | undefined> {
    const listed = this.#parts.finished.summaryOf(task, place);
    if (listed !== undefined) return listed;
    const reading = await this.#parts.reader.read(task.id).catch(() => undefined);
    return reading && summarise(reading.record, reading.record.status);
  }

  async countTasks({ owner, unfinished }: CountQuery): Promise<TaskCounts> {
    let total = 0;
    const byStatus = new Map<string, number>();
    const byTool = new Map<string, number>();
    const count = ({ status, tool }: Pick<TaskSummary, "status" | "tool">) => {
      total += 1;
      byStatus.set(status, (byStatus.get(status) ?? 0) + 1);
      byTool.set(tool, (byTool.get(tool) ?? 0) + 1);
    };
    if (unfinished !== true) this.#parts.finished.expectRead();
    const open = await this.#parts.openTasks.ofOwner(owner);
    for (const { summary } of open.values()) {
      const isCounted = unfinished !== true || !isFinal(summary.status);
      if (isCounted && (owner === undefined || summary.owner === owner)) count(summary);
    }
    if (unfinished !== true) {
      const { context } = this.#parts;
      // Names in `quarantine/`, few as they are: asking for each finished task would cost more than counting it.
      const setAside = new Set(listIfExists(context.disk, context.layout.quarantine));
      const isThere = (id: string) => !setAside.has(id) || taskExists(context, id);
      const finished = await this.#parts.finished.read();
      for (const row of finished.rows(owner, rowsOf(open, finished, owner))) {
        const task = finished.at(row);
        if (isThere(task.id)) count(task);
      }
    }
    return { total, byStatus: Object.fromEntries(byStatus), byTool: Object.fromEntries(byTool) };
  }

  async listExpired({ now, limit }: { readonly now: Instant; readonly limit: number }): Promise<readonly string[]> {
    const { context, finished, openTasks } = this.#parts;
    const oldest = new FirstOf<Ended>(limit, byEnd);
    finished.expectRead();
    const open = await openTasks.ofOwner(undefined);
    for (const { summary } of open.values()) {
      const { id, finishedAt = "" } = summary;
      if (isExpired(summary, now.wallMs)) oldest.add({ id, finishedMs: Date.parse(finishedAt) });
    }
    const table = await finished.read();
    for (const row of table.rows(undefined, rowsOf(open, table))) {
      const task = table.at(row);
      if (task.finishedMs + task.ttlMs > now.wallMs || !oldest.takes(task)) continue;
      if (taskExists(context, task.id)) oldest.add(task);
      else this.#forget(task);
    }
    // The sweep asks for what is to be deleted: the lists are rewritten at the same pace.
    if (table.isDamaged || table.deadPart > deadPart) void finished.compact();
    return oldest.items.map(({ id }) => id);
  }

  async listRunnable(request: Parameters<Store["listRunnable"]>[0]): ReturnType<Store["listRunnable"]> {
    const oldest = new FirstOf<RunnableTask & PagePosition>(request.limit, byCreation);
    let nextDueMs: number | undefined;
    for (const { summary, createdMs, runnable } of (await this.#parts.openTasks.look(request.now)).values()) {
      if (runnable === undefined || !request.tools.includes(summary.tool)) continue;
      const { id, owner, tool } = summary;
      if (runnable.dueMs > request.now.wallMs) nextDueMs = Math.min(runnable.dueMs, nextDueMs ?? runnable.dueMs);
      else oldest.add({ id, owner, tool, createdMs, ...runnable });
    }
    const tasks = oldest.items.map(({ createdMs: _, ...task }) => task);
    return { tasks, nextDueMs };
  }

  /** A line of a task that was set aside, and that its operator has removed since, is the last that is left of it. */
  #forget(task: FinishedTask): void {
    const { context, finished } = this.#parts;
    if (context.readOnly || this.#isSetAside(task.id)) return;
    const [createdAt, finishedAt] = [task.createdMs, task.finishedMs].map((ms) => new Date(ms).toISOString());
    void finished.remove({ ...task, createdAt: createdAt ?? "", finishedAt, lastSeq: task.seq }).catch(() => undefined);
  }

  #isSetAside(id: string): boolean {
    return isSafeId(id) && quarantinedAt(this.#parts.context, id) !== undefined;
  }
}

/** The rows of tasks that have a marker as well: those that begin again, or are on their way to the lists. */
function rowsOf(
  open: ReadonlyMap<string, OpenTask>,
  finished: FinishedTable,
  owner?: string,
): ReadonlySet<number | undefined> {
  const rows = new Set<number | undefined>();
  for (const { summary, incarnation } of open.values()) {
    if (owner === undefined || summary.owner === owner) rows.add(finished.rowOf(incarnation));
  }
  return rows;
}

/** What a query chooses by. */
type Chosen = Pick<TaskSummary, "owner" | "tool" | "status">;
/** What tells when a task may go. */
type Ended = Pick<FinishedTask, "id" | "finishedMs">;

function matches(task: Chosen, query: TaskQuery): boolean {
  if (query.owner !== undefined && task.owner !== query.owner) return false;
  if (query.tool !== undefined && task.tool !== query.tool) return false;
  return query.statuses === undefined || query.statuses.includes(task.status);
}

interface PagePosition {
  readonly createdMs: number;
  readonly id: string;
}

/** A task that may come on a page, and its summary. */
interface ListedTask extends PagePosition {
  readonly summary: () => Promise<TaskSummary | undefined>;
}

/** Newest first, then by id. */
function byAge(left: PagePosition, right: PagePosition): number {
  return right.createdMs - left.createdMs || byId(left, right);
}

/** Oldest first, then by id. */
function byCreation(left: PagePosition, right: PagePosition): number {
  return left.createdMs - right.createdMs || byId(left, right);
}

function byEnd(left: Ended, right: Ended): number {
  return left.finishedMs - right.finishedMs || byId(left, right);
}

function byId(left: { readonly id: string }, right: { readonly id: string }): number {
  if (left.id === right.id) return 0;
  return left.id < right.id ? -1 : 1;
}

function formatCursor({ createdMs, id }: PagePosition): string {
  return `${new Date(createdMs).toISOString()}_${id}`;
}

function parseCursor(cursor: string | undefined): PagePosition | undefined {
  if (cursor === undefined) return undefined;
  const [, createdAt = "", id] = /^(\d{4}-[0-9T:.-]+Z)_([A-Za-z0-9_-]+)$/.exec(cursor) ?? [];
  const createdMs = Date.parse(createdAt);
  if (Number.isFinite(createdMs) && id !== undefined) return { createdMs, id };
  throw storeErrors.cursorInvalid();
}
