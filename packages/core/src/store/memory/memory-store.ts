import { isolate } from "../../json.js";
import { type StoreQuotas, storeQuotaDefaults, withDefaults } from "../../limits.js";
import { reduceTask } from "../../task/reduce-task.js";
import { isFinal, type TaskSnapshot } from "../../task/task-record.js";
import { isContinuable, isReusable } from "../../task/task-rules.js";
import { contractVersion, type Store } from "../store.js";
import { documentConflict, groupFull, keyTaken, seqConflict, storeClosed } from "../store-errors.js";
import { checkJournalQuotas, checkStoreQuotas } from "../store-quotas.js";
import { Memory, type MemoryTask, type Watcher } from "./memory.js";
import { addSignal, append, beginTask, compact, numbered, readEvents, readItems } from "./memory-journal.js";
import { Leases } from "./memory-leases.js";
import { countTasks, listExpired, listRunnable, listTasks } from "./memory-lists.js";

/** A store in memory, and what tests need to play the death of its process. */
export interface MemoryStore extends Store {
  /** Opens the same data as another process does: with its own view of time and its own workers. */
  anotherProcess(): MemoryStore;
  /**
   * Ends this store's process as `SIGKILL` would: calls on it never resolve any more, and it gives nothing back.
   *
   * Others on the same data learn of it at once when `noticed`, else when the heartbeats of its workers have stood
   * still for a lease's `ttlMs` of their own monotonic clock.
   */
  kill(request: { readonly noticed: boolean }): void;
}

/**
 * Creates a store that keeps everything in memory: for tests, and for servers that need no durability.
 *
 * What it returns is frozen. It never reads a clock.
 *
 * Durability: none; what it holds ends with the process.
 * Limits: a journal longer than `maxEvents` (default 10000) is compacted to half of that; items are kept. `quotas` as
 * {@link storeQuotaDefaults}, but without a default for bytes, which are counted only where a quota is set.
 *
 * @example
 * ```ts
 * const store = createMemoryStore();
 * // … an engine on `store` runs a task …
 * store.kill({ noticed: true });
 * const engine = createEngine({ store: store.anotherProcess(), tools });
 * ```
 */
export function createMemoryStore(
  options: { readonly maxEvents?: number; readonly quotas?: Partial<StoreQuotas> } = {},
): MemoryStore {
  const defaults = { ...storeQuotaDefaults, maxJournalBytes: Number.POSITIVE_INFINITY };
  const quotas = withDefaults<StoreQuotas>(defaults, options.quotas);
  return openMemoryStore(new Memory(options.maxEvents ?? 10_000, quotas));
}

function openMemoryStore(memory: Memory): MemoryStore {
  const leases = new Leases(memory);
  const watchers = new Set<Watcher>();
  let state: "open" | "closed" | "killed" = "open";

  const leave = (last: "closed" | "killed", releases: boolean) => {
    if (state !== "open") return;
    state = last;
    for (const watcher of watchers) memory.watchers.delete(watcher);
    const freed = releases ? leases.giveUp() : [];
    for (const taskId of freed) memory.wake(taskId, "runnable");
  };
  const whenOpen: Guard =
    (method) =>
    async (...parameters) => {
      // No caller is left that could receive an answer.
      if (state === "killed") return new Promise<never>(() => {});
      if (state === "closed") throw storeClosed();
      return method(...parameters);
    };
  return {
    contractVersion,
    capabilities: Object.freeze({ durability: "none", shared: false }),
    open: whenOpen(() => {}),
    ...taskMethods(memory, leases, whenOpen),
    ...leaseMethods(memory, leases, whenOpen),
    ...readMethods(memory, leases, whenOpen),
    ...documentMethods(memory, whenOpen),
    watch(taskId, call) {
      if (state === "closed") throw storeClosed();
      const watcher: Watcher = { taskId, wake: call };
      if (state === "open") {
        watchers.add(watcher);
        memory.watchers.add(watcher);
      }
      return () => {
        watchers.delete(watcher);
        memory.watchers.delete(watcher);
      };
    },
    async close() {
      leave("closed", true);
    },
    anotherProcess: () => openMemoryStore(memory),
    kill: ({ noticed }) => leave("killed", noticed),
  };
}

