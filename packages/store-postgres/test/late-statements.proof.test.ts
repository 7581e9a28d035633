import type { Store } from "@resumable-mcp/core";
import type { Instant, Lease, NewTask } from "@resumable-mcp/core/store";
import pg from "pg";
import { afterEach, describe, expect, test } from "vitest";
import { createPostgresStore } from "../src/create-postgres-store.js";
import { newSchema, type Rewrite, rewritingPool, runSql } from "./stores.js";

const ends: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

const ttlMs = 10_000;
const at = (monotonicMs: number): Instant => ({ wallMs: 1_000_000, monotonicMs });
const task: NewTask = {
  id: "late-statements-task-1",
  owner: "client:a",
  tool: "count_words",
  toolVersion: "1",
  key: null,
  input: {},
  detached: true,
  ttlMs: 1_000,
};
const companion: NewTask = { ...task, id: "late-statements-task-2" };
const events = [{ type: "checkpoint", progress: 1 }] as const;

/** Opens stores of one schema, whose statements `rewrite` may change. */
function opener() {
  const { connectionString, ...options } = newSchema();
  ends.push(() => runSql(`DROP SCHEMA IF EXISTS ${options.schema} CASCADE`));
  const open = (rewrite: Rewrite = (send, text) => send(text)): Store => {
    const pool = rewritingPool(connectionString, rewrite);
    const store = createPostgresStore({ ...options, pool });
    ends.push(
      () => pool.end(),
      () => store.close(),
    );
    return store;
  };
  return { open, schema: options.schema };
}

async function lease(store: Store, worker: string, now = at(1_000), taskId = task.id): Promise<Lease> {
  const taken = await store.acquireLease({ taskId, worker, ttlMs, now });
  if (taken === undefined) throw new Error(`The lease is free for ${worker}.`);
  return taken.lease;
}

const commit = (store: Store, held: Lease, afterSeq = 1) =>
  store.commit({ lease: held, afterSeq, events, consume: [], now: at(1_000) });

/** The statements that write commits: of one task or of several, with everything or only what a checkpoint changes. */
const statements = ["commit", "commit_many", "checkpoint", "checkpoint_many"] as const;

/** Makes a task and takes its lease, so that the next commit goes by a certain statement. */
async function begin(store: Store, statement: (typeof statements)[number]) {
  const leases: Lease[] = [];
  for (const each of statement.endsWith("many") ? [task, companion] : [task]) {
    await store.createTask({ task: each, reuseResultMs: 0, now: at(1_000) });
    leases.push(await lease(store, "a", at(1_000), each.id));
  }
  const [held] = leases;
  if (held === undefined) throw new Error("A new task's lease is free.");
  const commitAll = async (afterSeq: number) => {
    const commits = leases.map((each) => commit(store, each, afterSeq));
    for (const each of commits) each.catch(() => {});
    return commits[0] ?? commit(store, held, afterSeq);
  };
  const isFirst = statement.startsWith("commit");
  if (!isFirst) await commitAll(1);
  const place = isFirst ? 1 : 2;
  return { held, place, commitAll: () => commitAll(place) };
}

const codeOf = (call: Promise<unknown>) =>
  call.then(
    () => "ok",
    (error: unknown) => (error instanceof Error && "code" in error ? error.code : error),
  );

async function connect(): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: newSchema().connectionString });
  await client.connect();
  ends.push(() => client.end());
  return client;
}

/** Waits until a statement on a schema waits for a lock. */
async function untilOneWaits(schema: string): Promise<void> {
  const waiting = `SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%${schema}%'`;
  await expect.poll(async () => (await runSql(waiting)).length).toBe(1);
}

/** Breaks the connection of a statement's first commit, which reaches the server when `late` is called. */
function strandedCommit(
  statement: string,
  change: (text: string) => string,
): { readonly rewrite: Rewrite; late(): Promise<unknown> } {
  let late: ((by: pg.Client) => Promise<unknown>) | undefined;
  return {
    rewrite: async (send, text, name) => {
      if (name !== statement || late !== undefined) return send(text);
      late = (by) => send(change(text), by);
      throw new Error("connection lost");
    },
    late: async () => late?.(await connect()),
  };
}

