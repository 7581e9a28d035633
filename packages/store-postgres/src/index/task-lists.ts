import {
  type CountQuery,
  type Instant,
  type RunnableTask,
  storeErrors,
  type TaskCounts,
  type TaskPage,
  type TaskQuery,
  type TaskSummary,
} from "@resumable-mcp/core/store";
import type { Database } from "../database/database.js";
import { hashValue } from "../database/hash.js";
import { type Beat, standingTable, type WorkerRegistry } from "../task/worker-registry.js";

const maxListLimit = 1000;

/** Whether a live worker holds the lease of `t`, by the heartbeats that stood still. The first sight of one counts as a heartbeat. */
const leased = (standing: number) => `(t.holder IS NOT NULL AND w.beat IS NOT NULL AND NOT EXISTS (
  SELECT FROM ${standingTable(standing)} WHERE d.worker = t.holder AND d.beat = w.beat AND d.stood_ms >= t.lease_ttl_ms))`;

/** What `readDesiredState` says: the pause that waits for the worker counts. */
const pauses = `CASE WHEN t.signals @> '[{"k": "pause"}]' THEN true WHEN t.signals @> '[{"k": "resume"}]' THEN false ELSE t.pausing END`;

/** What `unansweredQuestions` says. */
const asks = `EXISTS (SELECT FROM unnest(t.questions) q WHERE NOT t.signals @> jsonb_build_array(jsonb_build_object('q', q)))`;

/** What `readStatus` says. */
const status = (standing: number) => `CASE
  WHEN t.finished_ms IS NOT NULL THEN t.status
  WHEN NOT l.live AND ${pauses} THEN 'paused'
  WHEN ${asks} THEN 'input_required'
  WHEN l.live THEN 'running' ELSE 'pending' END AS status
  FROM store.task t LEFT JOIN store.worker w ON w.worker = t.holder
  CROSS JOIN LATERAL (SELECT t.live AND ${leased(standing)} AS live) l`;

/** All heartbeats, so that those of workers that hold nothing yet are known, too. */
const beats =
  "(SELECT coalesce(json_agg(json_build_object('worker', worker, 'beat', beat)), '[]') FROM store.worker) AS beats";

const listStatement = (byOwner: boolean) => ({
  name: byOwner ? "list_owner" : "list",
  text: `SELECT * FROM (
      SELECT t.id, t.created_ms, t.brief, ${status(1)}
      WHERE ($4::text IS NULL OR t.tool = $4) AND ($5::bigint IS NULL OR (t.created_ms, t.id) < ($5, $6::text))
        ${byOwner ? "AND t.owner = $9" : ""}) x
    WHERE $7::text[] IS NULL OR status = ANY ($7) ORDER BY created_ms DESC, id DESC LIMIT $8`,
});

const countStatement = ({ owner, unfinished }: CountQuery) => {
  const byOwner = owner === undefined ? [] : ["t.owner = $4"];
  const conditions = unfinished === true ? [...byOwner, "t.finished_ms IS NULL"] : byOwner;
  const where = conditions.length === 0 ? "" : `WHERE ${conditions.join(" AND ")}`;
  return {
    name: `count${owner === undefined ? "" : "_owner"}${unfinished === true ? "_unfinished" : ""}`,
    text: `SELECT status, tool, count(*) AS count FROM (SELECT t.tool, ${status(1)} ${where}) x
    GROUP BY status, tool`,
  };
};

const expiredStatement = {
  name: "expired",
  text: `SELECT id FROM store.task WHERE finished_ms IS NOT NULL AND finished_ms + ttl_ms <= $1
    ORDER BY finished_ms, id LIMIT $2`,
};

/** The inner CASE is what `dueMs` says; clause RUN-4 compares both. */
const runnableStatement = {
  name: "runnable",
  text: `WITH due AS MATERIALIZED (
      SELECT t.*, CASE
        WHEN t.signals @> '[{"k": "cancel"}]' THEN 0
        WHEN ${pauses} THEN CASE WHEN t.signals @> '[{"k": "pause"}]' THEN 0 END
        WHEN t.signals @> '[{"k": "resume"}]' OR t.signals @> '[{"k": "answer"}]' OR t.signals @> '[{"k": "offer"}]' THEN 0
        WHEN t.live THEN 0
        WHEN t.runnable_ms IS NOT NULL THEN t.runnable_ms
        WHEN t.questions <> '{}' THEN NULL ELSE 0 END AS due_ms
      FROM store.task t LEFT JOIN store.worker w ON w.worker = t.holder
      WHERE t.finished_ms IS NULL AND t.tool = ANY ($4) AND NOT ${leased(1)}),
    now AS (SELECT * FROM due WHERE due_ms <= $5 ORDER BY created_ms, id LIMIT $6)
    SELECT (SELECT min(due_ms) FROM due WHERE due_ms > $5) AS next_ms, ${beats},
      (SELECT coalesce(json_agg(json_build_object('id', id, 'brief', brief, 'version', tool_version, 'crashes', crashes, 'due', due_ms,
        'detached', detached OR signals @@ 'exists($[*] ? (@.k != "delivered" && @.k != "undelivered"))')
        ORDER BY created_ms, id), '[]') FROM now) AS tasks`,
};