/** Turns a method that answers at once into one that asks first whether the store is open. */
type Guard = <Parameters extends readonly unknown[], Result>(
  method: (...parameters: Parameters) => Result,
) => (...parameters: Parameters) => Promise<Result>;

function snapshotOf(leases: Leases, task: MemoryTask): TaskSnapshot {
  return Object.freeze({ record: task.record, signals: task.signals, leased: leases.isLeased(task) });
}

function taskMethods(memory: Memory, leases: Leases, whenOpen: Guard) {
  return {
    createTask: whenOpen((request) => {
      const { task, continueFailed = false, maxUnfinished, now } = request;
      leases.look(now);
      const present = memory.tasks.get(task.id) ?? memory.newestClaim(task);
      const snapshot = present && snapshotOf(leases, present);
      const continues = continueFailed && snapshot !== undefined && isContinuable(snapshot.record);
      if (snapshot !== undefined && (continues || isTaskOfCall(snapshot, request))) {
        return { snapshot, created: false };
      }
      checkStoreQuotas(memory.quotas, { tasks: memory.tasks.size, bytes: memory.bytes });
      memory.checkUnfinished(task.owner, maxUnfinished);
      const made = beginTask(task, now);
      made.bytes = memory.bytesOf(made.events);
      memory.tasks.set(task.id, made);
      memory.claim(made.record);
      memory.wake(task.id, "runnable");
      return { snapshot: snapshotOf(leases, made), created: true };
    }),
    commit: whenOpen(({ lease, afterSeq, events: bodies, consume, maxUnfinished, now }) => {
      leases.look(now);
      const task = memory.requireHolder(lease);
      if (task.record.lastSeq !== afterSeq) throw seqConflict(lease.taskId, afterSeq, task.record.lastSeq);
      const events = numbered(bodies, afterSeq, now);
      const record = reduceTask(task.record, events);
      const bytes = task.bytes + memory.bytesOf(events);
      checkJournalQuotas(memory.quotas, record.id, bodies, { events: record.lastSeq, bytes });
      if (isFinal(task.record.status) && !isFinal(record.status)) {
        const rival = memory.rivalOf(record);
        if (rival !== undefined) throw keyTaken(record.id, rival.record.id);
        memory.checkUnfinished(record.owner, maxUnfinished);
        memory.claim(record);
      }
      append(task, events, record);
      task.bytes = bytes;
      compact(task, memory.maxEvents);
      task.signals = Object.freeze(task.signals.filter(({ id }) => !consume.includes(id)));
      memory.wake(record.id, "progress");
      return { record: task.record, signals: task.signals };
    }),
    putChunk: whenOpen(({ lease, artifact, index, bytes, keep }) => {
      const { chunks } = memory.requireHolder(lease);
      if (index === 0) for (const other of chunks.keys()) if (!keep.includes(other)) chunks.delete(other);
      chunks.set(artifact, [...(chunks.get(artifact) ?? []), bytes.slice()]);
    }),
    signal: whenOpen((id, signal) => {
      memory.lastSignal += 1;
      addSignal(memory.require(id), signal, String(memory.lastSignal));
      memory.wake(id, "runnable");
    }),
    deleteTask: whenOpen((lease) => {
      const task = memory.requireHolder(lease);
      memory.tasks.delete(lease.taskId);
      memory.claim(task.record, false);
      memory.wake(lease.taskId, "progress");
    }),
  } satisfies Partial<Store>;
}

