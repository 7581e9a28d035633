import { isFinal, isResumableError, type Store } from "@resumable-mcp/core";
import type { NewSignal, Signal, TaskSnapshot } from "@resumable-mcp/core/store";
import type { Mutant } from "../mutant.js";
import { withSnapshots } from "../process-memory.js";
import { turn } from "../turn.js";

type Commit = Parameters<Store["commit"]>[0];

async function pendingOf(store: Store, id: string): Promise<readonly Signal[]> {
  return (await store.getTask(id))?.signals ?? [];
}

/** Shows every task with changed signals. */
function withSignals(
  store: Store,
  change: (signals: readonly Signal[], snapshot: TaskSnapshot) => readonly Signal[],
): Partial<Store> {
  return withSnapshots(store, (snapshot) => ({ ...snapshot, signals: change(snapshot.signals, snapshot) }));
}

/** Drops some signals without a word. */
function drops(store: Store, isDropped: (signal: NewSignal, before: TaskSnapshot) => boolean): Pick<Store, "signal"> {
  return {
    async signal(id, signal) {
      const before = await store.getTask(id);
      if (before === undefined || !isDropped(signal, before)) await store.signal(id, signal);
    },
  };
}

/** Lets some second answers pass for taken. */
function takesAgain(store: Store, isTaken: (before: readonly Signal[]) => boolean): Pick<Store, "signal"> {
  return {
    async signal(id, signal) {
      const before = await pendingOf(store, id);
      await turn();
      try {
        await store.signal(id, signal);
      } catch (error) {
        if (!isResumableError(error, "ALREADY_ANSWERED") || !isTaken(before)) throw error;
      }
    },
  };
}

/** Consumes more signals than a commit names. */
function consumesMore(store: Store, isMore: (request: Commit, signal: Signal) => boolean): Pick<Store, "commit"> {
  return {
    async commit(request) {
      const more = (await pendingOf(store, request.lease.taskId)).filter((signal) => isMore(request, signal));
      return store.commit({ ...request, consume: [...request.consume, ...more.map(({ id }) => id)] });
    },
  };
}

/** Never forgets that a question was answered, or a request carried out. */
function neverForgets(store: Store): Partial<Store> {
  const answered = new Set<string>();
  return {
    async signal(id, signal) {
      const question = signal.kind === "answer" ? JSON.stringify([id, signal.key]) : undefined;
      // A second answer is refused as the store refuses it that knows of the first.
      if (question !== undefined && answered.has(question)) await store.signal(id, signal).catch(() => {});
      await store.signal(id, signal);
      if (question !== undefined) answered.add(question);
    },
  };
}

function takesRequestsOnce(store: Store): Partial<Store> {
  const carriedOut = new Set<string>();
  return {
    async commit(request) {
      const pending = await pendingOf(store, request.lease.taskId);
      const result = await store.commit(request);
      const consumed = pending.filter(({ id, kind }) => kind !== "answer" && request.consume.includes(id));
      for (const { kind } of consumed) carriedOut.add(kind);
      return result;
    },
    ...drops(store, ({ kind }) => carriedOut.has(kind)),
  };
}

/** Shows a runner only what was left by its own process. */
function showsItsOwn(store: Store): Partial<Store> {
  const own = new Set<string>();
  return {
    async signal(id, signal) {
      await store.signal(id, signal);
      own.add(JSON.stringify([id, signal.kind]));
    },
    async commit(request) {
      const { record, signals } = await store.commit(request);
      return { record, signals: signals.filter(({ kind }) => own.has(JSON.stringify([request.lease.taskId, kind]))) };
    },
  };
}

const isPauseOrResume = ({ kind }: { readonly kind: string }) => kind === "pause" || kind === "resume";

/** Stores that are wrong about signals. */
export const signalMutants: readonly Mutant[] = [
  {
    name: "shows the newest signal first",
    killedBy: "SIGNAL-1",
    mutate: (store) => withSignals(store, (signals) => signals.toReversed()),
  },
  {
    name: "calls signals by their kind",
    killedBy: "SIGNAL-1",
    mutate: (store) => withSignals(store, (signals) => signals.map((signal) => ({ ...signal, id: signal.kind }))),
  },
  {
    name: "forgets signals when a commit does not consume them",
    killedBy: "SIGNAL-1",
    mutate: (store) => consumesMore(store, () => true),
  },
  {
    name: "forgets why a pause was left",
    killedBy: "SIGNAL-1",
    mutate: (store) => ({
      signal: (id, signal) => store.signal(id, signal.kind === "pause" ? { kind: "pause" } : signal),
    }),
  },
  {
    name: "keeps a pause when a resume comes",
    killedBy: "SIGNAL-2",
    mutate: (store) => drops(store, (signal, { signals }) => isPauseOrResume(signal) && signals.some(isPauseOrResume)),
  },
  {
    name: "takes a cancellation back when a resume comes",
    killedBy: "SIGNAL-3",
    mutate: (store) =>
      withSignals(store, (signals) =>
        signals.some(({ kind }) => kind === "resume") ? signals.filter(({ kind }) => kind !== "cancel") : signals,
      ),
  },
  {
    name: "looks for an answer before it writes, not while",
    killedBy: "SIGNAL-4",
    mutate: (store) => takesAgain(store, (before) => before.length === 0),
  },
  {
    name: "takes a second answer when the first was consumed",
    killedBy: "SIGNAL-5",
    mutate(store) {
      const consumed = new Set<string>();
      return {
        async commit(request) {
          const result = await store.commit(request);
          if (request.consume.length > 0) consumed.add(request.lease.taskId);
          return result;
        },
        signal: (id, signal) =>
          consumed.has(id) ? takesAgain(store, () => true).signal(id, signal) : store.signal(id, signal),
      };
    },
  },
  {
    name: "takes questions for one that only their case tells apart",
    killedBy: "SIGNAL-6",
    mutate: (store) => ({
      signal: (id, signal) =>
        store.signal(id, signal.kind === "answer" ? { ...signal, key: signal.key.toLowerCase() } : signal),
    }),
  },
  { name: "takes one answer in all generations", killedBy: "SIGNAL-7", mutate: neverForgets },
  {
    name: "consumes every signal there is",
    killedBy: "SIGNAL-8",
    mutate: (store) => consumesMore(store, ({ consume }) => consume.length > 0),
  },
  {
    name: "drops signals for finished tasks",
    killedBy: "SIGNAL-9",
    mutate: (store) => drops(store, (_, { record }) => isFinal(record.status)),
  },
  {
    name: "forgets signals when a task finishes",
    killedBy: "SIGNAL-9",
    mutate: (store) =>
      consumesMore(store, ({ events }) =>
        events.some(({ type }) => type === "completed" || type === "failed" || type === "cancelled"),
      ),
  },
  { name: "takes each request once", killedBy: "SIGNAL-10", mutate: takesRequestsOnce },
  { name: "shows a runner the signals of its own process", killedBy: "SIGNAL-11", mutate: showsItsOwn },
  {
    name: "takes an answer of an earlier generation",
    killedBy: "SIGNAL-13",
    mutate: (store) => ({
      signal: (id, signal) => {
        const { itemsFromSeq: _, ...kept } = { itemsFromSeq: undefined, ...signal };
        return store.signal(id, kept);
      },
    }),
  },
  {
    name: "keeps that a result was delivered when its caller gave up",
    killedBy: "SIGNAL-12",
    mutate: (store) => drops(store, (signal) => signal.kind === "undelivered"),
  },
];
