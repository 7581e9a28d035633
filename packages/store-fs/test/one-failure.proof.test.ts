import { isResumableError, type Json, type Store } from "@resumable-mcp/core";
import type { Lease } from "@resumable-mcp/core/store";
import { expect, test } from "vitest";
import { type Failure, failingDisk, isChange } from "./failing-disk.js";
import { checkpoint, commit, create, emptyFolder, lease, newTask, now, openStore } from "./scene.js";

/** Small enough for the journal to rotate and to be compacted within one life. */
const limits = { rotateBytes: 300, maxJournalFiles: 2, keepJournalFiles: 1, documentPauseMs: 0 };
const checkpoints = 8;
const id = newTask("task").id;
const secondId = newTask("second").id;
const session = { kind: "session", id: "session", owner: "client:test", now };

/** What was acknowledged to callers. */
interface Acknowledged {
  /** Leases that were given and not given back. */
  readonly held: Lease[];
  created?: boolean;
  lastSeq?: number;
  answered?: boolean;
  finished?: boolean;
  deleted?: boolean;
  session?: Json;
}

/** A bit of everything that a store does. A failure is acknowledged to no caller. */
async function live(store: Store, known: Acknowledged): Promise<void> {
  await store.heartbeat({ worker: "worker-a", now });
  await store.createTask({ task: newTask("task", { key: "call" }), reuseResultMs: 0, now });
  known.created = true;
  const held = await take(store, id, known);
  const asked = [{ type: "asked", key: "go", question: { message: "?", schema: {} } }] as const;
  let seq = (await commit(store, held, 1, asked)).lastSeq;
  await store.signal(id, { kind: "answer", key: "go", answer: { action: "decline" } });
  known.answered = true;
  const signals = ((await store.getTask(id))?.signals ?? []).map((signal) => signal.id);
  seq = (await commit(store, held, seq, [{ type: "answered", key: "go", answer: { action: "decline" } }], signals))
    .lastSeq;
  known.lastSeq = seq;
  for (let index = 0; index < checkpoints; index += 1) {
    seq = (await commit(store, held, seq, [checkpoint(index, [`${index} ${"x".repeat(100)}`])])).lastSeq;
    known.lastSeq = seq;
  }
  await commit(store, held, seq, [{ type: "completed", output: 1 }]);
  known.finished = true;
  await store.releaseLease(held);
  await shortLife(store, known);
}

async function take(store: Store, taskId: string, known: Acknowledged): Promise<Lease> {
  const held = await lease(store, taskId);
  known.held.push(held);
  return held;
}

/** A second task, which fails, begins again and is deleted; a session; and the lists. */
async function shortLife(store: Store, known: Acknowledged): Promise<void> {
  await create(store, "second", { key: "other call" });
  const held = await take(store, secondId, known);
  const failed = { type: "failed", error: { code: "TOOL_FAILED", message: "no" } } as const;
  await commit(store, held, 1, [failed]);
  await commit(store, held, 2, [{ type: "restarted", generation: 2, fromState: true }]);
  await commit(store, held, 3, [failed]);
  await store.deleteTask(held);
  known.deleted = true;
  for (const value of ["first", "second"]) {
    const { version = 0 } = (await store.getDocument("session", "session")) ?? {};
    await store.putDocument({ ...session, value, expectedVersion: version });
    known.session = value;
  }
  await store.listExpired({ now, limit: 10 });
  await store.listRunnable({ tools: ["count_words"], now, limit: 10 });
}

async function expectKept(store: Store, known: Acknowledged, where: string): Promise<void> {
  const snapshot = await store.getTask(id);
  if (known.created) expect(snapshot, where).toBeDefined();
  expect(snapshot?.record.lastSeq ?? 0, where).toBeGreaterThanOrEqual(known.lastSeq ?? 0);
  if (known.finished) expect(snapshot?.record.status, where).toBe("completed");
  const isKept = snapshot?.signals.some((signal) => signal.kind === "answer");
  if (known.answered) expect(isKept || snapshot?.record.remembered.go?.kind === "answer", where).toBe(true);
  if (known.deleted) expect(await store.getTask(secondId), where).toBeUndefined();
  if (known.session === "second") expect((await store.getDocument("session", "session"))?.value, where).toBe("second");
}

