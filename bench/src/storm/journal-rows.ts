import type { TaskEvent } from "@resumable-mcp/core/store";
import type { FinalTask } from "@resumable-mcp/simulation/history";
import { createPostgresStore } from "@resumable-mcp/store-postgres";
import { openPostgresAdmin } from "@resumable-mcp/store-postgres/admin";
import pg from "pg";
import { finalTask } from "../kills/storm-history.js";
import { damageOf, wrongArtifacts } from "./damage-of.js";
import type { StoredTasks } from "./judge.js";
import { mixedAttempts, type Written } from "./one-writer.js";

/** One commit as it is in the database. */
export interface JournalRow {
  readonly lastSeq: number;
  readonly epoch: number;
  readonly events: readonly TaskEvent[];
}

/** Reads all tasks of a database, and proves from the rows of each journal that it had one writer at a time. */
export async function readDatabase(url: string): Promise<StoredTasks> {
  const journals = await readJournalRows(url);
  const proofs = [...journals].flatMap(([id, rows]) => proveRows(rows).map((problem) => `${id}: ${problem}`));
  const problems = [...(await damageOf(openPostgresAdmin({ connectionString: url }))), ...proofs];
  const store = createPostgresStore({ connectionString: url });
  try {
    const tasks: FinalTask[] = [];
    for (const id of journals.keys()) {
      const task = await finalTask(store, id);
      if (task === undefined) continue;
      tasks.push(task);
      problems.push(...(await wrongArtifacts(store, task.record)));
    }
    return { tasks, problems, lines: [] };
  } finally {
    await store.close();
  }
}

/** What the database has of all tasks, read without the store's own code: the proof must not believe what it is to prove. */
async function readJournalRows(url: string): Promise<ReadonlyMap<string, readonly JournalRow[]>> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const journals = new Map<string, JournalRow[]>();
    const text = `SELECT task, last_seq, epoch, body FROM resumable_mcp.journal ORDER BY task, last_seq`;
    const { rows } = await client.query<{ task: string; last_seq: string; epoch: string; body: string | null }>(text);
    for (const { task, last_seq, epoch, body } of rows) {
      const row = { lastSeq: Number(last_seq), epoch: Number(epoch), events: JSON.parse(body ?? "[]") };
      const known = journals.get(task);
      if (known === undefined) journals.set(task, [row]);
      else known.push(row);
    }
    return journals;
  } finally {
    await client.end();
  }
}

/**
 * Proves from the rows of a journal that its task had one writer at a time: one history without gap or repeat, epochs that never
 * fall, one worker for each epoch, and between the start and the end of an attempt no event of another epoch.
 */
export function proveRows(rows: readonly JournalRow[]): readonly string[] {
  const problems: string[] = [];
  const history: Written[] = [];
  const workers = new Map<number, string>();
  let [seq, last] = [0, 0];
  for (const { lastSeq, epoch, events } of rows) {
    if (epoch < last) problems.push(`epoch ${epoch} follows ${last}`);
    last = epoch;
    for (const event of events) {
      if (event.seq !== seq + 1) problems.push(`event ${event.seq} follows ${seq} in epoch ${epoch}`);
      seq = event.seq;
      if (event.type === "attempt_started") {
        const known = workers.get(epoch) ?? event.worker;
        if (known !== event.worker) problems.push(`epoch ${epoch} is that of ${known} and of ${event.worker}`);
        workers.set(epoch, known);
      }
      history.push({ event, lease: epoch, worker: workers.get(epoch) ?? null });
    }
    if (seq !== lastSeq) problems.push(`the commit that ends at ${lastSeq} has events up to ${seq}`);
  }
  return [...problems, ...mixedAttempts(history)];
}
