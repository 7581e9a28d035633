import { isResumableError, type Store } from "@resumable-mcp/core";
import {
  alreadyAnswered,
  type Documents,
  documentConflict,
  type Lease,
  type TaskSnapshot,
} from "@resumable-mcp/core/store";
import type { Keyring } from "./keys/keyring.js";
import { OpenedKeys } from "./opened-keys.js";

/** Documents of one kind that a list passes over since they were never sealed. */
const maxForeign = 100_000;

/** A store under the encryption. */
interface Parts {
  readonly store: Store;
  readonly keys: OpenedKeys;
}

/**
 * Encrypts what a store holds: inputs, states, items, steps, questions, answers, outputs, logs, the messages of tasks and of
 * errors, owners, deduplication keys, keys of steps and questions, sessions and documents. What stays readable is listed in
 * `docs/security.md`: ids, tools, statuses, times, counts, codes of errors, worker names, versions, traces.
 *
 * The store must be empty when it is first opened so, and from then on it opens with its keyring alone.
 *
 * Durability, ordering, leases: those of the store.
 * Limits: a sealed value takes about a third more than the value, and 70 bytes; quotas count what is sealed.
 *
 * @throws {@link ResumableError} from the methods: `KEY_MISSING`, `STORE_NOT_ENCRYPTED`; `TASK_CORRUPT` and
 * `DOCUMENT_UNREADABLE` for what was changed or moved; what the store throws.
 *
 * @example
 * ```ts
 * const keyring = await readKeyringFile("/etc/resumable/keyring");
 * const store = withEncryption(createFsStore({ directory: ".resumable-mcp" }), keyring);
 * ```
 */
export function withEncryption(store: Store, keyring: Keyring): Store {
  const parts = { store, keys: new OpenedKeys(store, keyring) };
  return {
    contractVersion: store.contractVersion,
    capabilities: store.capabilities,
    async open() {
      await store.open();
      await parts.keys.load();
    },
    listExpired: (request) => store.listExpired(request),
    heartbeat: (request) => store.heartbeat(request),
    listOffers: (request) => store.listOffers(request),
    releaseLease: (lease) => store.releaseLease(lease),
    deleteTask: (lease) => store.deleteTask(lease),
    watch: (id, wake) => store.watch(id, wake),
    close: () => store.close(),
    ...(store.checkHealth !== undefined && { checkHealth: () => store.checkHealth?.() ?? Promise.resolve() }),
    ...(store.listQuotas !== undefined && { listQuotas: async (request) => (await store.listQuotas?.(request)) ?? [] }),
    ...creating(parts),
    ...writing(parts),
    ...reading(parts),
    ...listing(parts),
    ...documents(parts),
  };
}

function creating({ store, keys }: Parts): Pick<Store, "createTask"> {
  return {
    async createTask(given) {
      const request = keys.sealer === undefined ? structuredClone(given) : given;
      const sealer = keys.sealer ?? (await keys.load());
      const { task } = request;
      const { snapshot, created } = await store.createTask({ ...request, task: sealer.sealTask(task) });
      return { snapshot: await keys.open((opener) => opener.openTaskOf(task, snapshot)), created };
    },
  };
}

/** The methods by which a task is changed. */
export function writing({
  store,
  keys,
}: {
  readonly store: Pick<Store, "acquireLease" | "commit" | "signal" | "releaseLease">;
  readonly keys: OpenedKeys;
}): Pick<Store, "acquireLease" | "commit" | "signal"> {
  return {
    async acquireLease(request) {
      const taken = await store.acquireLease(request);
      if (taken === undefined) return undefined;
      return { lease: taken.lease, snapshot: await openLeased(store, keys, taken) };
    },
    async commit(given) {
      const request = keys.sealer === undefined ? structuredClone(given) : given;
      const sealer = keys.sealer ?? (await keys.load());
      const { taskId } = request.lease;
      const events = sealer.sealEvents(taskId, request.afterSeq, request.events);
      const done = await store.commit({ ...request, events });
      return keys.open((opener) => ({
        record: opener.openRecord(done.record, taskId),
        signals: opener.openSignals(taskId, done.signals),
      }));
    },
    async signal(id, given) {
      const signal = keys.sealer === undefined ? structuredClone(given) : given;
      const sealer = keys.sealer ?? (await keys.load());
      try {
        await store.signal(id, sealer.sealSignal(id, signal));
      } catch (error) {
        // The store knows the key as it is sealed.
        if (signal.kind === "answer" && isResumableError(error, "ALREADY_ANSWERED"))
          throw alreadyAnswered(id, signal.key);
        throw error;
      }
    },
  };
}

/** A task that does not open must not stay leased: others may have the key. */
async function openLeased(
  store: Pick<Store, "releaseLease">,
  keys: OpenedKeys,
  { lease, snapshot }: { readonly lease: Lease; readonly snapshot: TaskSnapshot },
): Promise<TaskSnapshot> {
  try {
    return await keys.open((sealer) => sealer.openSnapshot(snapshot, lease.taskId));
  } catch (error) {
    await store.releaseLease(lease);
    throw error;
  }
}