describe.each(statements)("%s", (statement) => {
  describe("a commit that takes effect after its worker has taken the lease again", () => {
    const cases = [
      { mutant: "the statement as it is", change: (text: string) => text, more: 0 },
      {
        mutant: "a mutant without epoch",
        change: (text: string) => text.replaceAll("t.epoch = c.epoch AND ", ""),
        more: 1,
      },
    ];
    test.each(cases)("changes nothing: $mutant adds $more", async ({ change, more }) => {
      const { open } = opener();
      const stranded = strandedCommit(statement, change);
      const store = open(stranded.rewrite);
      const { place, commitAll } = await begin(store, statement);
      expect(await codeOf(commitAll())).toBe("STORE_WRITE_FAILED");
      await lease(store, "a");
      await stranded.late();
      const other = open();
      expect((await other.getTask(task.id))?.record.lastSeq).toBe(place + more);
    });
  });

  describe("a commit of a lease whose epoch was given again, after a fail-over that lost the sequence's tail,", () => {
    const cases = [
      { mutant: "the statement as it is", from: "", outcome: "LEASE_LOST" },
      { mutant: "a mutant without holder", from: "t.holder = c.holder AND ", outcome: "ok" },
    ];
    test.each(cases)("is refused: $mutant gives $outcome", async ({ from, outcome }) => {
      const { open, schema } = opener();
      const [old, next] = [open((send, text) => send(text.replaceAll(from, ""))), open()];
      const { held, commitAll } = await begin(old, statement);
      await runSql(`ALTER SEQUENCE ${schema}.epoch RESTART WITH ${held.epoch}`);
      await next.acquireLease({ taskId: task.id, worker: "b", ttlMs, now: at(1_000) });
      expect((await lease(next, "b", at(1_000 + ttlMs))).epoch).toBe(held.epoch);
      expect(await codeOf(commitAll())).toBe(outcome);
    });
  });

  describe("a commit that waits for a signal that is being left", () => {
    const cases = [
      { mutant: "the statement as it is", from: "SELECT id, signals FROM t", returned: ["late"] },
      { mutant: "a mutant that reads signals from its snapshot", from: undefined, returned: [] },
    ];
    test.each(cases)("returns it: $mutant returns $returned", async ({ from, returned }) => {
      const { open, schema } = opener();
      const snapshot = `SELECT t.id, s.signals FROM t JOIN "${schema}".task s USING (id)`;
      const store = open((send, text) => send(from ? text : text.replace("SELECT id, signals FROM t", snapshot)));
      const { commitAll } = await begin(store, statement);
      const client = await connect();
      await client.query("BEGIN");
      await client.query(`UPDATE ${schema}.task SET signals = '[{"i": "late", "k": "pause"}]'`);
      const committed = commitAll();
      await untilOneWaits(schema);
      await client.query("COMMIT");
      expect((await committed).signals.map(({ id }) => id)).toEqual(returned);
    });
  });
});

describe("a lease that another process is taking", () => {
  const same = "AND t.epoch = s.epoch AND t.holder IS NOT DISTINCT FROM s.holder";
  const cases = [
    { mutant: "the statement as it is", from: "", taken: false },
    { mutant: "a mutant that does not look again", from: same, taken: true },
  ];
  test.each(cases)("is not given: $mutant gives it: $taken", async ({ from, taken }) => {
    const { open, schema } = opener();
    const store = open((send, text) => send(text.replaceAll(from, "")));
    await store.createTask({ task, reuseResultMs: 0, now: at(1_000) });
    const client = await connect();
    await client.query("BEGIN");
    await client.query(`UPDATE ${schema}.task SET epoch = 77, holder = 'b.other', lease_ttl_ms = 10000`);
    const given = store.acquireLease({ taskId: task.id, worker: "a", ttlMs, now: at(1_000) });
    await untilOneWaits(schema);
    await client.query("COMMIT");
    expect((await given) !== undefined).toBe(taken);
  });
});

