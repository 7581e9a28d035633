import { isJsonObject, type Json, type Store, type TaskRecord } from "@resumable-mcp/core";
import type { StoredDocument, TaskEventBody, TaskSnapshot } from "@resumable-mcp/core/store";
import type { Mutant } from "../mutant.js";
import { isUnfinished, standsIn, withRecords } from "../process-memory.js";

/** Shows every state with each of its plain values changed. */
function plainly(store: Store, change: (value: Json, depth: number) => Json): Partial<Store> {
  return withRecords(store, (record) =>
    record.state === undefined ? record : { ...record, state: deeply(record.state, change, 0) },
  );
}

function deeply(value: Json, change: (value: Json, depth: number) => Json, depth: number): Json {
  if (Array.isArray(value)) return value.map((item: Json) => deeply(item, change, depth + 1));
  if (!isJsonObject(value)) return change(value, depth);
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, deeply(item, change, depth + 1)]));
}

function texts(store: Store, change: (text: string) => string): Partial<Store> {
  return plainly(store, (value) => (typeof value === "string" ? change(value) : value));
}

/** Keeps the very states that were committed. */
function sharesStates(store: Store): Partial<Store> {
  const states = new Map<string, Json>();
  const stateOf = (event: TaskEventBody) => (event.type === "checkpoint" ? event.state : undefined);
  return {
    async commit(request) {
      const result = await store.commit(request);
      const state = request.events.map(stateOf).findLast((given) => given !== undefined);
      if (state !== undefined) states.set(request.lease.taskId, state);
      return result;
    },
    ...withRecords(store, (record) => ({
      ...record,
      ...(states.has(record.id) && { state: states.get(record.id) ?? null }),
    })),
  };
}

/** Shows one and the same snapshot of a task to everybody, and keeps it up to date. */
function livingSnapshots(store: Store): Partial<Store> {
  const living = new Map<string, TaskSnapshot>();
  const look = async (id: string) => {
    const now = await store.getTask(id);
    if (now === undefined) return undefined;
    const shown = Object.assign(living.get(id) ?? {}, now);
    living.set(id, shown);
    return shown;
  };
  return {
    getTask: look,
    async commit(request) {
      const result = await store.commit(request);
      await look(request.lease.taskId);
      return result;
    },
  };
}

/** Tells names apart only by what it makes of them. */
function tellsApart(store: Store, nameOf: (text: string) => string): Partial<Store> {
  const call = (...parts: readonly string[]) => parts.map(nameOf).join(" ");
  return standsIn(store, ({ owner, key }) => (key === null ? undefined : call(owner, key)), isUnfinished);
}

