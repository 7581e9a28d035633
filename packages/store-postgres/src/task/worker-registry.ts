import type { Instant, Offers, WorkerOffers } from "@resumable-mcp/core/store";
import type { Database } from "../database/database.js";

/** Heartbeats that stood still, as parameters of a statement: worker, its heartbeat, for how long it stood still. */
export type Standing = readonly [workers: readonly string[], beats: readonly number[], stoodMs: readonly number[]];

/** The columns of {@link Standing} as a table of a statement. */
export function standingTable(first: number): string {
  const at = (offset: number) => `$${first + offset}`;
  return `unnest(${at(0)}::text[], ${at(1)}::double precision[], ${at(2)}::double precision[]) d(worker, beat, stood_ms)`;
}

/** The heartbeat of a worker. */
export interface Beat {
  readonly worker: string;
  readonly beat: number;
}

// A heartbeat that a crash of the server loses is followed by another: it need not wait for the disk.
const beatStatement = {
  name: "beat",
  text: `WITH q AS (SELECT set_config('synchronous_commit', 'off', true)),
    b AS (INSERT INTO store.worker (worker, beat, offers, locks) SELECT $1, $2, $3, $4 FROM q
      ON CONFLICT (worker) DO UPDATE SET beat = excluded.beat, offers = coalesce(excluded.offers, worker.offers),
        locks = excluded.locks)
    SELECT worker, beat FROM store.worker`,
};

const forgetStatement = {
  name: "forget",
  text: `DELETE FROM store.worker w USING ${standingTable(1)} WHERE w.worker = d.worker AND w.beat = d.beat AND d.stood_ms >= $4`,
};

const offersStatement = {
  name: "offers",
  text: "SELECT worker, beat, offers FROM store.worker WHERE offers IS NOT NULL AND worker <> $1",
};

const leaveStatement = { name: "leave", text: "DELETE FROM store.worker WHERE worker = ANY ($1)" };

/**
 * Tells which workers are alive: those whose heartbeat moved within a time by this process's own monotonic clock. The server's
 * clock is never read.
 */
export class WorkerRegistry {
  /** This process keeps a lock that says that it lives, and its heartbeats say so. */
  locks = false;
  readonly #database: Database;
  /** Heartbeats of this store's workers. */
  readonly #own = new Map<string, number>();
  readonly #seen = new Map<string, { readonly beat: number; atMs: number }>();
  /** Workers whose process died, by the heartbeat at which that was noticed. */
  readonly #dead = new Map<string, number>();
  #latestMs: number | undefined;
  /** When {@link #latestMs} was noted, by a clock that measures only how long answers take. */
  #notedAt = 0;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Notes the time; the newest one noted counts where an operation does not get the time. */
  noteTime({ monotonicMs }: Instant): void {
    if (this.#latestMs !== undefined && monotonicMs < this.#latestMs) return;
    // What was seen before the first time that was given is of that time.
    if (this.#latestMs === undefined) for (const entry of this.#seen.values()) entry.atMs = monotonicMs;
    this.#latestMs = monotonicMs;
    this.#notedAt = performance.now();
  }

  get #nowMs(): number {
    return this.#latestMs ?? 0;
  }

  /** What a worker of this store is called in the schema: a process that comes back under the same name is another worker. */
  nameOf(worker: string): string {
    return `${JSON.stringify(worker).slice(1, -1)}.${this.#database.instance}`;
  }

  /** The next heartbeat of a worker of this store. */
  nextBeat(name: string): number {
    const beat = (this.#own.get(name) ?? 0) + 1;
    this.#own.set(name, beat);
    return beat;
  }

  /** Says that a worker is alive and what it offers, and learns who else is. */
  async heartbeat(name: string, offers?: Offers): Promise<void> {
    const published = offers === undefined ? null : JSON.stringify(offers);
    const values = [name, this.nextBeat(name), published, this.locks];
    this.see(await this.#database.query<Beat>("write", beatStatement, values));
    const { forgetWorkerMs } = this.#database.limits;
    const standing = this.#standing(() => 0);
    if (standing[2].every((stoodMs) => stoodMs < forgetWorkerMs)) return;
    await this.#database.query("write", forgetStatement, [...standing, forgetWorkerMs]);
    for (const [worker, { atMs }] of this.#seen) {
      if (this.#nowMs - atMs < forgetWorkerMs) continue;
      this.#seen.delete(worker);
      this.#dead.delete(worker);
    }
  }

  /** What each other living worker offers, by the newest time that was noted. */
  async listOffers(name: string, ttlMs: number): Promise<readonly WorkerOffers[]> {
    const rows = await this.#database.query<Beat & { readonly offers: string }>("read", offersStatement, [name]);
    return rows
      .filter(({ worker, beat }) => this.isAlive(worker, beat, ttlMs))
      .map(({ worker, offers }) => ({ worker: workerOf(worker), offers: JSON.parse(offers) }));
  }

  /** Notes heartbeats that the server holds. */
  see(beats: readonly Beat[]): void {
    // An answer that took long shows heartbeats of a time after the one that was noted when it was asked for.
    const sinceMs = performance.now() - this.#notedAt;
    const atMs = this.#nowMs + (sinceMs > this.#database.limits.slowAnswerMs ? sinceMs : 0);
    for (const { worker, beat } of beats) {
      if (!this.#own.has(worker) && this.#seen.get(worker)?.beat !== beat) this.#seen.set(worker, { beat, atMs });
    }
  }

  /** Notes that the process of a worker died; a heartbeat that comes after all says otherwise. */
  noteDeath({ worker, beat }: Beat): void {
    this.see([{ worker, beat }]);
    this.#dead.set(worker, beat);
  }

  /** Tells whether the holder of a lease is alive, by the newest time that was noted. The first sight of it counts as a heartbeat. */
  isAlive(worker: string, beat: number | null, ttlMs: number): boolean {
    if (this.#own.has(worker)) return true;
    if (beat === null) return false;
    this.see([{ worker, beat }]);
    if (this.#dead.get(worker) === beat) return false;
    return this.#nowMs - (this.#seen.get(worker)?.atMs ?? 0) < ttlMs;
  }

  /** For how long the heartbeats of others have stood still; those of the dead without end. */
  standing(): Standing {
    return this.#standing((worker, beat) => (this.#dead.get(worker) === beat ? Number.POSITIVE_INFINITY : 0));
  }

  #standing(atLeastMs: (worker: string, beat: number) => number): Standing {
    const seen = [...this.#seen];
    return [
      seen.map(([worker]) => worker),
      seen.map(([, { beat }]) => beat),
      seen.map(([worker, { beat, atMs }]) => Math.max(this.#nowMs - atMs, atLeastMs(worker, beat))),
    ];
  }

  /** The names of this store's workers. */
  get own(): readonly string[] {
    return [...this.#own.keys()];
  }

  /** Removes this store's workers. */
  async close(): Promise<void> {
    if (this.#own.size > 0) await this.#database.query("write", leaveStatement, [this.own]);
  }
}

/** The worker that {@link WorkerRegistry.nameOf} named. */
function workerOf(name: string): string {
  return JSON.parse(`"${name.slice(0, name.lastIndexOf("."))}"`);
}
