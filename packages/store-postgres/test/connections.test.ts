import type { NewTask } from "@resumable-mcp/core/store";
import pg from "pg";
import { afterEach, expect, test } from "vitest";
import { createPostgresStore, type PostgresStoreOptions } from "../src/create-postgres-store.js";
import { toHex } from "../src/database/hash.js";
import { startStoreProcess } from "./store-processes.js";
import { newSchema, rewritingPool, runSql } from "./stores.js";

const ends: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

const now = { wallMs: 1_000_000, monotonicMs: 1_000 };
const task = (index: number): NewTask => ({
  id: `connections-task-${String(index).padStart(8, "0")}`,
  owner: "client:a",
  tool: "count_words",
  toolVersion: "1",
  key: null,
  input: {},
  detached: true,
  ttlMs: 1_000,
});

function open(options: PostgresStoreOptions) {
  const store = createPostgresStore(options);
  ends.push(() => store.close());
  return store;
}

/** Breaks a connection as a network does. */
function destroy(client: pg.PoolClient | undefined): void {
  (client as unknown as { connection: { stream: { destroy(): void } } }).connection.stream.destroy();
}

function opener() {
  const options = newSchema();
  ends.push(() => runSql(`DROP SCHEMA IF EXISTS ${options.schema} CASCADE`));
  return options;
}

test("calls wait for each other, and not for a connection, which has a time limit", async () => {
  const options = opener();
  const { connectionString, ...rest } = options;
  await open(options).open();
  const pool = new pg.Pool({ connectionString, max: 8 });
  ends.push(() => pool.end());
  const store = open({ ...rest, pool });
  await store.open();
  // The first new task of a minute waits for a count of all.
  await store.createTask({ task: task(100), reuseResultMs: 0, now });
  const client = new pg.Client({ connectionString });
  await client.connect();
  ends.push(() => client.end());
  await client.query(`BEGIN; LOCK TABLE ${options.schema}.task`);
  const created = Array.from({ length: 20 }, (_, index) =>
    store.createTask({ task: task(index), reuseResultMs: 0, now }),
  );
  const waiting = `SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%${options.schema}%'`;
  await expect.poll(async () => (await runSql(waiting)).length).toBe(4);
  expect(pool.waitingCount).toBe(0);
  await client.end();
  expect((await Promise.all(created)).map((each) => each.created)).toEqual(created.map(() => true));
});

