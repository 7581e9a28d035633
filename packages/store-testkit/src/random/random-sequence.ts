import type { Store } from "@resumable-mcp/core";
import type { Lease, Signal } from "@resumable-mcp/core/store";
import { ClauseBroken, expectEqual, expectThat, findOutcome } from "../expect.js";
import { foldJournal, readAllItems, readJournal } from "../read-journal.js";
import { defineClauses, reuseResultMs, type Scene, ttlMs } from "../scene.js";
import { createRandomSource, type RandomSource, randomEvents, randomSignal, randomTaskParts } from "./random-input.js";
import { afterCommit, afterSignal, judgeCommit, type ModelTask, readItems, standIn, toRecord } from "./store-model.js";

const stepsBetweenChecks = 25;
const stepsBetweenDocuments = 4;
const kind = "random";
const documentIds = ["one", "two"];

/** A run of random calls, and the model next to it. */
interface Run {
  readonly scene: Scene;
  readonly random: RandomSource;
  readonly model: Map<string, ModelTask>;
  /** Every lease that was ever given out. */
  readonly leases: Lease[];
  /** Leases that ended with their process: no worker is left that could use them. */
  readonly buried: Set<Lease>;
  readonly deleted: string[];
  readonly documents: Map<string, { readonly value: number; readonly version: number }>;
  store: Store;
  /** Deaths so far: workers of different lives have different names. */
  deaths: number;
  claims: number;
}

/** Makes random calls and compares their outcomes, and now and then everything, with the model. */
export async function runRandomSequence(scene: Scene, options: { steps: number; crashes: boolean }): Promise<void> {
  const random = createRandomSource(scene.seed);
  const run: Run = {
    scene,
    random,
    model: new Map(),
    leases: [],
    buried: new Set(),
    deleted: [],
    documents: new Map(),
    store: scene.store,
    deaths: 0,
    claims: 0,
  };
  const often = [create, acquire, commit, commit, signal].flatMap((act) => [act, act]);
  const actions = [...often, release, remove, wait];
  const trace: string[] = [];
  try {
    // From choices of their own: the tasks of a seed are the same with and without documents.
    const changeDocument = documentChanges(scene, createRandomSource(scene.seed + 1));
    for (let step = 1; step <= options.steps; step++) {
      const act = options.crashes && random.percent(4) ? crash : (random.pick(actions) ?? create);
      trace.push(act.name);
      await act(run);
      if (step % stepsBetweenDocuments === 0) await changeDocument(run);
      if (step % stepsBetweenChecks === 0 || step === options.steps) await compareAll(run);
    }
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const last = trace.slice(-8).join(", ");
    throw new ClauseBroken(`seed ${scene.seed}, step ${trace.length} (… ${last}): ${reason}`, { cause: error });
  }
}

async function create(run: Run): Promise<void> {
  const { scene, random, model, store } = run;
  const task = scene.newTask(randomTaskParts(random));
  const now = scene.clock.now();
  const acceptedMs = random.percent(20) ? now.wallMs - random.below(ttlMs) : undefined;
  const request = { task, reuseResultMs, acceptedMs, now };
  const expected = standIn(model, request);
  const made = await store.createTask(request);
  const outcome = { id: made.snapshot.record.id, created: made.created };
  expectEqual(outcome, { id: expected ?? task.id, created: expected === undefined }, "createTask");
  if (expected !== undefined) return;
  const at = new Date(now.wallMs).toISOString();
  const events = [{ type: "created", task, seq: 1, at } as const];
  run.claims += 1;
  model.set(task.id, { task, events, signals: [], answered: [], lease: undefined, claim: run.claims });
}

async function acquire(run: Run): Promise<void> {
  const task = run.random.pick([...run.model.values()]);
  if (task === undefined) return;
  const worker = `worker-${run.deaths}-${run.random.below(2)}`;
  const lease = await run.scene.tryLease(task.task.id, { store: run.store, worker });
  expectEqual(lease !== undefined, task.lease === undefined, "a lease is given");
  if (lease === undefined) return;
  const epochs = run.leases.filter(({ taskId }) => taskId === lease.taskId).map(({ epoch }) => epoch);
  const isHigher = epochs.every((epoch) => epoch < lease.epoch);
  expectThat(isHigher, `epoch ${lease.epoch} is higher than ${epochs}`);
  run.leases.push(lease);
  run.model.set(lease.taskId, { ...task, lease });
}

/** Mostly a lease that is held; now and then one that is not any more. */
function someLease(run: Run): Lease | undefined {
  const held = [...run.model.values()].flatMap(({ lease }) => (lease === undefined ? [] : [lease]));
  return run.random.percent(85)
    ? run.random.pick(held)
    : run.random.pick(run.leases.filter((each) => !run.buried.has(each)));
}

async function commit(run: Run): Promise<void> {
  const lease = someLease(run);
  if (lease === undefined) return;
  const { random, model, store } = run;
  const task = model.get(lease.taskId);
  const lastSeq = task?.events.length ?? 1;
  const isHeld = task?.lease?.epoch === lease.epoch;
  const afterSeq = isHeld && random.percent(15) ? lastSeq + 1 - random.below(2) * 2 : lastSeq;
  const events = task === undefined ? [] : randomEvents(random, toRecord(task));
  const pending = (await store.getTask(lease.taskId))?.signals ?? [];
  const consumed = pending.filter(() => random.percent(40));
  const now = run.scene.clock.now();
  const request = { lease, afterSeq, events, consume: consumed.map(({ id }) => id), now };
  const expected: readonly string[] = judgeCommit(model, lease, afterSeq, events);
  const outcome = await findOutcome(store.commit(request));
  expectThat(expected.includes(outcome), `the commit gives ${expected.join(" or ")}, not ${outcome}`);
  if (outcome !== "ok" || task === undefined) return;
  const kept = task.signals.filter((_, index) => !consumed.some((signal) => signal === pending[index]));
  run.claims += 1;
  model.set(lease.taskId, afterCommit(task, events, kept, now, run.claims));
}

