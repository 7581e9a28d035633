import { isResumableError, type Store } from "@resumable-mcp/core";
import type { Lease, NewTask } from "@resumable-mcp/core/store";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { createPostgresStore } from "../src/create-postgres-store.js";
import { type PostgresServer, startPostgres } from "../src/testing.js";
import { runSql } from "./stores.js";

let server: PostgresServer;
beforeAll(async () => {
  server = await startPostgres();
});
afterAll(() => server.stop());

const stores: Store[] = [];
afterEach(async () => {
  for (const store of stores.splice(0)) await store.close();
});

const now = { wallMs: 1_000_000, monotonicMs: 1_000 };
const task: NewTask = {
  id: "failures-task-00000001",
  owner: "client:a",
  tool: "count_words",
  toolVersion: "1",
  key: null,
  input: {},
  detached: true,
  ttlMs: 1_000,
};

async function storeWithTask(schema: string): Promise<Store> {
  const store = createPostgresStore({ connectionString: server.url, schema });
  stores.push(store);
  await store.createTask({ task, reuseResultMs: 0, now });
  return store;
}

/** Takes the lease as a worker does that lost it by an error: until the server can be reached. */
async function acquire(store: Store): Promise<{ readonly lease: Lease; readonly lastSeq: number }> {
  for (;;) {
    try {
      const taken = await store.acquireLease({ taskId: task.id, worker: "worker", ttlMs: 10_000, now });
      if (taken !== undefined) return { lease: taken.lease, lastSeq: taken.snapshot.record.lastSeq };
      throw new Error("The worker's own lease, which it gave up, is free for it.");
    } catch (error) {
      if (!isResumableError(error, "STORE_WRITE_FAILED", "STORE_READ_FAILED")) throw error;
    }
  }
}

test("what was acknowledged is there after the server was killed, nothing twice, and the same worker continues", async () => {
  const store = await storeWithTask("killed");
  const acknowledged: number[] = [];
  let { lease, lastSeq } = await acquire(store);
  let restarted: Promise<void> | undefined;
  for (let progress = 1; progress <= 200; progress++) {
    if (progress === 50) restarted = server.restart();
    try {
      const events = [{ type: "checkpoint", progress, items: [progress] }] as const;
      lastSeq = (await store.commit({ lease, afterSeq: lastSeq, events, consume: [], now })).record.lastSeq;
      acknowledged.push(progress);
    } catch (error) {
      expect(isResumableError(error, "STORE_WRITE_FAILED")).toBe(true);
      await restarted;
      await store.releaseLease(lease);
      ({ lease, lastSeq } = await acquire(store));
    }
  }
  await restarted;
  const { items } = await store.readItems(task.id, { after: 0, limit: 1000 });
  expect(items.filter((item) => acknowledged.includes(Number(item)))).toEqual(acknowledged);
  expect(new Set(items).size).toBe(items.length);
  expect((await store.getTask(task.id))?.record.itemCount).toBe(items.length);
});

test("a wait for the standby that the server gives up is an unknown outcome", async () => {
  const store = await storeWithTask("standby");
  const { lease } = await acquire(store);
  const configure = async (names: string) => {
    await runSql(`ALTER SYSTEM SET synchronous_standby_names = '${names}'`, server.url);
    await runSql("SELECT pg_reload_conf()", server.url);
  };
  // What is run to end the wait must not wait itself.
  const withoutStandby = `${server.url}?options=-c%20synchronous_commit%3Dlocal`;
  await configure("absent");
  const events = [{ type: "checkpoint", progress: 1 }] as const;
  const committed = store.commit({ lease, afterSeq: 1, events, consume: [], now });
  const outcome = committed.then(
    () => "acknowledged",
    (error: unknown) => error,
  );
  const cancel = "SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep'";
  await expect.poll(async () => (await runSql(cancel, withoutStandby)).length).toBe(1);
  expect(await outcome).toMatchObject({
    code: "STORE_WRITE_FAILED",
    details: { reason: "the standby did not confirm the commit, so its outcome is unknown" },
  });
  await runSql("ALTER SYSTEM SET synchronous_standby_names = ''", withoutStandby);
  await runSql("SELECT pg_reload_conf()", withoutStandby);
  // It is there on this server: the task continues behind it.
  const again = await acquire(store);
  expect(again.lastSeq).toBe(2);
  const next = { lease: again.lease, afterSeq: 2, events, consume: [], now } as const;
  expect((await store.commit(next)).record.lastSeq).toBe(3);
});
