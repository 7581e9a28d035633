import { deepStrictEqual } from "node:assert/strict";
import type { TaskEventBody } from "@resumable-mcp/core/store";
import fc from "fast-check";
import { outcomeOf, type PlainTask, type StoreState, type StoreUnderTest } from "./store-state.js";

const ttlMs = 1_000_000_000;
const maxCommands = 60;

type StoreCommand = fc.AsyncCommand<StoreState, StoreUnderTest>;
/** What a command does to the state and to the store; what both say must be equal. */
type Run = (state: StoreState, real: StoreUnderTest) => Promise<void>;

function command(text: string, run: Run, check: (state: StoreState) => boolean = () => true): StoreCommand {
  return { check, run, toString: () => text };
}

/** A command about one of the tasks that there are. */
function aboutTask(
  text: string,
  at: number,
  run: (task: PlainTask, real: StoreUnderTest, state: StoreState) => Promise<void>,
): StoreCommand {
  const taskOf = ({ tasks }: StoreState) => tasks[at % tasks.length];
  const runOnTask: Run = async (state, real) => {
    const task = taskOf(state);
    if (task !== undefined) await run(task, real, state);
  };
  return command(`${text}(task ${at})`, runOnTask, (state) => taskOf(state) !== undefined);
}

const equal = (actual: unknown, expected: unknown, what: string) => deepStrictEqual(actual, expected, what);

/** The same owner's call of the same key joins its unfinished task. */
const create = (owner: string, key: string | null) =>
  command(`create(${owner}, ${key})`, async ({ tasks }, real) => {
    const id = `model-task-${String(tasks.length).padStart(8, "0")}`;
    const same = tasks.find((task) => key !== null && task.owner === owner && task.key === key && isOpen(task));
    const task = { id, owner, key, tool: "count", toolVersion: "1", input: {}, detached: true, ttlMs: 1_000 };
    const made = await real.store.createTask({ task, reuseResultMs: 0, now: real.now() });
    const outcome = { id: made.snapshot.record.id, created: made.created };
    equal(outcome, { id: same?.id ?? id, created: same === undefined }, "who answers a call");
    if (same !== undefined) return;
    const facts = { seq: 1, progress: 0, items: [], ended: false, deleted: false, requests: new Set<string>() };
    tasks.push({ id, owner, key, ...facts, epoch: undefined, lastEpoch: 0 });
  });

const isOpen = ({ ended, deleted }: PlainTask) => !ended && !deleted;

const acquire = (at: number, worker: string) =>
  aboutTask(`acquire(${worker})`, at, async (task, real) => {
    const asked = real.store.acquireLease({ taskId: task.id, worker, ttlMs, now: real.now() });
    const taken = await asked.catch((error: unknown) => {
      if (!task.deleted) throw error;
    });
    equal(taken !== undefined, !task.deleted && task.epoch === undefined, "whether a lease is given");
    if (taken === undefined) return;
    const { lease } = taken;
    equal(lease.epoch > task.lastEpoch, true, `epoch ${lease.epoch} follows ${task.lastEpoch}`);
    [task.epoch, task.lastEpoch] = [lease.epoch, lease.epoch];
    real.leases.set(task.id, [...(real.leases.get(task.id) ?? []), lease]);
  });

/** How a commit is made. */
interface CommitParts {
  readonly items: readonly number[];
  readonly ends: boolean;
  /** With the lease before the last one. */
  readonly stale: boolean;
  readonly wrongSeq: boolean;
}

const commit = (at: number, { items, ends, stale, wrongSeq }: CommitParts) =>
  aboutTask(
    `commit(${items.length} items${ends ? ", end" : ""}${stale ? ", stale" : ""}${wrongSeq ? ", wrong seq" : ""})`,
    at,
    async (task, real) => {
      const lease = (real.leases.get(task.id) ?? []).at(stale ? -2 : -1);
      if (lease === undefined || task.ended) return;
      const progress = task.progress + 1;
      const checkpoint: TaskEventBody = { type: "checkpoint", progress, total: 1_000, state: { progress }, items };
      const events: readonly TaskEventBody[] = ends ? [checkpoint, { type: "cancelled" }] : [checkpoint];
      const afterSeq = wrongSeq ? task.seq + 1 : task.seq;
      const outcome = await outcomeOf(real.store.commit({ lease, afterSeq, events, consume: [], now: real.now() }));
      const expected = task.deleted
        ? ["TASK_NOT_FOUND", "LEASE_LOST"]
        : [lease.epoch !== task.epoch ? "LEASE_LOST" : wrongSeq ? "SEQ_CONFLICT" : "ok"];
      equal(expected.includes(outcome), true, `a commit gives ${expected.join(" or ")}, not ${outcome}`);
      if (outcome !== "ok") return;
      task.seq += events.length;
      task.progress = progress;
      task.items.push(...items);
      task.ended = ends;
    },
  );

const release = (at: number) =>
  aboutTask("release", at, async (task, real) => {
    const lease = real.leases.get(task.id)?.at(-1);
    if (lease === undefined) return;
    await real.store.releaseLease(lease);
    if (lease.epoch === task.epoch) task.epoch = undefined;
  });

