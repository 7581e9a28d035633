import { isResumableError, type Store } from "@resumable-mcp/core";
import type { NewTask } from "@resumable-mcp/core/store";
import { afterEach, describe, expect, inject, test } from "vitest";
import { createPostgresStore, type PostgresStoreOptions } from "../src/create-postgres-store.js";
import { startPostgres } from "../src/testing.js";
import { newSchema, runSql } from "./stores.js";

const ends: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

const now = { wallMs: 1_000_000, monotonicMs: 1_000 };
const task: NewTask = {
  id: "refusals-task-00000001",
  owner: "client:a",
  tool: "count_words",
  toolVersion: "1",
  key: null,
  input: {},
  detached: true,
  ttlMs: 1_000,
};

function open(options: PostgresStoreOptions & { readonly schema: string }): Store {
  const store = createPostgresStore(options);
  ends.push(
    () => runSql(`DROP SCHEMA IF EXISTS ${options.schema} CASCADE`),
    () => store.close(),
  );
  return store;
}

/** What a call is refused with; neither sentence nor details show a password. */
async function refusal(call: Promise<unknown>) {
  const error: unknown = await call.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!isResumableError(error)) throw new Error(`refused with an error of the store, not ${String(error)}`);
  const shown = JSON.stringify([error.message, error.details, String(error.cause), error.stack]);
  expect(shown).not.toMatch(/for-tests|secret/);
  return { code: error.code, message: error.message, details: error.details };
}

/** The URL of this run's server for another user. */
function urlOf(user: string, password: string): string {
  const url = new URL(inject("postgresUrl"));
  url.username = user;
  url.password = password;
  return url.href;
}

const place = (schema: string) => {
  const url = new URL(inject("postgresUrl"));
  return `${url.hostname}:${url.port}${url.pathname}#${schema}`;
};

/** A user without any right on the server's databases but to connect. */
async function newUser(schema: string): Promise<string> {
  await runSql(`CREATE ROLE ${schema} LOGIN PASSWORD 'secret'`);
  ends.push(() => runSql(`DROP OWNED BY ${schema}; DROP ROLE ${schema}`));
  return urlOf(schema, "secret");
}

