import { isResumableError, type Store } from "@resumable-mcp/core";
import { type StoreAdmin, storeErrors } from "@resumable-mcp/core/store";
import type { Keyring } from "./keys/keyring.js";
import { OpenedKeys } from "./opened-keys.js";

/** Documents of one kind that a list passes over since they were never sealed. */
const maxForeign = 100_000;

/**
 * Encrypts what a store holds: inputs, states, items, steps, artifacts, questions, answers, outputs, logs, the messages of tasks and of
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
  const keys = new OpenedKeys(store, keyring);
  return {
    contractVersion: store.contractVersion,
    capabilities: store.capabilities,
    async open() {
      await store.open();
      await keys.load();
    },
    createTask: (given) =>
      keys.seal(given, async (codec, { task, ...request }) => {
        const sealed = codec.sealTask(task, 1);
        const { snapshot, created } = await store.createTask({ ...request, task: sealed });
        const { id, owner, key } = snapshot.record;
        // A store finds the task of the same call; another one must not take its place.
        if (id !== task.id && (key === null || owner !== sealed.owner || key !== sealed.key))
          throw codec.corrupt(id, "call");
        return { snapshot: await keys.open((opener) => opener.openSnapshot(snapshot, id)), created };
      }),
    async listRunnable(request) {
      const { tasks, ...rest } = await store.listRunnable(request);
      const codec = await keys.load();
      return { tasks: tasks.map((task) => ({ ...task, owner: codec.openOwner(task.owner) })), ...rest };
    },
    ...reading(store, keys),
    ...writing(store, keys),
    putChunk: (given) =>
      keys.seal(given, async (codec, { bytes, ...request }) => {
        const { lease, artifact, index } = request;
        await store.putChunk({ ...request, bytes: codec.sealChunk(bytes, lease.taskId, artifact, index) });
      }),
    listExpired: (request) => store.listExpired(request),
    heartbeat: (request) => store.heartbeat(request),
    listOffers: (request) => store.listOffers(request),
    releaseLease: (lease) => store.releaseLease(lease),
    deleteTask: (lease) => store.deleteTask(lease),
    watch: (id, wake) => store.watch(id, wake),
    close: () => store.close(),
    ...(store.checkHealth !== undefined && { checkHealth: () => store.checkHealth?.() ?? Promise.resolve() }),
    ...(store.listQuotas !== undefined && { listQuotas: async (request) => (await store.listQuotas?.(request)) ?? [] }),
  };
}

/** The methods that read. */
export type Reading = StoreAdmin["reading"];

export function reading(store: Reading, keys: OpenedKeys): Reading {
  return {
    async getTask(id) {
      const codec = await keys.load();
      let owner: string | undefined;
      try {
        const snapshot = await store.getTask(id);
        owner = snapshot?.record.owner;
        return snapshot && (await keys.open((opener) => opener.openSnapshot(snapshot, id)));
      } catch (error) {
        throw codec.openDamage(error, owner);
      }
    },
    async readEvents(id, range) {
      const page = await store.readEvents(id, range);
      return keys.open((codec) => codec.openEvents(page, id));
    },
    async readChunk(id, artifact, index) {
      const sealed = await store.readChunk(id, artifact, index);
      return sealed && keys.open((codec) => codec.openChunk(sealed, id, artifact, index));
    },
    async readItems(id, range) {
      const page = await store.readItems(id, range);
      return keys.open((codec) => codec.openItems(page, id));
    },
    async listTasks(query) {
      const codec = await keys.load();
      const page = await store.listTasks(codec.sealQuery(query));
      return keys.open((opener) => opener.openPage(page));
    },
    async countTasks(query) {
      const codec = await keys.load();
      return store.countTasks(codec.sealQuery(query));
    },
    async getDocument(kind, id) {
      const codec = await keys.load();
      const document = await store.getDocument(kind, codec.sealDocumentId(kind, id));
      return document && keys.open((opener) => opener.openDocument(document, kind, id));
    },
    async listIdleDocuments(request) {
      const codec = await keys.load();
      const { kind, limit } = request;
      const sealed = codec.sealQuery(request);
      // Documents that were there before the store's keys are in no list, and must not keep others from it.
      for (let asked = limit; ; asked = Math.min(4 * asked, limit + maxForeign)) {
        const found = await store.listIdleDocuments({ ...sealed, limit: asked });
        const opened = found.map((document) => codec.openDocumentSummary(document, kind));
        const listed = opened.filter((document) => document !== undefined).slice(0, limit);
        if (listed.length === limit || found.length < asked || asked >= limit + maxForeign) return listed;
      }
    },
  };
}

type Writing = Pick<Store, "acquireLease" | "commit" | "signal" | "putDocument" | "deleteDocument">;

/** The methods that change tasks and documents. */
export function writing(store: Writing & Pick<Store, "releaseLease">, keys: OpenedKeys): Writing {
  return {
    async acquireLease(request) {
      const taken = await store.acquireLease(request);
      if (taken === undefined) return undefined;
      const { lease, snapshot } = taken;
      try {
        return { lease, snapshot: await keys.open((codec) => codec.openSnapshot(snapshot, lease.taskId)) };
      } catch (error) {
        // A task that does not open must not stay leased: others may have the key.
        await store.releaseLease(lease);
        throw error;
      }
    },
    commit: (given) =>
      keys.seal(given, async (codec, { events, ...request }) => {
        const { taskId } = request.lease;
        const sealed = events.map((event, index) => codec.sealEvent(event, taskId, request.afterSeq + 1 + index));
        const { record, signals } = await store.commit({ ...request, events: sealed });
        return keys.open((opener) => ({
          record: opener.openRecord(record, taskId),
          signals: opener.openSignals(signals, taskId),
        }));
      }),
    signal: (id, given) =>
      keys.seal(given, async (codec, signal) => {
        try {
          await store.signal(id, codec.sealEvent(signal, id, 0));
        } catch (error) {
          // The store knows the key as it is sealed.
          if (signal.kind !== "answer") throw error;
          if (isResumableError(error, "ALREADY_ANSWERED")) throw storeErrors.alreadyAnswered(id, signal.key);
          throw isResumableError(error, "UNKNOWN_QUESTION") ? storeErrors.questionForgotten(id, signal.key) : error;
        }
      }),
    putDocument: (given) =>
      keys.seal(given, async (codec, request) => {
        const { kind, id, expectedVersion } = request;
        try {
          const document = await store.putDocument(codec.sealDocument(request, expectedVersion));
          return await keys.open((opener) => opener.openDocument(document, kind, id));
        } catch (error) {
          // The store knows the id as it is sealed.
          if (isResumableError(error, "DOCUMENT_CONFLICT")) throw storeErrors.documentConflict(kind, id);
          throw error;
        }
      }),
    async deleteDocument(kind, id) {
      const codec = await keys.load();
      await store.deleteDocument(kind, codec.sealDocumentId(kind, id));
    },
  };
}
