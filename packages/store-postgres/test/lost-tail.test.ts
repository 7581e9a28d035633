import type { Store } from "@resumable-mcp/core";
import type { Instant, NewTask } from "@resumable-mcp/core/store";
import { afterEach, expect, test } from "vitest";
import { createPostgresStore } from "../src/create-postgres-store.js";
import { newSchema, runSql } from "./stores.js";

const ends: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

const tables = ["task", "journal", "snapshot", "answer", "document"] as const;
const sequences = ["epoch", "claim"] as const;
const task: NewTask = {
  id: "lost-tail-task-0001",
  owner: "client:a",
  tool: "count_words",
  toolVersion: "1",
  key: null,
  input: {},
  detached: true,
  ttlMs: 1_000,
};
const at = (ms: number): Instant => ({ wallMs: 1_000_000 + ms, monotonicMs: ms });

/** A schema of which an earlier moment can be brought back, as a fail-over to an asynchronous standby does. */
function openSchema() {
  const options = newSchema();
  const { schema } = options;
  ends.push(() => runSql(`DROP SCHEMA IF EXISTS ${schema} CASCADE`));
  return {
    open(): Store {
      const store = createPostgresStore(options);
      ends.push(() => store.close());
      return store;
    },
    async remember() {
      for (const table of tables) await runSql(`CREATE TABLE ${schema}.old_${table} AS TABLE ${schema}.${table}`);
      for (const name of sequences) await runSql(`CREATE TABLE ${schema}.old_${name} AS TABLE ${schema}.${name}`);
    },
    /** The numbers that sequences gave since then are given once more. */
    async loseTail() {
      for (const table of tables) {
        await runSql(`DELETE FROM ${schema}.${table}; INSERT INTO ${schema}.${table} TABLE ${schema}.old_${table}`);
      }
      for (const name of sequences) {
        await runSql(`SELECT setval('${schema}.${name}', last_value, is_called) FROM ${schema}.old_${name}`);
      }
    },
  };
}

/** Takes the task's lease and commits checkpoints by the name of a worker, one commit each. */
async function work(store: Store, worker: string, { from, states }: { from: number; states: readonly number[] }) {
  const taken = await store.acquireLease({ taskId: task.id, worker, ttlMs: 10, now: at(from) });
  if (taken === undefined) throw new Error(`The lease is free for ${worker}.`);
  for (const [index, state] of states.entries()) {
    const afterSeq = taken.snapshot.record.lastSeq + index;
    const events = [{ type: "checkpoint", state: { worker, state } }] as const;
    await store.commit({ lease: taken.lease, afterSeq, events, consume: [], now: at(from + index) });
  }
  await store.releaseLease(taken.lease);
  return taken.lease.epoch;
}

const seen = async (store: Store) => {
  const snapshot = await store.getTask(task.id);
  return snapshot && [snapshot.record.lastSeq, snapshot.record.state];
};

test("a process that has read events which a fail-over lost shows the new history, at each length of it (G5)", async () => {
  const { open, remember, loseTail } = openSchema();
  const [reader, waiting, before, after] = [open(), open(), open(), open()];
  await before.createTask({ task, reuseResultMs: 0, now: at(0) });
  await remember();
  const epoch = await work(before, "before", { from: 10, states: [1, 2, 3] });
  const lost = [4, { worker: "before", state: 3 }];
  expect([await seen(reader), await seen(waiting)]).toEqual([lost, lost]);
  await loseTail();
  const states: unknown[] = [await seen(reader)];
  for (const state of [1, 2, 3, 4]) {
    const again = await work(after, "after", { from: 1_000 * state, states: [state] });
    if (state === 1) expect(again).toBe(epoch);
    states.push(await seen(reader));
  }
  const shown = [1, 2, 3, 4].map((state) => [state + 1, { worker: "after", state }]);
  expect(states).toEqual([[1, undefined], ...shown]);
  // One that did not look in between finds a history longer than the one it knows, and one that takes the lease, too.
  expect(await seen(waiting)).toEqual([5, { worker: "after", state: 4 }]);
  const taken = await before.acquireLease({ taskId: task.id, worker: "again", ttlMs: 10, now: at(9_000) });
  expect(taken?.snapshot.record.state).toEqual({ worker: "after", state: 4 });
});

test("a task that a fail-over lost, and that its call makes again under the same id, is the new one (G5)", async () => {
  const { open, remember, loseTail } = openSchema();
  const [reader, before, after] = [open(), open(), open()];
  await before.open();
  await remember();
  await before.createTask({ task, reuseResultMs: 0, now: at(0) });
  await work(before, "before", { from: 10, states: [1] });
  expect(await seen(reader)).toEqual([2, { worker: "before", state: 1 }]);
  await loseTail();
  expect(await seen(reader)).toBeUndefined();
  await after.createTask({ task: { ...task, input: { n: 2 } }, reuseResultMs: 0, now: at(1_000) });
  await work(after, "after", { from: 1_010, states: [7] });
  for (const store of [reader, before]) {
    expect((await store.getTask(task.id))?.record).toMatchObject({
      input: { n: 2 },
      state: { worker: "after", state: 7 },
    });
  }
});

test("a lease of which a fail-over lost that it was given back is given back again", async () => {
  const { open, remember, loseTail } = openSchema();
  const [before, after] = [open(), open()];
  await before.createTask({ task, reuseResultMs: 0, now: at(0) });
  const taken = await before.acquireLease({ taskId: task.id, worker: "before", ttlMs: 10, now: at(0) });
  if (taken === undefined) throw new Error("The lease is free for the first worker.");
  await remember();
  await before.releaseLease(taken.lease);
  await loseTail();
  const take = () => after.acquireLease({ taskId: task.id, worker: "after", ttlMs: 3_600_000, now: at(1) });
  expect(await take()).toBeUndefined();
  await before.heartbeat({ worker: "before", now: at(1) });
  expect(await take()).toMatchObject({ lease: { worker: "after" } });
});

test("a process does not take what others made of a document since a fail-over for what it had put itself", async () => {
  const { open, remember, loseTail } = openSchema();
  const [before, after] = [open(), open()];
  const put = async (store: Store, expectedVersion: number, value: string) => {
    const document = { kind: "session", id: "one", owner: "client:a", value, expectedVersion, now: at(0) };
    return (await store.putDocument(document)).version;
  };
  const first = await put(before, 0, "first");
  await remember();
  let known = first;
  for (let times = 0; times < 3; times += 1) known = await put(before, known, "lost");
  await loseTail();
  let left = first;
  for (let times = 0; times < 3; times += 1) {
    left = await put(after, left, "of the other");
    const overwritten = put(before, known, "of the first again");
    await expect(overwritten).rejects.toMatchObject({ code: "DOCUMENT_CONFLICT" });
  }
  expect((await before.getDocument("session", "one"))?.value).toBe("of the other");
});