async function signal(run: Run): Promise<void> {
  const task = run.random.pick([...run.model.values()]);
  if (task === undefined) return;
  const request = randomSignal(run.random);
  const after = afterSignal(task, request);
  const outcome = await findOutcome(run.store.signal(task.task.id, request));
  expectEqual(outcome, after === undefined ? "ALREADY_ANSWERED" : "ok", `a signal ${request.kind}`);
  if (after !== undefined) run.model.set(task.task.id, after);
}

async function release(run: Run): Promise<void> {
  const lease = someLease(run);
  if (lease === undefined) return;
  await run.store.releaseLease(lease);
  const task = run.model.get(lease.taskId);
  if (task?.lease?.epoch === lease.epoch) run.model.set(lease.taskId, { ...task, lease: undefined });
}

async function remove(run: Run): Promise<void> {
  const lease = someLease(run);
  if (lease === undefined || run.random.percent(60)) return;
  const lastSeq = run.model.get(lease.taskId)?.events.length ?? 0;
  const expected: readonly string[] = judgeCommit(run.model, lease, lastSeq, []);
  const outcome = await findOutcome(run.store.deleteTask(lease));
  expectThat(expected.includes(outcome), `deleting gives ${expected.join(" or ")}, not ${outcome}`);
  if (outcome !== "ok") return;
  run.model.delete(lease.taskId);
  run.deleted.push(lease.taskId);
}

/** Changes a document, mostly from the version that it has, or deletes it. */
function documentChanges(scene: Scene, random: RandomSource): (run: Run) => Promise<void> {
  return async ({ documents, store }) => {
    const id = random.pick(documentIds) ?? "one";
    if (random.percent(20)) {
      await store.deleteDocument(kind, id);
      documents.delete(id);
      return;
    }
    const { version } = documents.get(id) ?? { version: 0 };
    const isWrong = random.percent(25);
    const value = random.below(1_000);
    const expectedVersion = isWrong ? version + 1 : version;
    const put = store.putDocument({ kind, id, owner: "client:a", value, expectedVersion, now: scene.clock.now() });
    expectEqual(await findOutcome(put), isWrong ? "DOCUMENT_CONFLICT" : "ok", "putting a document");
    if (isWrong) return;
    const next = (await put).version;
    expectThat(next > version, `version ${next} follows ${version}`);
    documents.set(id, { value, version: next });
  };
}

async function wait(run: Run): Promise<void> {
  run.scene.clock.advance(run.random.below(ttlMs / 2));
  for (const worker of [0, 1]) {
    const name = `worker-${run.deaths}-${worker}`;
    await run.store.heartbeat({ worker: name, now: run.scene.clock.now() });
  }
}

async function crash(run: Run): Promise<void> {
  run.store = await run.scene.another("reopen", run.store);
  run.deaths += 1;
  const look = () => run.store.listRunnable({ tools: ["count_words"], now: run.scene.clock.now(), limit: 1_000 });
  await look();
  run.scene.clock.advance(ttlMs + 1);
  await look();
  for (const [id, task] of run.model) {
    if (task.lease !== undefined) run.buried.add(task.lease);
    run.model.set(id, { ...task, lease: undefined });
  }
}

async function compareAll({ model, store, deleted, documents }: Run): Promise<void> {
  for (const [id, task] of model) {
    const snapshot = await store.getTask(id);
    const requests = snapshot?.signals.map(requestOf);
    const expected = { record: toRecord(task), requests: task.signals, leased: task.lease !== undefined };
    expectEqual({ record: snapshot?.record, requests, leased: snapshot?.leased }, expected, `task ${id}`);
    expectEqual(foldJournal(await readJournal(store, id)), expected.record, `the fold of ${id}`);
    expectEqual(await readAllItems(store, id), readItems(task), `items of ${id}`);
  }
  for (const id of deleted) expectEqual(await store.getTask(id), undefined, `deleted task ${id}`);
  for (const id of documentIds) {
    const found = await store.getDocument(kind, id);
    const seen = found && { value: found.value, version: found.version };
    expectEqual(seen, documents.get(id), `document ${id}`);
  }
  const { tasks } = await store.listTasks({ limit: 1_000 });
  expectEqual(tasks.map(({ id }) => id).sort(), [...model.keys()].sort(), "the list");
}

function requestOf({ id: _, ...request }: Signal): unknown {
  return request;
}

/** Sequences that no author thought of. */
export const randomClauses = defineClauses({
  "RANDOM-1": {
    title: "does the same as a simple model in random sequences of calls",
    because: "The clauses above are what people thought of; stores break in between.",
    check: (scene) => runRandomSequence(scene, { steps: 250, crashes: false }),
  },
  "RANDOM-2": {
    title: "does the same as a simple model in random sequences of calls with crashes between them",
    because: "What a store has on its disk is all that it has after a crash.",
    needs: "reopen",
    check: (scene) => runRandomSequence(scene, { steps: 150, crashes: true }),
  },
});
