import { isLeased, type Standing } from "./standing.js";
import { type Statement, statement } from "./statement.js";
import type { JournalRow, Tables, TaskRow } from "./tables.js";
import { hasSignal } from "./task-statements.js";

/** Whether a task pauses, with the request that waits for its worker. */
function pauses(task: TaskRow): boolean {
  if (hasSignal(task, "pause")) return true;
  return !hasSignal(task, "resume") && task.pausing;
}

function statusOf(tables: Tables, task: TaskRow, standing: Standing): string {
  if (task.finished_ms !== null) return task.status;
  const isLive = task.live && isLeased(tables, task, standing);
  if (!isLive && pauses(task)) return "paused";
  if (task.questions.some((question) => !task.signals.some(({ q }) => q === question))) return "input_required";
  return isLive ? "running" : "pending";
}

/** When a task may be run, in milliseconds since 1970; `null`: it waits for a caller. */
function dueOf(task: TaskRow): number | null {
  if (hasSignal(task, "cancel")) return 0;
  if (pauses(task)) return hasSignal(task, "pause") ? 0 : null;
  if (["resume", "answer", "offer"].some((kind) => hasSignal(task, kind)) || task.live) return 0;
  if (task.runnable_ms !== null) return task.runnable_ms;
  return task.questions.length > 0 ? null : 0;
}

/** By time of creation, then by id. */
function byAge(one: TaskRow, other: TaskRow): number {
  return one.created_ms - other.created_ms || (one.id < other.id ? -1 : 1);
}

const list = statement<
  [
    ...Standing,
    ...[tool: string | null, beforeMs: number | null, beforeId: string | null],
    ...[statuses: readonly string[] | null, limit: number, owner?: Uint8Array],
  ]
>(({ tables }, values) => {
  const standing: Standing = [values[0], values[1], values[2]];
  const [tool, beforeMs, beforeId, statuses, limit, owner] = [
    ...([values[3], values[4], values[5]] as const),
    ...([values[6], values[7], values[8]] as const),
  ];
  const ownerKey = owner && Buffer.from(owner).toString("hex");
  const isBehind = ({ created_ms, id }: TaskRow) =>
    beforeMs === null || created_ms < beforeMs || (created_ms === beforeMs && id < (beforeId ?? ""));
  return tables.task
    .values()
    .filter((row) => (tool === null || row.tool === tool) && isBehind(row))
    .filter((row) => ownerKey === undefined || row.owner === ownerKey)
    .map((row) => ({ row, status: statusOf(tables, row, standing) }))
    .filter(({ status }) => statuses === null || statuses.includes(status))
    .toSorted((one, other) => byAge(other.row, one.row))
    .slice(0, limit)
    .map(({ row: { id, created_ms, brief }, status }) => ({ id, created_ms, brief, status }));
});

const countThose = (isMeant: (row: TaskRow) => boolean) =>
  statement<[...Standing, owner?: Uint8Array]>(({ tables }, [workers, beats, stoodMs, owner]) => {
    const ownerKey = owner && Buffer.from(owner).toString("hex");
    const counts = new Map<string, { readonly status: string; readonly tool: string; count: number }>();
    for (const row of tables.task.values()) {
      if (!isMeant(row) || (ownerKey !== undefined && row.owner !== ownerKey)) continue;
      const status = statusOf(tables, row, [workers, beats, stoodMs]);
      const known = counts.get(`${status} ${row.tool}`);
      if (known === undefined) counts.set(`${status} ${row.tool}`, { status, tool: row.tool, count: 1 });
      else known.count += 1;
    }
    return [...counts.values()];
  });

const count = countThose(() => true);
const countUnfinished = countThose(({ finished_ms }) => finished_ms === null);

