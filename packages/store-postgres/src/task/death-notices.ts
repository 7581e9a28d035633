import type pg from "pg";
import type { Database } from "../database/database.js";
import type { Beat, WorkerRegistry } from "./worker-registry.js";

/** A worker, whether the process that it belongs to keeps a lock, and whether the lock is there. */
interface Sight extends Beat {
  readonly locks: boolean;
  readonly held: boolean;
}

/** What death notices report. */
interface DeathEvents {
  /** A process died. */
  readonly onDeath: () => void;
  /** The server has not answered on the connection for `statementTimeoutMs`. */
  readonly onSilence: () => void;
}

/** Workers `w` of a schema, and the lock `l` of each, where it is there. A worker's name ends with that of its store. */
const workersWithLocks = `store.worker w
    CROSS JOIN LATERAL (SELECT hashtextextended($1 || split_part(w.worker, '.', -1), 9) AS key) k
    LEFT JOIN pg_locks l ON l.locktype = 'advisory' AND l.granted AND l.objsubid = 1
      AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())
      AND l.classid::bigint = (k.key >> 32) & 4294967295 AND l.objid::bigint = k.key & 4294967295`;
const lookStatement = {
  name: "look",
  text: `SELECT w.worker, w.beat, w.locks, l.objid IS NOT NULL AS held FROM ${workersWithLocks}`,
};
/** Which connections hold these locks. */
export const holdersStatement = {
  name: "holders",
  text: `SELECT DISTINCT a.pid, coalesce(host(a.client_addr), 'the server''s machine') AS host
    FROM ${workersWithLocks} JOIN pg_stat_activity a ON a.pid = l.pid`,
};
const lockStatement = { name: "lock", text: "SELECT pg_try_advisory_lock(hashtextextended($1 || $2, 9))" };

/**
 * Notices that a process died before its heartbeats have stood still for a lease's `ttlMs`.
 *
 * Each store has a lock that the server frees when its connection for notifications ends, as it does at once when a process is
 * killed. Where a lock is seen missing that the worker's row promises, and the heartbeat does not move within `deathNoticeMs` from then
 * on, the process is dead. A live process that lost its lock, or hears nothing from the server, moves its heartbeat at every look.
 *
 * A verdict that is wrong costs an attempt and never data: leases are fenced.
 */
export class DeathNotices {
  readonly #database: Database;
  readonly #workers: WorkerRegistry;
  readonly #events: DeathEvents;
  #client: pg.ClientBase | undefined;
  #timer: NodeJS.Timeout | undefined;
  /** When the look that is under way was asked for. */
  #askedMs: number | undefined;
  /** When a lock was seen missing first, and the heartbeat of then. */
  readonly #missing = new Map<string, { readonly beat: number; readonly atMs: number; isNoted: boolean }>();

  constructor(database: Database, workers: WorkerRegistry, events: DeathEvents) {
    this.#database = database;
    this.#workers = workers;
    this.#events = events;
  }

  /** The connection for notifications is there. */
  async connected(client: pg.ClientBase): Promise<void> {
    const { deathNoticeMs, deathLookMs } = this.#database.limits;
    if (deathNoticeMs === Number.POSITIVE_INFINITY) return;
    this.#client = client;
    this.#askedMs = undefined;
    this.#timer ??= setInterval(() => void this.#tick(), deathLookMs).unref();
    await this.#lock(client);
    if (this.#client !== client) return;
    this.#workers.locks = true;
    void this.#beat();
  }

  /** It is lost. */
  disconnected(): void {
    this.#client = undefined;
    this.#askedMs = undefined;
    if (this.#timer !== undefined) void this.#beat();
  }

  close(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#client = undefined;
  }

  async #tick(): Promise<void> {
    if (this.#workers.own.length === 0) return;
    const client = this.#client;
    const askedMs = performance.now();
    if (client === undefined || this.#askedMs !== undefined) {
      const isSilent = askedMs - (this.#askedMs ?? askedMs) >= this.#database.limits.statementTimeoutMs;
      if (isSilent) this.#events.onSilence();
      return this.#beat();
    }
    this.#askedMs = askedMs;
    try {
      await this.#look(client, askedMs);
    } catch {
      // A connection that failed is replaced.
    } finally {
      if (client === this.#client) this.#askedMs = undefined;
    }
  }

  async #look(client: pg.ClientBase, askedMs: number): Promise<void> {
    const sights = await this.#database.queryOn<Sight>(client, lookStatement, [this.#database.schema]);
    if (client !== this.#client) return;
    const own = new Set(this.#workers.own);
    if (sights.some(({ worker, held }) => own.has(worker) && !held)) {
      await Promise.all([this.#beat(), this.#lock(client)]);
    }
    const others = sights.filter(({ worker }) => !own.has(worker));
    this.#workers.see(others);
    const dead = this.#judge(others, askedMs, performance.now());
    for (const beat of dead) this.#workers.noteDeath(beat);
    if (dead.length > 0) this.#events.onDeath();
  }

  /** From one look at which a lock was missing to another: what a frozen process reads late is of the time at which it asked. */
  #judge(sights: readonly Sight[], askedMs: number, answeredMs: number): readonly Beat[] {
    const dead: Beat[] = [];
    for (const { worker, beat, locks, held } of sights) {
      const since = this.#missing.get(worker);
      if (held || !locks) {
        this.#missing.delete(worker);
      } else if (since?.beat !== beat) {
        this.#missing.set(worker, { beat, atMs: answeredMs, isNoted: false });
      } else if (!since.isNoted && askedMs - since.atMs >= this.#database.limits.deathNoticeMs) {
        dead.push({ worker, beat });
        since.isNoted = true;
      }
    }
    const present = new Set(sights.map(({ worker }) => worker));
    for (const worker of this.#missing.keys()) if (!present.has(worker)) this.#missing.delete(worker);
    return dead;
  }

  async #beat(): Promise<void> {
    // Where the server cannot be reached, others cannot see the heartbeat either.
    await Promise.all(this.#workers.own.map((name) => this.#workers.heartbeat(name).catch(() => {})));
  }

  async #lock(client: pg.ClientBase): Promise<void> {
    const { schema, instance } = this.#database;
    await this.#database.queryOn(client, lockStatement, [schema, instance]);
  }
}
