import { ResumableError, type Store, type StoredSession } from "@resumable-mcp/core";
import type { Mutant } from "./mutant.js";
import { oneByOne, turn } from "./turn.js";

async function versionOf(store: Store, id: string): Promise<number> {
  return (await store.getSession(id))?.version ?? 0;
}

/** Looks at the version, and writes a moment later. */
async function putLate(store: Store, request: Parameters<Store["putSession"]>[0]): ReturnType<Store["putSession"]> {
  if (request.expectedVersion !== (await versionOf(store, request.id))) return store.putSession(request);
  await turn();
  return store.putSession({ ...request, expectedVersion: await versionOf(store, request.id) });
}

/** Goes on counting the versions of a session that was deleted. */
function countsOn(store: Store): Partial<Store> {
  const deleted = new Map<string, number>();
  const counted = (session: StoredSession): StoredSession => ({
    ...session,
    version: session.version + (deleted.get(session.id) ?? 0),
  });
  return {
    async putSession(request) {
      return counted(await store.putSession(request));
    },
    async deleteSession(id) {
      deleted.set(id, Math.max(deleted.get(id) ?? 0, await versionOf(store, id)));
      await store.deleteSession(id);
    },
  };
}

/** Goes on listing sessions that were deleted. */
function listsDeleted(store: Store): Partial<Store> {
  const deleted: StoredSession[] = [];
  return {
    async deleteSession(id) {
      const session = await store.getSession(id);
      if (session !== undefined) deleted.push(session);
      await store.deleteSession(id);
    },
    listIdleSessions: async (request) => [...(await store.listIdleSessions(request)), ...deleted],
  };
}

/** Stores that are wrong about sessions. */
export const sessionMutants: readonly Mutant[] = [
  {
    name: "keeps the time when a session was first put",
    killedBy: "SESSION-1",
    mutate(store) {
      const first = new Map<string, string>();
      return {
        async putSession(request) {
          const session = await store.putSession(request);
          const updatedAt = first.get(request.id) ?? session.updatedAt;
          first.set(request.id, updatedAt);
          return { ...session, updatedAt };
        },
      };
    },
  },
  {
    name: "keeps what was put first",
    killedBy: "SESSION-1",
    mutate: (store) => ({
      async putSession(request) {
        const { value = request.value } = (await store.getSession(request.id)) ?? {};
        return store.putSession({ ...request, value });
      },
    }),
  },
  {
    name: "lets the last writer of a session win",
    killedBy: "SESSION-2",
    mutate: (store) => ({
      putSession: async (request) =>
        store.putSession({ ...request, expectedVersion: await versionOf(store, request.id) }),
    }),
  },
  {
    name: "looks for the version of a session before it writes, not while",
    killedBy: "SESSION-3",
    mutate: (store) => ({ putSession: (request) => putLate(store, request) }),
  },
  {
    name: "refuses to delete a session that is gone",
    killedBy: "SESSION-4",
    mutate: (store) => ({
      async deleteSession(sessionId) {
        if ((await versionOf(store, sessionId)) > 0) return store.deleteSession(sessionId);
        throw new ResumableError("SESSION_CONFLICT", `There is no session ${sessionId}.`, { details: { sessionId } });
      },
    }),
  },
  { name: "goes on counting the versions of a deleted session", killedBy: "SESSION-4", mutate: countsOn },
  { name: "lists sessions that were deleted", killedBy: "SESSION-4", mutate: listsDeleted },
  {
    name: "lists every session as idle",
    killedBy: "SESSION-5",
    mutate: (store) => ({
      listIdleSessions: (request) => store.listIdleSessions({ ...request, idleSinceMs: 1e15 }),
    }),
  },
  {
    name: "lists those sessions first that were put last",
    killedBy: "SESSION-5",
    mutate: (store) => ({
      listIdleSessions: async ({ limit, ...request }) =>
        (await store.listIdleSessions({ ...request, limit: 1_000 })).toReversed().slice(0, limit),
    }),
  },
  {
    name: "keeps sessions under ids in lower case",
    killedBy: "SESSION-6",
    mutate: (store) => ({
      putSession: (request) => store.putSession({ ...request, id: request.id.toLowerCase() }),
      getSession: (id) => store.getSession(id.toLowerCase()),
    }),
  },
  {
    name: "keeps two changes of a session apart only in its process",
    killedBy: "SESSION-7",
    mutate(store) {
      const inTurn = oneByOne();
      return { putSession: (request) => inTurn(() => putLate(store, request)) };
    },
  },
];