test("watchers are notified again after the connection for notifications broke", async () => {
  const options = opener();
  const [watching, other] = [open(options), open(options)];
  await other.createTask({ task: task(1), reuseResultMs: 0, now });
  let wakes = 0;
  watching.watch(task(1).id, () => {
    wakes += 1;
  });
  // The first notification says that the connection is there.
  await expect.poll(() => wakes).toBeGreaterThan(0);
  const before = wakes;
  const channel = `resumable_mcp_${toHex(options.schema).slice(0, 16)}`;
  const ended = await runSql(
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query = 'LISTEN ${channel}'`,
  );
  expect(ended.length).toBeGreaterThan(0);
  await expect.poll(() => wakes).toBeGreaterThan(before);
  const again = wakes;
  await other.signal(task(1).id, { kind: "cancel" });
  await expect.poll(() => wakes).toBeGreaterThan(again);
});

test("processes that open a new database at the same time wait for the one that makes its schema", async () => {
  for (let round = 1; round <= 5; round += 1) {
    const options = opener();
    const stores = Array.from({ length: 6 }, () => open(options));
    await Promise.all(stores.map((store) => store.open()));
    expect(await runSql(`SELECT layout FROM ${options.schema}.layout`)).toEqual([{ layout: 1 }]);
  }
});

test("connections for notifications that break before they are used are given back to the pool", async () => {
  const { connectionString, ...options } = opener();
  let attempts = 0;
  let listen = () => {};
  const listened = new Promise<void>((resolve) => {
    listen = resolve;
  });
  const pool = rewritingPool(connectionString, (send, text, name) => {
    if (text.startsWith("LISTEN")) listen();
    const sent = send(text);
    if (name === "lock" && ++attempts <= 3) destroy(newest);
    return sent;
  });
  let newest: pg.PoolClient | undefined;
  pool.on("acquire", (client) => {
    newest = client;
  });
  const store = createPostgresStore({ ...options, pool, limits: { ...options.limits, reconnectMs: 1 } });
  await store.open();
  store.watch(undefined, () => {});
  await listened;
  await store.close();
  expect(pool.totalCount - pool.idleCount).toBe(0);
  await pool.end();
});

test("a server that does not answer on the connection for notifications does not keep a store from closing", async () => {
  const { connectionString, ...options } = opener();
  let ask = () => {};
  const asked = new Promise<void>((resolve) => {
    ask = resolve;
  });
  const pool = rewritingPool(connectionString, (send, text) => {
    if (!text.startsWith("LISTEN")) return send(text);
    ask();
    return send("SELECT pg_sleep(3600)");
  });
  const store = createPostgresStore({ ...options, pool });
  await store.open();
  store.watch(undefined, () => {});
  await asked;
  await store.close();
  expect(pool.totalCount - pool.idleCount).toBe(0);
  await pool.end();
});

test("a pool that is too small is refused", async () => {
  const pool = new pg.Pool({ max: 2 });
  ends.push(() => pool.end());
  expect(() => createPostgresStore({ pool })).toThrow(
    "The pool must have at least 3 connections: for notifications, commits and the rest.",
  );
});

test("a worker that was silent for long is forgotten, and one that is alive is not", async () => {
  const options = opener();
  const limits = { ...options.limits, forgetWorkerMs: 5_000 };
  const [living, silent, observer] = [open(options), open(options), open({ ...options, limits })];
  const beat = (store: typeof living, monotonicMs: number, worker: string) =>
    store.heartbeat({ worker, now: { ...now, monotonicMs } });
  const workers = () => runSql(`SELECT split_part(worker, '.', 1) AS worker FROM ${options.schema}.worker ORDER BY 1`);
  await beat(living, 1_000, "living");
  await beat(silent, 1_000, "silent");
  await beat(observer, 1_000, "observer");
  await beat(living, 2_000, "living");
  await beat(observer, 5_999, "observer");
  expect(await workers()).toEqual([{ worker: "living" }, { worker: "observer" }, { worker: "silent" }]);
  await beat(observer, 6_000, "observer");
  expect(await workers()).toEqual([{ worker: "living" }, { worker: "observer" }]);
});

test("a process that was frozen beyond its lease writes nothing when it wakes, and learns that its lease is lost", async () => {
  const options = opener();
  const frozen = startStoreProcess(options);
  ends.push(() => frozen.kill());
  const other = open(options);
  const lease = { taskId: task(1).id, ttlMs: 10_000 };
  await frozen.store.createTask({ task: task(1), reuseResultMs: 0, now });
  const held = (await frozen.store.acquireLease({ ...lease, worker: "frozen", now }))?.lease;
  if (held === undefined) throw new Error("The lease is free.");
  const commit = (progress: number, afterSeq: number) => ({
    lease: held,
    afterSeq,
    events: [{ type: "checkpoint", progress, items: [progress] }] as const,
    consume: [],
    now,
  });
  await frozen.store.commit(commit(1, 1));
  await frozen.freeze();
  const late = frozen.store.commit(commit(2, 2)).catch((error: unknown) => error);
  expect(await other.acquireLease({ ...lease, worker: "other", now })).toBeUndefined();
  const later = { ...now, monotonicMs: now.monotonicMs + lease.ttlMs };
  const taken = await other.acquireLease({ ...lease, worker: "other", now: later });
  expect(taken?.snapshot.record).toMatchObject({ progress: 1, itemCount: 1 });
  frozen.thaw();
  expect(await late).toMatchObject({ code: "LEASE_LOST" });
  expect((await other.getTask(lease.taskId))?.record).toEqual(taken?.snapshot.record);
  expect((await other.readItems(lease.taskId, { after: 0, limit: 10 })).items).toEqual([1]);
});