function isTaskOfCall(snapshot: TaskSnapshot, request: Parameters<Store["createTask"]>[0]): boolean {
  const { record } = snapshot;
  return record.id === request.task.id || !isFinal(record.status) || isReusable(snapshot, request, request.now.wallMs);
}

function leaseMethods(memory: Memory, leases: Leases, whenOpen: Guard) {
  return {
    acquireLease: whenOpen(({ taskId, worker, ttlMs, now }) => {
      leases.look(now);
      const task = memory.require(taskId);
      if (leases.isLeased(task)) return undefined;
      const lease = leases.take(task, worker, ttlMs, now);
      return { lease, snapshot: snapshotOf(leases, task) };
    }),
    heartbeat: whenOpen(({ worker, now, offers }) => leases.heartbeat(worker, now, offers)),
    listOffers: whenOpen(({ worker, ttlMs, now }) => {
      leases.look(now);
      return leases.offersOfOthers(worker, ttlMs);
    }),
    releaseLease: whenOpen((lease) => {
      const task = memory.tasks.get(lease.taskId);
      if (task?.holder?.lease.epoch !== lease.epoch) return;
      task.holder = undefined;
      memory.wake(lease.taskId, "runnable");
    }),
  } satisfies Partial<Store>;
}

function readMethods(memory: Memory, leases: Leases, whenOpen: Guard) {
  const all = () => [...memory.tasks.values()].map((task) => snapshotOf(leases, task));
  return {
    getTask: whenOpen((id) => {
      const task = memory.tasks.get(id);
      return task && snapshotOf(leases, task);
    }),
    listTasks: whenOpen((query) => listTasks(all(), query)),
    listExpired: whenOpen(({ now, limit }) => {
      leases.look(now);
      return listExpired(all(), now.wallMs, limit);
    }),
    countTasks: whenOpen((query) => countTasks(all(), query)),
    listRunnable: whenOpen((request) => {
      leases.look(request.now);
      return listRunnable(all(), request);
    }),
    readEvents: whenOpen((id, range) => readEvents(memory.require(id), range)),
    readChunk: whenOpen((id, artifact, index) => memory.require(id).chunks.get(artifact)?.[index]?.slice()),
    readItems: whenOpen((id, range) => readItems(memory.require(id), range)),
  } satisfies Partial<Store>;
}

function documentMethods({ documents, groups }: Memory, whenOpen: Guard) {
  const nameOf = (kind: string, id: string) => JSON.stringify([kind, id]);
  return {
    getDocument: whenOpen((kind, id) => documents.get(nameOf(kind, id))),
    putDocument: whenOpen(({ kind, id, owner, value, expectedVersion, counted, now }) => {
      const name = nameOf(kind, id);
      if ((documents.get(name)?.version ?? 0) !== expectedVersion) throw documentConflict(kind, id);
      if (expectedVersion === 0 && counted !== undefined) {
        const group = nameOf(kind, counted.group);
        const count = [...groups.values()].filter((other) => other === group).length;
        if (count >= counted.max) throw groupFull(counted);
        groups.set(name, group);
      }
      const updatedAt = new Date(now.wallMs).toISOString();
      const document = isolate({ kind, id, owner, value, version: expectedVersion + 1, updatedAt }, "document");
      documents.set(name, document);
      return document;
    }),
    deleteDocument: whenOpen((kind, id) => {
      documents.delete(nameOf(kind, id));
      groups.delete(nameOf(kind, id));
    }),
    listIdleDocuments: whenOpen(({ kind, group, idleSinceMs, limit }) =>
      [...documents.values()]
        .filter((document) => document.kind === kind && Date.parse(document.updatedAt) < idleSinceMs)
        .filter(({ id }) => group === undefined || groups.get(nameOf(kind, id)) === nameOf(kind, group))
        .sort((left, right) => (left.updatedAt < right.updatedAt ? -1 : 1))
        .slice(0, limit)
        .map(({ value: _, ...document }) => document),
    ),
  } satisfies Partial<Store>;
}
