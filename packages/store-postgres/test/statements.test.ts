import type { NewTask } from "@resumable-mcp/core/store";
import { afterEach, expect, test } from "vitest";
import { createPostgresStore } from "../src/create-postgres-store.js";
import { newSchema, rewritingPool, runSql } from "./stores.js";

const ends: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

const now = { wallMs: 1_000_000, monotonicMs: 1_000 };
const task = (index: number, key: string | null = null): NewTask => ({
  id: `statement-task-${String(index).padStart(8, "0")}`,
  owner: "client:a",
  tool: "count_words",
  toolVersion: "1",
  key,
  input: {},
  detached: true,
  ttlMs: 1_000,
});

/** A store, and the names of the statements that it sends. */
async function countedStore() {
  const { connectionString, ...options } = newSchema();
  const sent: string[] = [];
  const pool = rewritingPool(connectionString, (send, text, name) => {
    sent.push(name);
    return send(text);
  });
  const store = createPostgresStore({ ...options, pool });
  ends.push(
    () => runSql(`DROP SCHEMA ${options.schema} CASCADE`),
    () => pool.end(),
    () => store.close(),
  );
  await store.open();
  return {
    store,
    /** What was sent for some work. */
    async during(work: () => Promise<unknown>): Promise<readonly string[]> {
      sent.length = 0;
      await work();
      return [...sent].filter((name) => name !== "notify");
    },
  };
}

const acquire = (store: Awaited<ReturnType<typeof countedStore>>["store"], index: number) =>
  store.acquireLease({ taskId: task(index).id, worker: "worker", ttlMs: 10_000, now });

test("a start, a lease and a checkpoint are one statement each, and joining a call is two", async () => {
  const { store, during } = await countedStore();
  const create = (id: number) => store.createTask({ task: task(id, "call"), reuseResultMs: 0, now });
  // The first start of a process counts all tasks.
  expect(await during(() => store.createTask({ task: task(0), reuseResultMs: 0, now }))).toEqual(["held", "create"]);
  expect(await during(() => create(1))).toEqual(["create"]);
  expect(await during(() => create(2))).toEqual(["create", "read"]);
  let lease: Awaited<ReturnType<typeof acquire>>;
  expect(
    await during(async () => {
      lease = await acquire(store, 1);
    }),
  ).toEqual(["acquire"]);
  if (lease === undefined) throw new Error("A new task's lease is free.");
  const commit = { lease: lease.lease, events: [{ type: "checkpoint", progress: 1 }], consume: [], now } as const;
  expect(await during(() => store.commit({ ...commit, afterSeq: 1 }))).toEqual(["commit"]);
  expect(await during(() => store.commit({ ...commit, afterSeq: 2 }))).toEqual(["checkpoint"]);
  expect(await during(() => store.signal(task(1).id, { kind: "pause" }))).toEqual(["signal"]);
  const answer = { kind: "answer", key: "go", answer: { action: "decline" } } as const;
  expect(await during(() => store.signal(task(1).id, answer))).toEqual(["answer"]);
  expect(await during(() => store.heartbeat({ worker: "worker", now }))).toEqual(["beat", "own_leases"]);
  expect(await during(() => store.releaseLease(commit.lease))).toEqual(["release"]);
});

