import { isFinal, summarise, type TaskRecord, type TaskSnapshot, type TaskStatus } from "../../task/task-record.js";
import { dueMs, isExpired, needsNoCaller, readStatus } from "../../task/task-rules.js";
import type { CountQuery, Instant, RunnableTask, TaskCounts, TaskPage, TaskQuery } from "../store.js";
import { cursorInvalid } from "../store-errors.js";

/** One page of tasks, newest first. @throws {@link ResumableError} `INVALID_VALUE` for a cursor of no page. */
export function listTasks(all: readonly TaskSnapshot[], query: TaskQuery): TaskPage {
  if (query.cursor !== undefined) checkCursor(query.cursor);
  const found = all
    .map((snapshot) => ({ record: snapshot.record, status: readStatus(snapshot) }))
    .filter(({ record, status }) => matches(query, record, status))
    .sort((left, right) => (place(left.record) < place(right.record) ? 1 : -1));
  const page = found.slice(0, query.limit);
  const last = page.at(-1);
  return {
    tasks: page.map(({ record, status }) => summarise(record, status)),
    nextCursor: last === undefined || found.length === page.length ? undefined : place(last.record),
  };
}

function matches(query: TaskQuery, record: TaskRecord, status: TaskStatus): boolean {
  return (
    (query.owner === undefined || query.owner === record.owner) &&
    (query.statuses === undefined || query.statuses.includes(status)) &&
    (query.tool === undefined || query.tool === record.tool) &&
    (query.cursor === undefined || place(record) < query.cursor)
  );
}

/** Where a task stands in lists; a cursor is the place of the last task that was seen. */
function place(record: TaskRecord): string {
  return `${record.createdAt} ${record.id}`;
}

function checkCursor(cursor: string): void {
  if (!/^\d{4}-[0-9T:.-]+Z .+$/.test(cursor)) throw cursorInvalid();
}

/** Ids of the finished tasks that were kept long enough, oldest first. */
export function listExpired(all: readonly TaskSnapshot[], nowMs: number, limit: number): readonly string[] {
  return all
    .map(({ record }) => record)
    .filter((record) => isExpired(record, nowMs))
    .sort((left, right) => ((left.finishedAt ?? "") < (right.finishedAt ?? "") ? -1 : 1))
    .slice(0, limit)
    .map(({ id }) => id);
}

/** Counts tasks by status and tool. */
export function countTasks(all: readonly TaskSnapshot[], { owner, unfinished }: CountQuery): TaskCounts {
  const counted = all
    .filter(({ record }) => owner === undefined || record.owner === owner)
    .filter(({ record }) => unfinished !== true || !isFinal(record.status));
  return {
    total: counted.length,
    byStatus: countBy(counted.map(readStatus)),
    byTool: countBy(counted.map(({ record }) => record.tool)),
  };
}

function countBy<Name extends string>(
  names: readonly Name[],
): { readonly [Key in Name]?: number } & Record<string, number> {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  // `fromEntries` and not assignment: a tool may be called "__proto__".
  return Object.fromEntries(counts) as { [Key in Name]?: number } & Record<string, number>;
}

/** Which tasks a worker could run now, oldest first, and when the next one will be due. */
export function listRunnable(
  all: readonly TaskSnapshot[],
  request: { tools: readonly string[]; now: Instant; limit: number },
): { readonly tasks: readonly RunnableTask[]; readonly nextDueMs?: number } {
  const nowMs = request.now.wallMs;
  const waiting = all.flatMap((snapshot) => {
    const { id, owner, tool, toolVersion, crashes } = snapshot.record;
    const due = request.tools.includes(tool) ? dueMs(snapshot) : undefined;
    if (due === undefined) return [];
    const task = { id, owner, tool, toolVersion, crashes, dueMs: due, detached: needsNoCaller(snapshot) };
    return [{ task, place: place(snapshot.record) }];
  });
  const tasks = waiting
    .filter(({ task }) => task.dueMs <= nowMs)
    .sort((left, right) => (left.place < right.place ? -1 : 1))
    .map(({ task }) => task);
  const later = waiting.map(({ task }) => task.dueMs).filter((due) => due > nowMs);
  const nextDueMs = later.length === 0 ? undefined : Math.min(...later);
  return { tasks: tasks.slice(0, request.limit), nextDueMs };
}