/** Whatever failed, the task can be finished afterwards by the next worker, and is listed once. */
async function expectFinishable(store: Store, where: string): Promise<void> {
  const { snapshot } = await store.createTask({ task: newTask("task", { key: "call" }), reuseResultMs: 60_000, now });
  let { lastSeq, itemCount } = snapshot.record;
  if (snapshot.record.status !== "completed") {
    const taken = await store.acquireLease({ taskId: id, worker: "worker-b", ttlMs: 10_000, now });
    expect(taken, `${where}: the lease is free`).toBeDefined();
    if (taken === undefined) return;
    ({ lastSeq, itemCount } = taken.snapshot.record);
    for (; itemCount < checkpoints; itemCount += 1) {
      const next = [checkpoint(itemCount, [`${itemCount} ${"x".repeat(100)}`])];
      lastSeq = (await commit(store, taken.lease, lastSeq, next)).lastSeq;
    }
    await commit(store, taken.lease, lastSeq, [{ type: "completed", output: 1 }]);
    await store.releaseLease(taken.lease);
  }
  const { items } = await store.readItems(id, { after: 0, limit: 100 });
  const wanted = Array.from({ length: checkpoints }, (_, index) => `${index} ${"x".repeat(100)}`);
  expect(items, where).toEqual(wanted);
  const listed = (await store.listTasks({ limit: 10 })).tasks.filter((task) => task.id === id);
  expect(
    listed.map((task) => task.status),
    where,
  ).toEqual(["completed"]);
}

/** Fails the nth operation of those that count, and remembers which it was. */
function failNth(nth: number, failure: Failure, counts: (operation: string) => boolean) {
  let count = 0;
  const state: { hit?: string; over: boolean } = { over: false };
  const disk = failingDisk((operation, path) => {
    if (state.over || !counts(operation)) return undefined;
    count += 1;
    if (count !== nth) return undefined;
    state.hit = `${nth}: ${operation} ${path}`;
    return failure;
  });
  return { disk, state };
}

const codes = ["STORE_WRITE_FAILED", "STORE_READ_FAILED", "LEASE_LOST"] as const;

/** One life in which one operation fails. Resolves to false when there are fewer operations than that. */
async function endure(
  nth: number,
  failure: Failure,
  durability: "process" | "machine",
  counts: (operation: string) => boolean,
): Promise<boolean> {
  const directory = emptyFolder();
  const { disk, state } = failNth(nth, failure, counts);
  const known: Acknowledged = { held: [] };
  const store = openStore(directory, { durability, limits, disk });
  const error: unknown = await live(store, known).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  const where = `${failure} at ${state.hit}`;
  const isTyped = codes.some((code) => isResumableError(error, code));
  expect(error === undefined || isTyped, `${where}: ${String(error)}`).toBe(true);
  // What is under way in the background may still meet the failure; what comes from here on must not.
  state.over = true;
  // As an engine does. What it was never given, it cannot give back.
  for (const held of known.held) await store.releaseLease(held);
  await expectKept(store, known, where);
  await expectFinishable(store, `${where}, in the same store`);
  await store.close();
  expect(disk.openFiles(), where).toEqual([]);
  const other = openStore(directory, { durability, limits });
  await expectKept(other, known, where);
  await expectFinishable(other, `${where}, in another store`);
  await other.close();
  return state.hit !== undefined;
}

const isSync = (operation: string) => operation === "fdatasync" || operation === "fsync";
const isOpening = (operation: string) => operation.startsWith("open") || operation === "scandir";

test.each([
  ["any one operation fails with EIO", "EIO", "process", () => true],
  ["any one sync fails with EIO", "EIO", "machine", isSync],
  ["no descriptor is left for any one operation (EMFILE)", "EMFILE", "process", isOpening],
  ["any one change is forbidden (EACCES)", "EACCES", "process", isChange],
  ["the disk is full for any one change (ENOSPC)", "ENOSPC", "process", isChange],
  ["the disk is full in the midst of any one write", "short", "process", (operation: string) => operation === "write"],
] as const)(
  "what was acknowledged is kept when %s, and the same store continues (G12)",
  async (_, failure, durability, counts) => {
    let nth = 1;
    while (await endure(nth, failure, durability, counts)) nth += 1;
    expect(nth).toBeGreaterThan(10);
  },
);