/** Where no worker knows that it has a lease of a task, but the server does. */
const unknownLeases = [
  { when: "whose taking took effect before the connection broke", isLate: false },
  { when: "whose taking takes effect after the connection broke", isLate: true },
];

test.each(unknownLeases)("a lease $when is given back with the next heartbeat", async ({ isLate }) => {
  const { open } = opener();
  const taker = await connect();
  let late: (() => Promise<unknown>) | undefined;
  const store = open(async (send, text, name) => {
    if (name !== "acquire" || late !== undefined) return send(text);
    late = () => send(text, taker);
    if (!isLate) await late();
    throw new Error("connection lost");
  });
  await store.createTask({ task, reuseResultMs: 0, now: at(1_000) });
  const request = { taskId: task.id, worker: "a", ttlMs, now: at(1_000) };
  expect(await codeOf(store.acquireLease(request))).toBe("STORE_WRITE_FAILED");
  if (isLate) await late?.();
  expect(await store.acquireLease(request)).toBeUndefined();
  await store.heartbeat({ worker: "a", now: at(2_000) });
  expect((await commit(store, await lease(store, "a"))).record.lastSeq).toBe(2);
});

test("a lease that is being taken is not given back with a heartbeat", async () => {
  const { open } = opener();
  let calls = 0;
  let taken = () => {};
  let answer = () => {};
  const isTaken = new Promise<void>((resolve) => {
    taken = resolve;
  });
  const mayAnswer = new Promise<void>((resolve) => {
    answer = resolve;
  });
  const store = open(async (send, text, name) => {
    if (name !== "acquire") return send(text);
    calls += 1;
    if (calls === 1) throw new Error("connection lost");
    const rows = await send(text);
    taken();
    await mayAnswer;
    return rows;
  });
  await store.createTask({ task, reuseResultMs: 0, now: at(1_000) });
  const request = { taskId: task.id, worker: "a", ttlMs, now: at(1_000) };
  expect(await codeOf(store.acquireLease(request))).toBe("STORE_WRITE_FAILED");
  const second = lease(store, "a");
  await isTaken;
  await store.heartbeat({ worker: "a", now: at(2_000) });
  answer();
  expect((await commit(store, await second)).record.lastSeq).toBe(2);
});

test("a task is not deleted by a lease that another process took over", async () => {
  const { open } = opener();
  const [old, next] = [open(), open()];
  await old.createTask({ task, reuseResultMs: 0, now: at(1_000) });
  const held = await lease(old, "a");
  await next.acquireLease({ taskId: task.id, worker: "b", ttlMs, now: at(1_000) });
  const taken = await lease(next, "b", at(1_000 + ttlMs));
  expect(await codeOf(old.deleteTask(held))).toBe("LEASE_LOST");
  await old.releaseLease(held);
  expect((await commit(next, taken)).record.lastSeq).toBe(2);
});

test("a lease that its worker gave up without reaching the server is given back with the next heartbeat", async () => {
  const { open } = opener();
  let isCut = false;
  const store = open((send, text, name) => {
    if (isCut && (name === "commit" || name === "release")) return Promise.reject(new Error("connection lost"));
    return send(text);
  });
  await store.createTask({ task, reuseResultMs: 0, now: at(1_000) });
  const held = await lease(store, "a");
  isCut = true;
  expect(await codeOf(commit(store, held))).toBe("STORE_WRITE_FAILED");
  expect(await codeOf(store.releaseLease(held))).toBe("STORE_WRITE_FAILED");
  const other = open();
  expect(await other.acquireLease({ taskId: task.id, worker: "b", ttlMs, now: at(1_000) })).toBeUndefined();
  isCut = false;
  await store.heartbeat({ worker: "a", now: at(2_000) });
  expect((await lease(other, "b")).epoch).toBeGreaterThan(held.epoch);
});
