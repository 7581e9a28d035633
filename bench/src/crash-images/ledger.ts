import type { Store } from "@resumable-mcp/core";
import type { Instant, NewSignal, NewTask, Signal, StoredDocument, TaskEvent } from "@resumable-mcp/core/store";

/** When something was asked of a store, and when the store said that it is done; in events of the disk's recording. */
export interface Moments {
  readonly askedAt: number;
  doneAt: number | undefined;
}

export interface CreatedTask extends Moments {
  readonly task: NewTask;
  /** Each event that a commit asked for, by its seq. */
  readonly events: Map<number, TaskEvent & Moments>;
  readonly signals: (Moments & { readonly signal: NewSignal })[];
  /** Signals that commits asked to consume. */
  readonly consumed: (Moments & { readonly signal: Signal })[];
  deleted: Moments | undefined;
}

export type PutSession = Moments & { readonly session: StoredDocument };

/** All that was asked of a store, and all that it acknowledged. */
export interface Ledger {
  readonly tasks: Map<string, CreatedTask>;
  /** Versions of each session, in the order in which they were put. */
  readonly sessions: Map<string, readonly PutSession[]>;
}

/** Notes what is asked of a store and what it acknowledges. `moment`: how much has happened to the disk. */
export function keepLedger(store: Store, moment: () => number): { readonly store: Store; readonly ledger: Ledger } {
  const ledger: Ledger = { tasks: new Map(), sessions: new Map() };
  const asked = (): Moments => ({ askedAt: moment(), doneAt: undefined });
  /** Waits until the store has done what was asked. */
  const done = async <Result>(work: Promise<Result>, ...entries: readonly Moments[]): Promise<Result> => {
    const result = await work;
    for (const entry of entries) entry.doneAt = moment();
    return result;
  };
  return {
    store: { ...store, ...notedTasks(store, ledger, asked, done), ...notedSessions(store, ledger, asked, done) },
    ledger,
  };
}

type Asked = () => Moments;
type Done = <Result>(work: Promise<Result>, ...entries: readonly Moments[]) => Promise<Result>;

const timeOf = ({ wallMs }: Instant): string => new Date(wallMs).toISOString();

function notedTasks(
  store: Store,
  { tasks }: Ledger,
  asked: Asked,
  done: Done,
): Pick<Store, "createTask" | "acquireLease" | "commit" | "signal" | "deleteTask"> {
  const pending = new Map<string, Signal>();
  const taskOf = (id: string): CreatedTask => {
    const task = tasks.get(id);
    if (task === undefined) throw new Error(`task ${id} was never made`);
    return task;
  };
  const see = (signals: readonly Signal[] = []) => {
    for (const signal of signals) pending.set(signal.id, signal);
  };
  return {
    async createTask(request) {
      const { task, now } = request;
      const first = { type: "created" as const, task, seq: 1, at: timeOf(now), ...asked() };
      const entry = { task, ...asked(), events: new Map([[1, first]]), signals: [], consumed: [], deleted: undefined };
      tasks.set(task.id, entry);
      return done(store.createTask(request), entry, first);
    },
    async acquireLease(request) {
      const taken = await store.acquireLease(request);
      see(taken?.snapshot.signals);
      return taken;
    },
    async commit(request) {
      const task = taskOf(request.lease.taskId);
      const events = request.events.map((event, place) => {
        const entry = { ...event, seq: request.afterSeq + 1 + place, at: timeOf(request.now), ...asked() };
        task.events.set(entry.seq, entry);
        return entry;
      });
      const consumed = request.consume.flatMap((id) => {
        const signal = pending.get(id);
        return signal === undefined ? [] : [{ signal, ...asked() }];
      });
      task.consumed.push(...consumed);
      const result = await done(store.commit(request), ...events, ...consumed);
      see(result.signals);
      return result;
    },
    async signal(id, signal) {
      const entry = { signal, ...asked() };
      taskOf(id).signals.push(entry);
      await done(store.signal(id, signal), entry);
    },
    async deleteTask(lease) {
      const entry = asked();
      taskOf(lease.taskId).deleted = entry;
      await done(store.deleteTask(lease), entry);
    },
  };
}

function notedSessions(store: Store, { sessions }: Ledger, asked: Asked, done: Done): Pick<Store, "putDocument"> {
  return {
    async putDocument(request) {
      const { expectedVersion, now, ...rest } = request;
      const session = { ...rest, version: expectedVersion + 1, updatedAt: timeOf(now) };
      const entry = { session, ...asked() };
      sessions.set(request.id, [...(sessions.get(request.id) ?? []), entry]);
      return done(store.putDocument(request), entry);
    },
  };
}