const expired = statement<[nowMs: number, limit: number]>(({ tables }, [nowMs, limit]) =>
  tables.task
    .values()
    .flatMap(({ id, finished_ms, ttl_ms }) => (finished_ms === null ? [] : [{ id, finished_ms, ttl_ms }]))
    .filter(({ finished_ms, ttl_ms }) => finished_ms + ttl_ms <= nowMs)
    .toSorted((one, other) => one.finished_ms - other.finished_ms || (one.id < other.id ? -1 : 1))
    .slice(0, limit)
    .map(({ id }) => ({ id })),
);

const runnable = statement<[...Standing, tools: readonly string[], nowMs: number, limit: number]>(
  ({ tables }, [workers, beats, stoodMs, tools, nowMs, limit]) => {
    const waiting = tables.task
      .values()
      .filter((row) => row.finished_ms === null && tools.includes(row.tool))
      .filter((row) => !isLeased(tables, row, [workers, beats, stoodMs]))
      .flatMap((row) => {
        const due = dueOf(row);
        return due === null ? [] : [{ row, due }];
      });
    const later = waiting.map(({ due }) => due).filter((due) => due > nowMs);
    const now = waiting.filter(({ due }) => due <= nowMs).toSorted((one, other) => byAge(one.row, other.row));
    const tasks = now.slice(0, limit).map(({ row, due }) => ({
      ...{ id: row.id, brief: row.brief, version: row.tool_version, crashes: row.crashes, due },
      detached: row.detached || row.signals.some(({ k }) => k !== "delivered" && k !== "undelivered"),
    }));
    const seen = tables.worker.entries().map(([worker, { beat }]) => ({ worker, beat }));
    return [{ next_ms: later.length === 0 ? null : Math.min(...later), beats: seen, tasks }];
  },
);

/** Rows until a page has enough bytes; at least one. */
function pageOf(rows: readonly JournalRow[], limit: number, maxBytes: number): readonly JournalRow[] {
  let before = 0;
  return rows.slice(0, limit).filter(({ size }) => {
    const isIn = before <= maxBytes;
    before += size;
    return isIn;
  });
}

function orNull<Value>(values: readonly Value[]): readonly Value[] | null {
  return values.length === 0 ? null : values;
}

const events = statement<[id: string, after: number, limit: number, maxBytes: number]>(
  ({ tables }, [id, after, limit, maxBytes]) => {
    const task = tables.task.get(id);
    if (task === undefined) return [];
    const newest = tables.snapshot.get(id);
    const snapshot = newest !== undefined && after < newest.compacted_seq ? newest : undefined;
    const from = Math.max(after, snapshot?.seq ?? 0);
    const rows = (tables.journal.get(id) ?? []).filter(({ last_seq }) => last_seq > from);
    const page = pageOf(rows, limit, maxBytes);
    const [bodies, items] = [orNull(page.map(({ body }) => body)), orNull(page.map((row) => row.items))];
    return [{ last_seq: task.last_seq, record: snapshot?.record ?? null, bodies, items }];
  },
);

const items = statement<[id: string, after: number, limit: number, maxBytes: number]>(
  ({ tables }, [id, after, limit, maxBytes]) => {
    const task = tables.task.get(id);
    if (task === undefined) return [];
    const rows = (tables.journal.get(id) ?? [])
      .filter((row) => row.items !== null && row.last_seq >= task.items_from_seq && (row.end_item ?? 0) > after)
      .toSorted((one, other) => (one.end_item ?? 0) - (other.end_item ?? 0));
    const page = pageOf(rows, limit, maxBytes);
    const ends = orNull(page.map(({ end_item }) => end_item));
    return [{ item_count: task.item_count, ends, items: orNull(page.map((row) => row.items)) }];
  },
);

/** Statements that list, count and page, by the names under which the store prepares them. */
export const listStatements: { readonly [name: string]: Statement } = {
  list,
  list_owner: list,
  count,
  count_owner: count,
  count_unfinished: countUnfinished,
  count_owner_unfinished: countUnfinished,
  expired,
  runnable,
  events,
  items,
};