/** Stores that are wrong about values. */
export const valueMutants: readonly Mutant[] = [
  ...(["session", "trace", "label", "offeredVersions", "ownerQuotas"] as const).map(
    (field): Mutant => ({
      name: `drops the ${field} of a task`,
      killedBy: "VALUE-10",
      mutate: (store) => withRecords(store, ({ [field]: _, ...record }) => record),
    }),
  ),
  { name: "keeps the very state that it was given", killedBy: "VALUE-1", mutate: sharesStates },
  {
    name: "keeps the very document that it was given",
    killedBy: "VALUE-1",
    mutate(store) {
      const given = new Map<string, Json>();
      return {
        async putDocument(request) {
          given.set(request.id, request.value);
          return store.putDocument(request);
        },
        async getDocument(kind, id) {
          const session = await store.getDocument(kind, id);
          return session && { ...session, value: given.get(id) ?? session.value };
        },
      };
    },
  },
  {
    name: "gives out its own memory",
    killedBy: "VALUE-2",
    mutate: (store) => {
      const shared = new Map<string, Awaited<ReturnType<Store["readItems"]>>>();
      return {
        async readItems(id, range) {
          const found = await store.readItems(id, range);
          const place = JSON.stringify([id, range, found.total]);
          const page = shared.get(place) ?? structuredClone(found);
          shared.set(place, page);
          return page;
        },
      };
    },
  },
  {
    name: "gives out its own record from a commit",
    killedBy: "VALUE-2",
    mutate(store) {
      const records = new Map<string, TaskRecord>();
      return {
        async commit(request) {
          const result = structuredClone(await store.commit(request));
          records.set(request.lease.taskId, result.record);
          return result;
        },
        async getTask(id) {
          const snapshot = await store.getTask(id);
          const own = records.get(id);
          return snapshot && { ...snapshot, record: own?.lastSeq === snapshot.record.lastSeq ? own : snapshot.record };
        },
      };
    },
  },
  {
    name: "gives out its own documents",
    killedBy: "VALUE-2",
    mutate(store) {
      const shared = new Map<string, StoredDocument>();
      return {
        async putDocument(request) {
          const session = structuredClone(await store.putDocument(request));
          shared.set(request.id, session);
          return session;
        },
        getDocument: async (kind, id) => shared.get(id) ?? store.getDocument(kind, id),
      };
    },
  },
  {
    name: "continues to count in what it gave out",
    killedBy: "VALUE-3",
    mutate(store) {
      const counts = {};
      const count = async () => Object.assign(counts, await store.countTasks({}));
      return {
        countTasks: count,
        async commit(request) {
          const result = await store.commit(request);
          await count();
          return result;
        },
      };
    },
  },
  { name: "keeps the snapshot up to date that it gave out", killedBy: "VALUE-3", mutate: livingSnapshots },
  {
    name: "composes letters and their marks",
    killedBy: "VALUE-4",
    mutate: (store) => texts(store, (text) => text.normalize("NFC")),
  },
  {
    name: "ends a text at its first nul",
    killedBy: "VALUE-4",
    mutate: (store) => texts(store, (text) => text.split("\u0000")[0] ?? ""),
  },
  {
    name: "replaces halves of characters",
    killedBy: "VALUE-4",
    mutate: (store) => texts(store, (text) => Buffer.from(text, "utf8").toString("utf8")),
  },
  {
    name: "loses a key that is called __proto__",
    killedBy: "VALUE-5",
    mutate: (store) =>
      withRecords(store, (record) => {
        const { state } = record;
        if (typeof state !== "object" || state === null || !("" in state)) return record;
        return { ...record, state: Object.assign({}, state) };
      }),
  },
  {
    name: "keeps 15 digits of a number",
    killedBy: "VALUE-6",
    mutate: (store) => plainly(store, (value) => (typeof value === "number" ? Number(value.toPrecision(15)) : value)),
  },
  {
    name: "loses what is nested deeper than 100",
    killedBy: "VALUE-7",
    mutate: (store) => plainly(store, (value, depth) => (depth > 100 ? null : value)),
  },
  {
    name: "cuts texts at 65536 characters",
    killedBy: "VALUE-8",
    mutate: (store) => texts(store, (text) => text.slice(0, 2 ** 16)),
  },
  {
    name: "takes names for one that only a separator tells apart",
    killedBy: "VALUE-9",
    mutate: (store) => tellsApart(store, (text) => text.replace(/[/\\]/g, "_")),
  },
  {
    name: "takes names for one that only their case tells apart",
    killedBy: "VALUE-9",
    mutate: (store) => tellsApart(store, (text) => text.toLowerCase()),
  },
  {
    name: "takes names for one that begin with the same 255 characters",
    killedBy: "VALUE-9",
    mutate: (store) => tellsApart(store, (text) => text.slice(0, 255)),
  },
  {
    name: "takes names for one that are written with the same letters and marks",
    killedBy: "VALUE-9",
    mutate: (store) => tellsApart(store, (text) => text.normalize("NFC")),
  },
  {
    name: "counts no tool that is called __proto__",
    killedBy: "VALUE-9",
    mutate: (store) => ({
      async countTasks(query) {
        const counts = await store.countTasks(query);
        return { ...counts, byTool: Object.assign({}, counts.byTool) };
      },
    }),
  },
];