/** The methods that read tasks. */
export function reading({
  store,
  keys,
}: {
  readonly store: Pick<Store, "getTask" | "readEvents" | "readItems">;
  readonly keys: OpenedKeys;
}): Pick<Store, "getTask" | "readEvents" | "readItems"> {
  return {
    async getTask(id) {
      const sealer = keys.sealer ?? (await keys.load());
      let owner: string | undefined;
      try {
        const snapshot = await store.getTask(id);
        owner = snapshot?.record.owner;
        return snapshot && (await keys.open((opener) => opener.openSnapshot(snapshot, id)));
      } catch (error) {
        throw sealer.openDamage(error, owner);
      }
    },
    async readEvents(id, range) {
      const page = await store.readEvents(id, range);
      return keys.open((sealer) => sealer.openEvents(id, page));
    },
    async readItems(id, range) {
      const page = await store.readItems(id, range);
      return keys.open((sealer) => sealer.openItems(id, page));
    },
  };
}

/** The methods that list and count tasks. */
export function counting({
  store,
  keys,
}: {
  readonly store: Pick<Store, "listTasks" | "countTasks">;
  readonly keys: OpenedKeys;
}): Pick<Store, "listTasks" | "countTasks"> {
  return {
    async listTasks({ owner, ...query }) {
      const sealer = await keys.load();
      const page = await store.listTasks({ ...query, ...(owner !== undefined && { owner: sealer.sealOwner(owner) }) });
      return keys.open((opener) => opener.openPage(page));
    },
    async countTasks({ owner, ...query }) {
      const sealer = await keys.load();
      return store.countTasks({ ...query, ...(owner !== undefined && { owner: sealer.sealOwner(owner) }) });
    },
  };
}

function listing(parts: Parts): Pick<Store, "listTasks" | "countTasks" | "listRunnable"> {
  return {
    ...counting(parts),
    async listRunnable(request) {
      const { tasks, ...rest } = await parts.store.listRunnable(request);
      const sealer = await parts.keys.load();
      return { tasks: tasks.map((task) => ({ ...task, owner: sealer.openOwner(task.owner) })), ...rest };
    },
  };
}

function documents({ store, keys }: Parts): Documents {
  return {
    ...singleDocuments({ store, keys }),
    async deleteDocument(kind, id) {
      const sealer = await keys.load();
      await store.deleteDocument(kind, sealer.sealDocumentId(kind, id));
    },
    ...idleDocuments({ store, keys }),
  };
}

/** The methods that read and put one document. */
export function singleDocuments({
  store,
  keys,
}: {
  readonly store: Pick<Store, "getDocument" | "putDocument">;
  readonly keys: OpenedKeys;
}): Pick<Documents, "getDocument" | "putDocument"> {
  return {
    async getDocument(kind, id) {
      const sealer = await keys.load();
      const document = await store.getDocument(kind, sealer.sealDocumentId(kind, id));
      return document && keys.open((opener) => opener.openDocument(document, { kind, id }));
    },
    async putDocument(given) {
      const request = keys.sealer === undefined ? structuredClone(given) : given;
      const sealer = keys.sealer ?? (await keys.load());
      const { kind, id, owner, value, expectedVersion, counted } = request;
      const sealed = {
        ...request,
        id: sealer.sealDocumentId(kind, id),
        owner: sealer.sealOwner(owner),
        value: sealer.sealDocument(kind, id, owner, expectedVersion, value),
        ...(counted !== undefined && { counted: { ...counted, group: sealer.sealGroup(counted.group) } }),
      };
      try {
        const put = await store.putDocument(sealed);
        return await keys.open((opener) => opener.openDocument(put, { kind, id }) ?? put);
      } catch (error) {
        // The store knows the id as it is sealed.
        if (isResumableError(error, "DOCUMENT_CONFLICT")) throw documentConflict(kind, id);
        throw error;
      }
    },
  };
}

/** The method that lists documents. */
export function idleDocuments({
  store,
  keys,
}: {
  readonly store: Pick<Store, "listIdleDocuments">;
  readonly keys: OpenedKeys;
}): Pick<Documents, "listIdleDocuments"> {
  return {
    async listIdleDocuments({ group, ...request }) {
      const sealer = await keys.load();
      const { kind, limit } = request;
      const sealed = { ...request, ...(group !== undefined && { group: sealer.sealGroup(group) }) };
      // Documents that were there before the store's keys are in no list, and must not keep others from it.
      for (let asked = limit; ; asked = Math.min(4 * asked, limit + maxForeign)) {
        const found = await store.listIdleDocuments({ ...sealed, limit: asked });
        const opened = found.map((document) => sealer.openDocumentSummary(document, kind));
        const listed = opened.filter((document) => document !== undefined).slice(0, limit);
        if (listed.length === limit || found.length < asked || asked >= limit + maxForeign) return listed;
      }
    },
  };
}
