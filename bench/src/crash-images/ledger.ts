import type { Store } from "@resumable-mcp/core";
import type { NewSignal, NewTask, Signal, StoredDocument, TaskEvent } from "@resumable-mcp/core/store";

/** When something was asked of a store, and when the store said that it is done; in events of the disk's recording. */
export interface Moments {
  readonly askedAt: number;
  doneAt: number | undefined;
}

export interface CreatedTask extends Moments {
  readonly task: NewTask;
  /** Each event that a commit asked for, by its seq. */
  readonly events: Map<number, TaskEvent & Moments>;
  readonly signals: SentSignal[];
  /** Signals that commits asked to consume. */
  readonly consumed: (Moments & { readonly signal: Signal })[];
  deleted: Moments | undefined;
}

export interface SentSignal extends Moments {
  readonly signal: NewSignal;
}

export interface PutSession extends Moments {
  readonly session: StoredDocument;
}

/** All that was asked of a store, and all that it acknowledged. */
export interface Ledger {
  readonly tasks: Map<string, CreatedTask>;
  /** Versions of each session, in the order in which they were put. */
  readonly sessions: Map<string, PutSession[]>;
}

type Noted = Pick<Store, "createTask" | "commit" | "signal" | "deleteTask" | "putDocument">;

/** Notes what is asked of a store and what it acknowledges. `moment`: how much has happened to the disk. */
export function keepLedger(store: Store, moment: () => number): { readonly store: Store; readonly ledger: Ledger } {
  const ledger: Ledger = { tasks: new Map(), sessions: new Map() };
  const pending = new Map<string, Signal>();
  return {
    store: { ...store, ...notedTasks(store, ledger, pending, moment), ...notedSessions(store, ledger, moment) },
    ledger,
  };
}

function notedTasks(
  store: Store,
  { tasks }: Ledger,
  pending: Map<string, Signal>,
  moment: () => number,
): Pick<Noted, "createTask" | "commit" | "signal" | "deleteTask"> & Pick<Store, "acquireLease"> {
  const taskOf = (id: string): CreatedTask => {
    const task = tasks.get(id);
    if (task === undefined) throw new Error(`task ${id} was never made`);
    return task;
  };
  const see = (signals: readonly Signal[]) => {
    for (const signal of signals) pending.set(signal.id, signal);
  };
  return {
    async createTask(request) {
      const { task, now } = request;
      const moments: Moments = { askedAt: moment(), doneAt: undefined };
      const at = new Date(now.wallMs).toISOString();
      const first = { type: "created" as const, task, seq: 1, at, ...moments };
      const entry: CreatedTask = {
        task,
        ...moments,
        events: new Map([[1, first]]),
        signals: [],
        consumed: [],
        deleted: undefined,
      };
      const known = tasks.get(task.id);
      if (known === undefined) tasks.set(task.id, entry);
      const result = await store.createTask(request);
      if (!result.created && known === undefined) tasks.delete(task.id);
      entry.doneAt = first.doneAt = moment();
      return result;
    },
    async acquireLease(request) {
      const taken = await store.acquireLease(request);
      see(taken?.snapshot.signals ?? []);
      return taken;
    },
    async commit(request) {
      const task = taskOf(request.lease.taskId);
      const at = new Date(request.now.wallMs).toISOString();
      const noted = request.events.map((event, place) => {
        const seq = request.afterSeq + 1 + place;
        const entry = { ...event, seq, at, askedAt: moment(), doneAt: undefined as number | undefined };
        task.events.set(seq, entry);
        return entry;
      });
      const consumed = request.consume.flatMap((id) => {
        const signal = pending.get(id);
        return signal === undefined ? [] : [{ signal, askedAt: moment(), doneAt: undefined as number | undefined }];
      });
      task.consumed.push(...consumed);
      const result = await store.commit(request);
      for (const entry of [...noted, ...consumed]) entry.doneAt = moment();
      see(result.signals);
      return result;
    },
    async signal(id, signal) {
      const entry: SentSignal = { signal, askedAt: moment(), doneAt: undefined };
      taskOf(id).signals.push(entry);
      await store.signal(id, signal);
      entry.doneAt = moment();
    },
    async deleteTask(lease) {
      const entry: Moments = { askedAt: moment(), doneAt: undefined };
      taskOf(lease.taskId).deleted = entry;
      await store.deleteTask(lease);
      entry.doneAt = moment();
    },
  };
}

function notedSessions(store: Store, { sessions }: Ledger, moment: () => number): Pick<Noted, "putDocument"> {
  return {
    async putDocument(request) {
      const { kind, id, owner, value, expectedVersion, now } = request;
      const session = {
        kind,
        id,
        owner,
        value,
        version: expectedVersion + 1,
        updatedAt: new Date(now.wallMs).toISOString(),
      };
      const entry: PutSession = { session, askedAt: moment(), doneAt: undefined };
      sessions.set(id, [...(sessions.get(id) ?? []), entry]);
      const result = await store.putDocument(request);
      entry.doneAt = moment();
      return result;
    },
  };
}