test("commits that share a statement keep every text, and what is absent", async () => {
  const { store, during } = await countedStore();
  const texts = [
    '"',
    "\\",
    "{NULL}",
    "NULL",
    "",
    ",",
    "'",
    "\n",
    "ä€𝄞",
    "\ud800",
    "\u0000",
    '\\"}',
    "x".repeat(100_000),
  ];
  const indexes = texts.map((_, index) => index);
  await Promise.all(indexes.map((index) => store.createTask({ task: task(index), reuseResultMs: 0, now })));
  const leases = await Promise.all(indexes.map((index) => acquire(store, index)));
  // Every other one has an item.
  const itemsOf = (index: number) => (index % 2 === 0 ? undefined : [texts[index] ?? ""]);
  const round = (afterSeq: number) => () =>
    Promise.all(
      leases.flatMap((taken, index) => {
        const event = {
          type: "checkpoint",
          message: texts[index],
          state: texts[index],
          items: itemsOf(index),
        } as const;
        return taken ? [store.commit({ lease: taken.lease, afterSeq, events: [event], consume: [], now })] : [];
      }),
    );
  expect([await during(round(1)), await during(round(2))]).toEqual([["commit_many"], ["checkpoint_many"]]);
  for (const index of indexes) {
    const { events } = await store.readEvents(task(index).id, { afterSeq: 1, limit: 10 });
    const at = new Date(now.wallMs).toISOString();
    const event = { type: "checkpoint", message: texts[index], state: texts[index], items: itemsOf(index), at };
    expect(events).toEqual([
      { ...event, seq: 2 },
      { ...event, seq: 3 },
    ]);
  }
});

test("the checkpoints of a hundred tasks share statements, and so do their readers", async () => {
  const { store, during } = await countedStore();
  const indexes = Array.from({ length: 100 }, (_, index) => index);
  await Promise.all(indexes.map((index) => store.createTask({ task: task(index), reuseResultMs: 0, now })));
  const leases = await Promise.all(indexes.map((index) => acquire(store, index)));
  const round = (afterSeq: number) =>
    Promise.all(
      leases.flatMap((taken) => {
        const events = [{ type: "checkpoint", progress: afterSeq }] as const;
        return taken ? [store.commit({ lease: taken.lease, afterSeq, events, consume: [], now })] : [];
      }),
    );
  expect(await during(() => round(1))).toEqual(["commit_many"]);
  expect(await during(() => round(2))).toEqual(["checkpoint_many"]);
  expect(await during(() => Promise.all(indexes.map((index) => store.getTask(task(index).id))))).toEqual(["read"]);
  expect((await store.getTask(task(99).id))?.record.progress).toBe(2);
});

test("a reading gives only what is behind the last commit that was known: of a creation, a commit, or a reading", async () => {
  const { connectionString, ...options } = newSchema();
  const read: unknown[] = [];
  const pool = rewritingPool(connectionString, async (send, text, name) => {
    const result = await send(text);
    if (name === "read") {
      const rows = Reflect.get(Object(result), "rows") as { known_seq: number; bodies: string[] | null }[];
      read.push(...rows.map(({ known_seq, bodies }) => [known_seq, bodies?.length ?? 0]));
    }
    return result;
  });
  const [watched, other] = [
    createPostgresStore({ ...options, pool }),
    createPostgresStore({ ...options, connectionString }),
  ];
  ends.push(
    () => runSql(`DROP SCHEMA ${options.schema} CASCADE`),
    () => pool.end(),
    () => watched.close(),
    () => other.close(),
  );
  const { id } = task(1);
  await watched.createTask({ task: task(1), reuseResultMs: 0, now });
  await watched.getTask(id);
  const commitBy = async (store: typeof other, afterSeq: number, text: string) => {
    const taken = await store.acquireLease({ taskId: id, worker: `w${afterSeq}`, ttlMs: 10_000, now });
    if (taken === undefined) throw new Error("The lease is free.");
    const events = [{ type: "checkpoint", progress: afterSeq, state: text, items: [text, text] }] as const;
    await store.commit({ lease: taken.lease, afterSeq, events, consume: [], now });
    await store.releaseLease(taken.lease);
  };
  await commitBy(other, 1, "Grüße 👋");
  await watched.getTask(id);
  await watched.getTask(id);
  await commitBy(watched, 2, "ends with 👋".repeat(5_000));
  await watched.getTask(id);
  await commitBy(other, 3, "\\");
  await watched.getTask(id);
  await watched.getTask(id);
  expect(read).toEqual([
    [1, 0],
    [1, 1],
    [2, 0],
    [3, 0],
    [3, 1],
    [4, 0],
  ]);
});
