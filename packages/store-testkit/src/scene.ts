import type { Json, Store, TaskRecord } from "@resumable-mcp/core";
import type {
  Instant,
  Lease,
  NewTask,
  StoredDocument,
  StoreQuotas,
  TaskEventBody,
  TaskSnapshot,
} from "@resumable-mcp/core/store";
import { ClauseBroken, expectThat, pluck } from "./expect.js";

/** What every lease of the kit lasts without a heartbeat. */
export const ttlMs = 10_000;
/** How long a completed task of the kit may be used again. */
export const reuseResultMs = 60_000;

/** One store on empty data, and short ways to do things with it. */
export interface Scene {
  readonly store: Store;
  readonly clock: KitClock;
  /** What random choices of this run come from. */
  readonly seed: number;
  /** The harness has this ability. */
  can(ability: HarnessAbility): boolean;
  /** Opens another store on the same data, or kills a store and opens its data again. */
  another(ability: ProcessAbility, store?: Store): Promise<Store>;
  /** Opens a store on other, empty data, with quotas. */
  limited(quotas: Partial<StoreQuotas>): Promise<Store>;
  /** Describes a task that was not made yet. */
  newTask(parts?: Partial<NewTask>): NewTask;
  create(parts?: Partial<NewTask>, store?: Store): Promise<TaskSnapshot & { readonly created: boolean }>;
  /** Makes a task and takes its lease. */
  held(parts?: Partial<NewTask>, store?: Store): Promise<{ readonly record: TaskRecord; readonly held: Lease }>;
  /** Takes a lease that must be free. */
  lease(taskId: string, options?: LeaseOptions): Promise<Lease>;
  /** Takes a lease if it is free. */
  tryLease(taskId: string, options?: LeaseOptions): Promise<Lease | undefined>;
  /** Commits at the end of the journal. */
  commit(lease: Lease, events: readonly TaskEventBody[], options?: CommitOptions): ReturnType<Store["commit"]>;
  /** Makes a task, takes its lease, commits, and gives the lease back. */
  taskWith(events: readonly TaskEventBody[], parts?: Partial<NewTask>): Promise<TaskRecord>;
  /** Takes the lease of a task, commits, and gives the lease back. */
  write(taskId: string, events: readonly TaskEventBody[], store?: Store): Promise<void>;
  read(taskId: string, store?: Store): Promise<TaskSnapshot>;
  /** The ids of the signals that a task has pending. */
  pendingIds(taskId: string, store?: Store): Promise<readonly string[]>;
  /** Puts the next version of a session. */
  putSession(id: string, value: Json, expectedVersion?: number): Promise<StoredDocument>;
}

interface LeaseOptions {
  readonly store?: Store;
  readonly worker?: string;
  readonly clock?: KitClock;
}

interface CommitOptions {
  readonly store?: Store;
  readonly afterSeq?: number;
  readonly consume?: readonly string[];
}

/** Sets a scene; `end` closes and removes everything. */
export async function openScene(harness: StoreHarness, seed: number): Promise<{ scene: Scene; end(): Promise<void> }> {
  const store = await harness.open();
  const opened = new Set([store]);
  const clock = createKitClock();
  const abilityOf = <Ability extends HarnessAbility>(ability: Ability): NonNullable<StoreHarness[Ability]> => {
    const method = harness[ability];
    if (method === undefined) throw new ClauseBroken(`The harness has no ${ability}().`);
    return method;
  };
  const another: Scene["another"] = async (ability, from = store) => {
    const other = await abilityOf(ability).call(harness, from);
    opened.add(other);
    // Its process is dead and cannot close it.
    if (ability === "reopen") opened.delete(from);
    return other;
  };
  const can: Scene["can"] = (ability) => harness[ability] !== undefined;
  const limited: Scene["limited"] = async (quotas) => {
    const other = await abilityOf("limited").call(harness, quotas);
    opened.add(other);
    return other;
  };
  return {
    scene: { store, clock, seed, can, another, limited, ...actions(store, clock) },
    async end() {
      // A store that is broken may fail to close, too: that is for CLOSE-3 to say.
      await Promise.allSettled([...opened].map((each) => each.close()));
      await harness.dispose?.();
    },
  };
}

type Actions = Omit<Scene, "store" | "clock" | "seed" | "can" | "another" | "limited">;