describe("says what to do about", () => {
  test("a wrong password", async () => {
    const options = newSchema();
    const store = open({ ...options, connectionString: urlOf("postgres", "secret") });
    expect(await refusal(store.open())).toEqual({
      code: "STORE_READ_FAILED",
      message:
        'The store could not be read (28P01: password authentication failed for user "postgres"). Check user and password: the connection string, PGUSER, PGPASSWORD or PGPASSFILE.',
      details: {
        path: place(options.schema),
        reason: '28P01: password authentication failed for user "postgres"',
      },
    });
  });

  test("a server that does not run, and opens when it does", async () => {
    const { schema } = newSchema();
    const store = open({ schema, connectionString: "postgres://postgres:secret@127.0.0.1:1/postgres" });
    expect(await refusal(store.open())).toEqual({
      code: "STORE_READ_FAILED",
      message:
        "The store could not be read (ECONNREFUSED). Check that the server runs and can be reached; the store connects again by itself.",
      details: { path: `127.0.0.1:1/postgres#${schema}`, reason: "ECONNREFUSED" },
    });
  });

  test("a database that does not exist", async () => {
    const { schema, connectionString } = newSchema();
    const url = new URL(connectionString ?? "");
    url.pathname = "/absent";
    const { code, message } = await refusal(open({ schema, connectionString: url.href }).open());
    expect([code, message]).toEqual([
      "STORE_READ_FAILED",
      'The store could not be read (3D000: database "absent" does not exist). Create the database, or name another one.',
    ]);
  });

  test("a connection string that is none, without showing it", async () => {
    const create = async () => createPostgresStore({ connectionString: "postgres://user:secret@host:port/db" });
    expect(await refusal(create())).toEqual({
      code: "INVALID_OPTION",
      message: "connectionString is not a URL as postgres://user@host:5432/database.",
      details: { option: "connectionString" },
    });
  });

  test("a schema name that would need quotes", async () => {
    const create = async () => createPostgresStore({ schema: 'x"; DROP' });
    expect(await refusal(create())).toMatchObject({ code: "INVALID_OPTION", details: { option: "schema" } });
  });

  test("missing rights, to make the schema and to use it", async () => {
    const options = newSchema();
    const connectionString = await newUser(options.schema);
    const advice = "Grant the user the rights on the store's schema and its tables, or connect as their owner.";
    const store = open({ ...options, connectionString });
    expect((await refusal(store.open())).message).toBe(
      `The store could not be written (42501: permission denied for database postgres). ${advice}`,
    );
    await open(options).open();
    await runSql(`GRANT USAGE ON SCHEMA ${options.schema} TO ${options.schema};
      GRANT SELECT ON ${options.schema}.layout TO ${options.schema}`);
    await store.open();
    expect(await refusal(store.createTask({ task, reuseResultMs: 0, now }))).toMatchObject({
      code: "STORE_WRITE_FAILED",
      message: expect.stringMatching(/^The store could not be written \(42501: permission denied for .*\)\. Grant /),
    });
  });

  test("a schema that is to be made by another user", async () => {
    const options = newSchema();
    expect(await refusal(open({ ...options, migrate: false }).open())).toEqual({
      code: "STORE_LAYOUT",
      message:
        "The store's schema has layout none, and this version needs layout 1. Run resumable-mcp store migrate, or open the store once with migrate: true, as a user who owns the schema.",
      details: { path: place(options.schema), found: "none", supported: "1" },
    });
  });

  test("rights that are missing in a schema that another user made", async () => {
    const options = newSchema();
    const connectionString = await newUser(options.schema);
    await runSql(`CREATE SCHEMA ${options.schema}; GRANT USAGE ON SCHEMA ${options.schema} TO ${options.schema}`);
    expect(await refusal(open({ ...options, connectionString }).open())).toMatchObject({
      code: "STORE_WRITE_FAILED",
      message: `The store could not be written (42501: permission denied for schema ${options.schema}). Grant the user the rights on the store's schema and its tables, or connect as their owner.`,
    });
  });

  test("a schema of an earlier version that no migration brings to this one", async () => {
    const options = newSchema();
    await open(options).open();
    await runSql(`UPDATE ${options.schema}.layout SET layout = 0`);
    const refused = (advice: string) => ({
      code: "STORE_LAYOUT",
      message: `The store's schema has layout 0, and this version needs layout 1. ${advice}`,
      details: { path: place(options.schema), found: "0", supported: "1" },
    });
    expect(await refusal(open({ ...options, migrate: false }).open())).toEqual(
      refused(
        "Run resumable-mcp store migrate, or open the store once with migrate: true, as a user who owns the schema.",
      ),
    );
    expect(await refusal(open(options).open())).toEqual(
      refused("Its migrations are all applied: restore it from a backup, or name another schema."),
    );
  });

  test("a schema of a later version, unless that allows this one to write", async () => {
    const options = newSchema();
    await open(options).open();
    await runSql(`UPDATE ${options.schema}.layout SET layout = 3, oldest_writer = 2`);
    expect(await refusal(open(options).open())).toEqual({
      code: "STORE_LAYOUT",
      message:
        "The store's schema has layout 3, and this version needs layout 1. A later version of the package made it: update this program.",
      details: { path: place(options.schema), found: "3", supported: "1" },
    });
    await runSql(`UPDATE ${options.schema}.layout SET oldest_writer = 1`);
    await open(options).open();
  });

  test("a full disk, and loses nothing", async () => {
    const options = newSchema();
    const store = open(options);
    await store.createTask({ task, reuseResultMs: 0, now });
    await runSql(`CREATE FUNCTION ${options.schema}.full() RETURNS trigger LANGUAGE plpgsql AS
        $$ BEGIN RAISE 'could not extend file' USING ERRCODE = '53100'; END $$;
      CREATE TRIGGER full_disk BEFORE INSERT ON ${options.schema}.journal EXECUTE FUNCTION ${options.schema}.full()`);
    const request = { taskId: task.id, worker: "worker", ttlMs: 10_000, now };
    const commit = async () => {
      const taken = await store.acquireLease(request);
      if (taken === undefined) throw new Error("The lease is free.");
      const events = [{ type: "checkpoint", progress: 1 }] as const;
      return store.commit({ lease: taken.lease, afterSeq: 1, events, consume: [], now });
    };
    expect(await refusal(commit())).toMatchObject({
      code: "STORE_WRITE_FAILED",
      message:
        "The store could not be written (53100: could not extend file). Make room on the server's disk; unfinished tasks then continue.",
    });
    await runSql(`DROP TRIGGER full_disk ON ${options.schema}.journal`);
    expect((await commit()).record.progress).toBe(1);
  });

  test("a table that was dropped", async () => {
    const options = newSchema();
    const store = open(options);
    await store.open();
    await runSql(`DROP TABLE ${options.schema}.journal`);
    expect(await refusal(store.createTask({ task, reuseResultMs: 0, now }))).toMatchObject({
      code: "STORE_MISSING",
      message: expect.stringContaining('relation "journal" does not exist'),
    });
    await runSql(`DROP SCHEMA ${options.schema} CASCADE`);
    expect(await refusal(store.checkHealth?.() ?? Promise.resolve())).toMatchObject({ code: "STORE_MISSING" });
  });

  test("damaged rows, of one task alone", async () => {
    const options = newSchema();
    const store = open(options);
    const other = { ...task, id: "refusals-task-00000002" };
    for (const each of [task, other]) await store.createTask({ task: each, reuseResultMs: 0, now });
    await runSql(`UPDATE ${options.schema}.journal SET body = 'x' WHERE task = '${task.id}'`);
    const reader = open(options);
    const [damaged, sound] = await Promise.allSettled([reader.getTask(task.id), reader.getTask(other.id)]);
    expect(await refusal(damaged.status === "rejected" ? Promise.reject(damaged.reason) : Promise.resolve())).toEqual({
      code: "TASK_CORRUPT",
      message: `The journal of task ${task.id} is damaged; it is left unchanged. Other tasks are not affected.`,
      details: { taskId: task.id, path: place(options.schema), owner: task.owner },
    });
    expect(sound.status).toBe("fulfilled");
  });
});

