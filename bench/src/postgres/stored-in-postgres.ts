import { createPostgresStore } from "@resumable-mcp/store-postgres";
import pg from "pg";
import { type Measure, type Scope, timePer } from "../report/measure.js";
import { beginTask, checkpoints, finishTask } from "../stores/stored-tasks.js";
import { newDatabase } from "./database.js";

const many = 1_000_000;
const few = 100;
const count = 300;

/** Checkpoints of one task in a database with many finished tasks, against a database with few on the same server. */
export const storedInPostgres: Measure = {
  id: "postgres-stored-tasks",
  title: "One checkpoint, 1,000,000 finished tasks stored",
  subject: "1,000,000 stored",
  peer: `${few} stored`,
  unit: "ms",
  target: { atMost: 1.2 },
  rounds: 31,
  async prepare(scope) {
    const [large, small] = [await filled(scope, many), await filled(scope, few)];
    return { subject: () => round(large), peer: () => round(small) };
  },
};

async function filled(scope: Scope, finished: number) {
  const url = await newDatabase(scope);
  await fillDatabase(url, finished);
  // The default quota ends at `many`.
  const store = createPostgresStore({ connectionString: url, limits: { maxStoreTasks: 2 * many } });
  scope.onEnd(() => store.close());
  return store;
}

async function round(store: ReturnType<typeof createPostgresStore>): Promise<number> {
  const { lease, lastSeq } = await beginTask(store);
  const cost = await timePer(count, () => checkpoints(store, lease, lastSeq, count));
  await store.releaseLease(lease);
  return cost;
}

/** Each copy is another task, of one of a thousand owners. */
const copies = `CROSS JOIN generate_series(1, $2::int) n
  CROSS JOIN LATERAL (SELECT 'copied-task-' || lpad(n::text, 9, '0') AS id, 'local:bench-' || n % 1000 AS owner) c`;
const renamed = (text: string) => `replace(replace(${text}, $1, c.id), 'local:bench', c.owner)`;
/** As the store hashes: the SHA-256 of JSON. */
const hashed = (json: string) => `sha256(convert_to(${json}, 'UTF8'))`;

const copyTasks = `INSERT INTO resumable_mcp.task (id, incarnation, owner, call, claim, tool, created_ms, ttl_ms, finished_ms, epoch,
    last_seq, bytes, status, detached, tool_version, brief)
  SELECT c.id, nextval('resumable_mcp.claim'), ${hashed(`'"' || c.owner || '"'`)}, ${hashed(`'["' || c.owner || '","' || c.id || '"]'`)},
    nextval('resumable_mcp.claim'), t.tool, t.created_ms, t.ttl_ms, t.finished_ms, nextval('resumable_mcp.epoch'),
    t.last_seq, t.bytes, t.status, t.detached, t.tool_version, ${renamed("t.brief")}
  FROM resumable_mcp.task t ${copies} WHERE t.id = $1`;

const copyJournals = `INSERT INTO resumable_mcp.journal (task, last_seq, epoch, at_ms, size, body, items, end_item)
  SELECT c.id, j.last_seq, j.epoch, j.at_ms, j.size, ${renamed("j.body")}, j.items, j.end_item
  FROM resumable_mcp.journal j ${copies} WHERE j.task = $1 ORDER BY c.id, j.last_seq`;

/** Fills a database with finished tasks: copies of one that the store itself made, under other ids and owners. */
export async function fillDatabase(url: string, finished: number): Promise<void> {
  const store = createPostgresStore({ connectionString: url });
  const id = await finishTask(store, 3);
  await store.close();
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    // Only the filling: sessions of the measure keep what they acknowledge.
    await client.query("SET synchronous_commit = off");
    for (const text of [copyTasks, copyJournals]) await client.query(text, [id, finished - 1]);
    await client.query("VACUUM ANALYZE");
    await client.query("CHECKPOINT");
  } finally {
    await client.end();
  }
}