function actions(store: Store, clock: KitClock): Actions {
  const newTask = taskMaker();
  const tryLease: Actions["tryLease"] = async (taskId, options = {}) => {
    const { store: at = store, worker = "worker-a", clock: by = clock } = options;
    return (await at.acquireLease({ taskId, worker, ttlMs, now: by.now() }))?.lease;
  };
  const lease: Actions["lease"] = async (taskId, options) => {
    const taken = await tryLease(taskId, options);
    expectThat(taken !== undefined, `the lease of ${taskId} is free for ${options?.worker ?? "worker-a"}`);
    return taken;
  };
  const read: Actions["read"] = async (taskId, at = store) => {
    const snapshot = await at.getTask(taskId);
    expectThat(snapshot !== undefined, `task ${taskId} is there`);
    return snapshot;
  };
  const commit: Actions["commit"] = async (held, events, options = {}) => {
    const at = options.store ?? store;
    const afterSeq = options.afterSeq ?? (await read(held.taskId, at)).record.lastSeq;
    return at.commit({ lease: held, afterSeq, events, consume: options.consume ?? [], now: clock.now() });
  };
  const create: Actions["create"] = async (parts, at = store) => {
    const made = await at.createTask({ task: newTask(parts), reuseResultMs, now: clock.now() });
    return { ...made.snapshot, created: made.created };
  };
  const write: Actions["write"] = async (taskId, events, at = store) => {
    const held = await lease(taskId, { store: at, worker: "worker-w" });
    await commit(held, events, { store: at });
    await at.releaseLease(held);
  };
  const taskWith: Actions["taskWith"] = async (events, parts) => {
    const { record } = await create(parts);
    await write(record.id, events);
    return (await read(record.id)).record;
  };
  return {
    newTask,
    tryLease,
    lease,
    read,
    commit,
    create,
    write,
    taskWith,
    async held(parts, at) {
      const { record } = await create(parts, at);
      return { record, held: await lease(record.id, { store: at }) };
    },
    pendingIds: async (taskId, at) => pluck((await read(taskId, at)).signals, "id"),
    putSession: (id, value, expectedVersion = 0) =>
      store.putDocument({ kind: "session", id, owner: "client:kit", value, expectedVersion, now: clock.now() }),
  };
}

function taskMaker(): Actions["newTask"] {
  let made = 0;
  return (parts) => {
    made += 1;
    return {
      id: `kit-task-${String(made).padStart(8, "0")}`,
      owner: "client:kit",
      tool: "count_words",
      toolVersion: "1",
      key: null,
      input: { path: "book.txt" },
      detached: true,
      ttlMs: 1_000,
      ...parts,
    };
  };
}

/** A process's clocks, turned by hand. */
export interface KitClock {
  now(): Instant;
  /** Lets time pass. */
  advance(ms: number): void;
  /** Sets the wall clock; no time passes. */
  jumpWall(ms: number): void;
}

/** Makes clocks that stand still until they are turned. */
export function createKitClock(monotonicMs = 1_000): KitClock {
  let wall = Date.UTC(2026, 0, 1);
  let monotonic = monotonicMs;
  return {
    now: () => ({ wallMs: wall, monotonicMs: monotonic }),
    advance(ms) {
      wall += ms;
      monotonic += ms;
    },
    jumpWall(ms) {
      wall += ms;
    },
  };
}

/** One sentence of the store contract, and how to find out whether a store keeps it. */
export interface Clause {
  /** Stable: a number is never given to another sentence. */
  readonly id: string;
  readonly level: "MUST" | "SHOULD";
  /** What a store does, in the present tense. */
  readonly title: string;
  /** What breaks without it. */
  readonly because: string;
  readonly needs?: HarnessAbility;
  /** Rejects when the store of the scene does not keep the clause. */
  readonly check: (scene: Scene) => Promise<void>;
}

/** Makes the clauses of a table by their ids; a clause is a MUST where it says nothing else. */
export function defineClauses(
  table: Readonly<Record<string, Omit<Clause, "id" | "level"> & Partial<Pick<Clause, "level">>>>,
): readonly Clause[] {
  return Object.entries(table).map(([id, clause]) => ({ id, level: "MUST", ...clause }));
}

/**
 * How the kit gets hold of a store, and of what can happen around it.
 *
 * A method that is absent excuses the clauses that need it; clause CAP-1 fails where a store declares a capability
 * that its harness gives no means to verify.
 */
export interface StoreHarness {
  /** Opens a store on data of its own, empty. Called once for each clause. */
  open(): Promise<Store>;
  /**
   * Lets the process of `store` die as by `SIGKILL`, without closing anything, and opens its data again.
   * The leases of the dead end at once, or when their heartbeats have stood still for their `ttlMs`.
   */
  reopen?(store: Store): Promise<Store>;
  /** Opens the data of `store` as another process would. */
  second?(store: Store): Promise<Store>;
  /** As `second`, but like a process on another machine: only heartbeats tell it who lives. */
  far?(store: Store): Promise<Store>;
  /** As `open`, a store with these quotas. */
  limited?(quotas: Partial<StoreQuotas>): Promise<Store>;
  /** Removes what `open` made. Called after each clause, when every store that it opened was closed. */
  dispose?(): Promise<void>;
}

/** What a clause may need beyond one store. */
export type HarnessAbility = ProcessAbility | "limited";

/** What a harness does to the processes around a store. */
export type ProcessAbility = "reopen" | "second" | "far";