test("a user with rights on the tables and sequences of a schema alone needs no other to work in it", async () => {
  const options = newSchema();
  const { schema } = options;
  await open(options).open();
  const connectionString = await newUser(schema);
  await runSql(`GRANT USAGE ON SCHEMA ${schema} TO ${schema};
    GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA ${schema} TO ${schema};
    GRANT USAGE, SELECT, UPDATE ON ALL SEQUENCES IN SCHEMA ${schema} TO ${schema}`);
  const store = open({ ...options, connectionString });
  await store.heartbeat({ worker: "worker", now });
  await store.createTask({ task, reuseResultMs: 0, now });
  await store.signal(task.id, { kind: "pause" });
  const taken = await store.acquireLease({ taskId: task.id, worker: "worker", ttlMs: 10_000, now });
  if (taken === undefined) throw new Error("The lease is free.");
  const events = [
    { type: "checkpoint", progress: 1, items: [1] },
    { type: "completed", output: 1 },
  ] as const;
  const { record } = await store.commit({ lease: taken.lease, afterSeq: 1, events, consume: [], now });
  expect(record).toMatchObject({ status: "completed", itemCount: 1 });
  const place = { kind: "session", id: "one", owner: "client:a" };
  await store.putDocument({ ...place, value: 1, expectedVersion: 0, now });
  await store.deleteDocument(place.kind, place.id);
  await store.deleteTask(taken.lease);
  expect((await store.countTasks({})).total).toBe(0);
});

describe("refuses more durability than the server offers", () => {
  test("for a user whose commits do not wait for the disk", async () => {
    const options = newSchema();
    const connectionString = await newUser(options.schema);
    await runSql(
      `ALTER ROLE ${options.schema} SET synchronous_commit = off; CREATE SCHEMA ${options.schema} AUTHORIZATION ${options.schema}`,
    );
    expect(await refusal(open({ ...options, connectionString }).open())).toEqual({
      code: "INVALID_OPTION",
      message:
        'The server cannot keep commits through a loss of power: synchronous_commit is off. Turn it on, or create the store with durability: "process".',
      details: { option: "durability" },
    });
    const store = open({ ...options, connectionString, durability: "process" });
    await store.open();
    expect(store.capabilities).toEqual({ durability: "process", shared: true });
  });

  test("for a server without fsync", async () => {
    const server = await startPostgres({ settings: { fsync: "off", full_page_writes: "off" } });
    ends.push(() => server.stop());
    const store = createPostgresStore({ connectionString: server.url });
    ends.push(() => store.close());
    expect((await refusal(store.open())).message).toBe(
      'The server cannot keep commits through a loss of power: fsync, full_page_writes is off. Turn it on, or create the store with durability: "process".',
    );
  });
});

test("a store lists what is used of its quotas, and none where it has none", async () => {
  const schema = newSchema();
  const store = open({ ...schema, limits: { ...schema.limits, maxStoreTasks: 5, maxStoreBytes: 2 ** 30 } });
  await store.createTask({ task, reuseResultMs: 0, now });
  expect(await store.listQuotas?.({ now })).toEqual([
    { quota: "maxStoreTasks", limit: 5, used: 1 },
    { quota: "maxStoreBytes", limit: 2 ** 30, used: expect.any(Number) },
  ]);
  const free = open({ ...schema, limits: { ...schema.limits, maxStoreTasks: Number.POSITIVE_INFINITY } });
  expect(await free.listQuotas?.({ now })).toEqual([]);
});
