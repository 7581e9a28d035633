import { isFinal, type Store, type TaskRecord } from "@resumable-mcp/core";
import { type Lease, type NewTask, reduceTask, type TaskSnapshot } from "@resumable-mcp/core/store";

type Creation = Parameters<Store["createTask"]>[0];
type Commit = Parameters<Store["commit"]>[0];

/** What a store says that acknowledges a commit and writes nothing. */
export function pretendCommit({ lease, afterSeq, events }: Commit): Awaited<ReturnType<Store["commit"]>> {
  const call = { owner: "client:kit", tool: "count_words", toolVersion: "1", key: null, input: null };
  const task = { ...call, id: lease.taskId, detached: true, ttlMs: 1_000 };
  const record = reduceTask(undefined, [{ type: "created", task, seq: 1, at: "1970-01-01T00:00:00.000Z" }]);
  return { record: { ...record, lastSeq: afterSeq + events.length }, signals: [] };
}

/** The name of a call, as long as it has a key. */
export function callOf({ owner, key }: Pick<NewTask, "owner" | "key">): string | undefined {
  return key === null ? undefined : JSON.stringify([owner, key]);
}

export const isUnfinished = ({ record }: TaskSnapshot): boolean => !isFinal(record.status);

/** Makes a task that no call finds. */
export function createApart(store: Store, request: Creation): ReturnType<Store["createTask"]> {
  return store.createTask({ ...request, task: { ...request.task, key: null } });
}

/** Finds calls by a name of its own, and takes some tasks for theirs, before it asks the good store. */
export function standsIn(
  store: Store,
  nameOf: (task: NewTask) => string | undefined,
  stands: (snapshot: TaskSnapshot) => boolean,
): Partial<Store> {
  const calls = new Map<string | undefined, string>();
  return {
    async createTask(request) {
      const name = nameOf(request.task);
      const present = name === undefined ? undefined : await store.getTask(calls.get(name) ?? "none");
      if (present !== undefined && stands(present)) return { snapshot: present, created: false };
      const made = await store.createTask(request);
      calls.set(name, made.snapshot.record.id);
      return made;
    },
  };
}

/** Remembers the newest lease of each task that this process took and did not give back. */
export function leaseBook(store: Store): {
  readonly newest: ReadonlyMap<string, Lease>;
  readonly methods: Pick<Store, "acquireLease" | "releaseLease">;
} {
  const newest = new Map<string, Lease>();
  return {
    newest,
    methods: {
      async acquireLease(request) {
        const taken = await store.acquireLease(request);
        if (taken !== undefined) newest.set(request.taskId, taken.lease);
        return taken;
      },
      async releaseLease(lease) {
        if (newest.get(lease.taskId)?.epoch === lease.epoch) newest.delete(lease.taskId);
        await store.releaseLease(lease);
      },
    },
  };
}

/** Shows every task with a changed record. */
export function withRecords(
  store: Store,
  change: (record: TaskRecord) => TaskRecord | Promise<TaskRecord>,
): Partial<Store> {
  return withSnapshots(store, async (snapshot) => ({ ...snapshot, record: await change(snapshot.record) }));
}

/** Shows every task changed. */
export function withSnapshots(
  store: Store,
  change: (snapshot: TaskSnapshot) => TaskSnapshot | Promise<TaskSnapshot>,
): Partial<Store> {
  return {
    async getTask(id) {
      const snapshot = await store.getTask(id);
      return snapshot && change(snapshot);
    },
  };
}