interface RunnableRow {
  readonly next_ms: number | null;
  readonly beats: readonly Beat[];
  readonly tasks: readonly {
    readonly id: string;
    readonly brief: string;
    readonly version: string;
    readonly crashes: number;
    readonly due: number;
    readonly detached: boolean;
  }[];
}

/** Lists and counts tasks. */
export class TaskLists {
  readonly #database: Database;
  readonly #workers: WorkerRegistry;

  constructor({ database, workers }: { readonly database: Database; readonly workers: WorkerRegistry }) {
    this.#database = database;
    this.#workers = workers;
  }

  /** Lists tasks, newest first. */
  async listTasks({ owner, tool, statuses, limit, cursor }: TaskQuery): Promise<TaskPage> {
    const count = Math.min(Math.max(limit, 1), maxListLimit);
    const place = cursor === undefined ? undefined : parseCursor(cursor);
    type Row = { id: string; created_ms: number; brief: string; status: TaskSummary["status"] };
    const rows = await this.#database.query<Row>("read", listStatement(owner !== undefined), [
      ...this.#workers.standing(),
      ...[tool === undefined ? null : JSON.stringify(tool), place?.createdMs ?? null, place?.id ?? null],
      ...[statuses ?? null, count + 1, ...(owner === undefined ? [] : [hashValue(owner)])],
    ]);
    const page = rows.slice(0, count);
    const last = page.at(-1);
    return {
      tasks: page.map((row): TaskSummary => ({ ...JSON.parse(row.brief), status: row.status })),
      nextCursor: last && rows.length > count ? `${last.created_ms}.${last.id}` : undefined,
    };
  }

  /** Counts tasks, of one owner or of all. */
  async countTasks(query: CountQuery): Promise<TaskCounts> {
    const { owner } = query;
    const values = [...this.#workers.standing(), ...(owner === undefined ? [] : [hashValue(owner)])];
    type Row = { status: string; tool: string; count: number };
    const rows = await this.#database.query<Row>("read", countStatement(query), values);
    return {
      total: rows.reduce((sum, { count }) => sum + count, 0),
      byStatus: sums(rows.map(({ status: name, count }) => [name, count])),
      byTool: sums(rows.map(({ tool, count }) => [JSON.parse(tool), count])),
    };
  }

  /** Lists finished tasks whose time is over, the first finished first. */
  async listExpired({ now, limit }: { readonly now: Instant; readonly limit: number }): Promise<readonly string[]> {
    const rows = await this.#database.query<{ id: string }>("read", expiredStatement, [now.wallMs, limit]);
    return rows.map(({ id }) => id);
  }

  /** Lists what could be run now, oldest first. */
  async listRunnable(request: {
    readonly tools: readonly string[];
    readonly now: Instant;
    readonly limit: number;
  }): Promise<{ readonly tasks: readonly RunnableTask[]; readonly nextDueMs?: number }> {
    const tools = request.tools.map((tool) => JSON.stringify(tool));
    const values = [...this.#workers.standing(), tools, request.now.wallMs, request.limit];
    const [row] = await this.#database.query<RunnableRow>("read", runnableStatement, values);
    this.#workers.see(row?.beats ?? []);
    const tasks = (row?.tasks ?? []).map(({ id, brief, version, crashes, due, detached }): RunnableTask => {
      const { owner, tool }: TaskSummary = JSON.parse(brief);
      return { id, owner, tool, toolVersion: JSON.parse(version), crashes, dueMs: due, detached };
    });
    return { tasks, nextDueMs: row?.next_ms ?? undefined };
  }
}

/** `fromEntries` and not assignment: a tool may be called "__proto__". */
function sums(counts: readonly (readonly [name: string, count: number])[]): Record<string, number> {
  const all = new Map<string, number>();
  for (const [name, count] of counts) all.set(name, (all.get(name) ?? 0) + count);
  return Object.fromEntries(all);
}

function parseCursor(cursor: string): { readonly createdMs: number; readonly id: string } {
  const [, createdMs, id] = /^(-?\d{1,16})\.([A-Za-z0-9_-]{16,64})$/.exec(cursor) ?? [];
  if (createdMs !== undefined && id !== undefined) return { createdMs: Number(createdMs), id };
  throw storeErrors.cursorInvalid();
}