const request = (at: number, kind: "cancel" | "detach") =>
  aboutTask(`request(${kind})`, at, async (task, real) => {
    const outcome = await outcomeOf(real.store.signal(task.id, { kind }));
    equal(outcome, task.deleted ? "TASK_NOT_FOUND" : "ok", "a request");
    if (!task.deleted) task.requests.add(kind);
  });

const remove = (at: number) =>
  aboutTask("delete", at, async (task, real) => {
    const lease = real.leases.get(task.id)?.at(-1);
    if (lease === undefined) return;
    const outcome = await outcomeOf(real.store.deleteTask(lease));
    const expected = task.deleted
      ? ["TASK_NOT_FOUND", "LEASE_LOST"]
      : [lease.epoch === task.epoch ? "ok" : "LEASE_LOST"];
    equal(expected.includes(outcome), true, `deleting gives ${expected.join(" or ")}, not ${outcome}`);
    if (outcome === "ok") Object.assign(task, { deleted: true, epoch: undefined });
  });

const put = (id: string, value: number, wrong: boolean) =>
  command(`put(${id}, ${value}${wrong ? ", wrong version" : ""})`, async ({ documents }, real) => {
    const known = documents.get(id) ?? { value: 0, version: 0 };
    const expectedVersion = wrong ? known.version + 1 : known.version;
    const put = real.store.putDocument({
      kind: "session",
      id,
      owner: "model",
      value,
      expectedVersion,
      now: real.now(),
    });
    const outcome = await outcomeOf(put);
    equal(outcome, wrong ? "DOCUMENT_CONFLICT" : "ok", "putting a document");
    if (outcome !== "ok") return;
    const { version } = await put;
    equal(version > known.version, true, `version ${version} follows ${known.version}`);
    documents.set(id, { value, version });
  });

const forget = (id: string) =>
  command(`forget(${id})`, async ({ documents }, real) => {
    await real.store.deleteDocument("session", id);
    documents.delete(id);
  });

/** All leases end before: those of a process that is dead end only with time. */
const reopen = command("reopen", async (state, real) => {
  for (const task of state.tasks) {
    const lease = real.leases.get(task.id)?.at(-1);
    if (lease !== undefined && task.epoch !== undefined) await real.store.releaseLease(lease);
    task.epoch = undefined;
  }
  await real.reopen();
  await compare(state, real);
});

/** Everything that the store holds is what the state says. */
export async function compare({ tasks, documents }: StoreState, { store }: StoreUnderTest): Promise<void> {
  for (const { id, seq, progress, items, ended, deleted, requests, epoch } of tasks) {
    const found = await store.getTask(id);
    if (deleted) {
      equal(found, undefined, `the deleted task ${id}`);
      continue;
    }
    const seen = {
      seq: found?.record.lastSeq,
      progress: found?.record.progress,
      ended: found?.record.status === "cancelled",
      leased: found?.leased,
      requests: found?.signals.map(({ kind }) => kind).sort(),
    };
    equal(seen, { seq, progress, ended, leased: epoch !== undefined, requests: [...requests].sort() }, `task ${id}`);
    const { events, lastSeq } = await store.readEvents(id, { afterSeq: 0, limit: 1_000 });
    equal(
      { seqs: events.map((event) => event.seq), lastSeq },
      { seqs: Array.from({ length: seq }, (_, at) => at + 1), lastSeq: seq },
      `events of ${id}`,
    );
    equal((await store.readItems(id, { after: 0, limit: 1_000 })).items, items, `items of ${id}`);
  }
  const listed = (await store.listTasks({ limit: 1_000 })).tasks.map(({ id }) => id).sort();
  equal(
    listed,
    tasks
      .filter(({ deleted }) => !deleted)
      .map(({ id }) => id)
      .sort(),
    "the list",
  );
  for (const [id, { value, version }] of documents) {
    const found = await store.getDocument("session", id);
    equal({ value: found?.value, version: found?.version }, { value, version }, `document ${id}`);
  }
}

const task = fc.nat({ max: 7 });
const name = fc.constantFrom("one", "two");

/** Sequences of calls of a store. */
export const storeCommands = fc.commands(
  [
    fc.tuple(fc.constantFrom("client:a", "client:b"), fc.option(name)).map(([owner, key]) => create(owner, key)),
    fc.tuple(task, fc.constantFrom("worker-a", "worker-b")).map(([at, worker]) => acquire(at, worker)),
    ...[1, 2].map(() =>
      fc
        .record({
          at: task,
          items: fc.array(fc.nat({ max: 9 }), { maxLength: 3 }),
          ends: fc.boolean(),
          stale: fc.boolean(),
          wrongSeq: fc.boolean(),
        })
        .map(({ at, ends, ...parts }) => commit(at, { ...parts, ends: ends && parts.items.length === 0 })),
    ),
    task.map(release),
    fc.tuple(task, fc.constantFrom("cancel" as const, "detach" as const)).map(([at, kind]) => request(at, kind)),
    task.map(remove),
    fc.tuple(name, fc.nat(), fc.boolean()).map(([id, value, wrong]) => put(id, value, wrong)),
    name.map(forget),
    fc.constant(reopen),
    fc.constant(command("compare", compare)),
  ],
  { maxCommands, size: "+1" },
);
