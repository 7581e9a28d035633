import { ResumableError, type Store } from "@resumable-mcp/core";
import type { StoredDocument } from "@resumable-mcp/core/store";
import type { Mutant } from "../mutant.js";
import { oneByOne, turn } from "../turn.js";

type Put = Parameters<Store["putDocument"]>[0];

async function versionOf(store: Store, { kind, id }: Pick<Put, "kind" | "id">): Promise<number> {
  return (await store.getDocument(kind, id))?.version ?? 0;
}

/** Looks at the version, and writes a moment later. */
async function putLate(store: Store, request: Put): Promise<StoredDocument> {
  if (request.expectedVersion !== (await versionOf(store, request))) return store.putDocument(request);
  await turn();
  return store.putDocument({ ...request, expectedVersion: await versionOf(store, request) });
}

/** Gives every put the same version. */
function countsNothing(store: Store): Partial<Store> {
  const first = (document: StoredDocument): StoredDocument => ({ ...document, version: 1 });
  return {
    async putDocument(request) {
      const known = await versionOf(store, request);
      if (Math.min(known, 1) !== request.expectedVersion) return store.putDocument(request);
      return first(await store.putDocument({ ...request, expectedVersion: known }));
    },
    async getDocument(kind, id) {
      const document = await store.getDocument(kind, id);
      return document && first(document);
    },
  };
}

/** Lists documents also after they were deleted. */
function listsDeleted(store: Store): Partial<Store> {
  const deleted: StoredDocument[] = [];
  return {
    async deleteDocument(kind, id) {
      const document = await store.getDocument(kind, id);
      if (document !== undefined) deleted.push(document);
      await store.deleteDocument(kind, id);
    },
    listIdleDocuments: async (request) => [...(await store.listIdleDocuments(request)), ...deleted],
  };
}

/** Stores that are wrong about documents. */
export const documentMutants: readonly Mutant[] = [
  {
    name: "keeps the time when a document was first put",
    killedBy: "DOC-1",
    mutate(store) {
      const first = new Map<string, string>();
      return {
        async putDocument(request) {
          const document = await store.putDocument(request);
          const updatedAt = first.get(request.id) ?? document.updatedAt;
          first.set(request.id, updatedAt);
          return { ...document, updatedAt };
        },
      };
    },
  },
  {
    name: "keeps what was put first",
    killedBy: "DOC-1",
    mutate: (store) => ({
      async putDocument(request) {
        const { value = request.value } = (await store.getDocument(request.kind, request.id)) ?? {};
        return store.putDocument({ ...request, value });
      },
    }),
  },
  { name: "gives every put of a document the same version", killedBy: "DOC-1", mutate: countsNothing },
  {
    name: "lets the last writer of a document win",
    killedBy: "DOC-2",
    mutate: (store) => ({
      putDocument: async (request) =>
        store.putDocument({ ...request, expectedVersion: await versionOf(store, request) }),
    }),
  },
  {
    name: "looks for the version of a document before it writes, not while",
    killedBy: "DOC-3",
    mutate: (store) => ({ putDocument: (request) => putLate(store, request) }),
  },
  {
    name: "refuses to delete a document that does not exist",
    killedBy: "DOC-4",
    mutate: (store) => ({
      async deleteDocument(kind, id) {
        if ((await versionOf(store, { kind, id })) > 0) return store.deleteDocument(kind, id);
        throw new ResumableError("DOCUMENT_CONFLICT", `There is no ${kind} ${id}.`, { details: { kind, id } });
      },
    }),
  },
  { name: "lists documents that were deleted", killedBy: "DOC-4", mutate: listsDeleted },
  {
    name: "lists every document as idle",
    killedBy: "DOC-5",
    mutate: (store) => ({
      listIdleDocuments: (request) => store.listIdleDocuments({ ...request, idleSinceMs: 1e15 }),
    }),
  },
  {
    name: "lists documents with their values",
    killedBy: "DOC-5",
    mutate: (store) => ({
      listIdleDocuments: async (request) => {
        const listed = await store.listIdleDocuments(request);
        const found = await Promise.all(listed.map(({ kind, id }) => store.getDocument(kind, id)));
        return found.filter((document) => document !== undefined);
      },
    }),
  },
  {
    name: "lists those documents first that were put last",
    killedBy: "DOC-5",
    mutate: (store) => ({
      listIdleDocuments: async ({ limit, ...request }) =>
        (await store.listIdleDocuments({ ...request, limit: 1_000 })).toReversed().slice(0, limit),
    }),
  },
  {
    name: "keeps documents under ids in lower case",
    killedBy: "DOC-6",
    mutate: (store) => ({
      putDocument: (request) => store.putDocument({ ...request, id: request.id.toLowerCase() }),
      getDocument: (kind, id) => store.getDocument(kind, id.toLowerCase()),
    }),
  },
  {
    name: "keeps two changes of a document apart only in its process",
    killedBy: "DOC-7",
    mutate(store) {
      const inTurn = oneByOne();
      return { putDocument: (request) => inTurn(() => putLate(store, request)) };
    },
  },
  {
    name: "keeps documents of all kinds under their ids alone",
    killedBy: "DOC-8",
    mutate: (store) => ({
      putDocument: async (request) => ({
        ...(await store.putDocument({ ...request, kind: "any" })),
        kind: request.kind,
      }),
      getDocument: (_kind, id) => store.getDocument("any", id),
    }),
  },
  {
    name: "lists idle documents of every kind",
    killedBy: "DOC-8",
    mutate(store) {
      const kinds = new Set<string>();
      return {
        putDocument(request) {
          kinds.add(request.kind);
          return store.putDocument(request);
        },
        listIdleDocuments: async (request) =>
          (await Promise.all([...kinds].map((kind) => store.listIdleDocuments({ ...request, kind })))).flat(),
      };
    },
  },
  {
    name: "deletes the documents of an id in every kind",
    killedBy: "DOC-8",
    mutate: (store) => ({
      async deleteDocument(_kind, id) {
        for (const kind of ["kit", "kit-other"]) await store.deleteDocument(kind, id);
      },
    }),
  },
];
