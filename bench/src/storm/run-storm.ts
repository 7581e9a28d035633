import { randomUUID } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import type { Store } from "@resumable-mcp/core";
import { createFsStore, observerPoints } from "@resumable-mcp/store-fs";
import { temporaryFolder } from "../stores/stored-tasks.js";
import { driveRun, type FollowedRun } from "./driver.js";
import { createRandom, histogram, planKill, type Random } from "./kill-plan.js";
import { beginLife, liveUntilKilled, type ServerLife } from "./server-life.js";
import { journalFacts, problemsOfRun } from "./verify.js";

/** How hard the storm is. */
export interface StormOptions {
  /** Kills that count: an attempt was running when the server died. */
  readonly kills: number;
  /** Runs at once. */
  readonly tasks: number;
  /** Servers on one store folder. */
  readonly servers: 1 | 2;
  readonly seed: number;
  readonly records: number;
  readonly batch: number;
  readonly leaseTtlMs: number;
  readonly log: (line: string) => void;
}

/** What the storm did and what it found. */
export interface StormReport {
  readonly kills: number;
  readonly killsWithoutWork: number;
  /** Servers that were stopped beyond their lease and woken again. */
  readonly freezes: number;
  /** Commits of woken servers that were refused, as they reported them. */
  readonly refused: number;
  readonly places: readonly (readonly [string, number])[];
  readonly runs: number;
  readonly crashesInJournals: number;
  readonly snapshots: number;
  readonly problems: readonly string[];
}

const killPoints = [
  "engine.attempt.started",
  "engine.checkpoint.before",
  "engine.checkpoint.after",
  "engine.attempt.ended",
  ...observerPoints.filter((point) => !point.startsWith("store.delete") && !point.startsWith("store.quarantine")),
] as const;

/** Kills servers again and again while clients use them, and checks that no client noticed. */
export async function runStorm(options: StormOptions): Promise<StormReport> {
  const folder = await temporaryFolder();
  const reader = createFsStore({ directory: folder.directory });
  const storm = new Storm(options, folder.directory, reader);
  let report: StormReport | undefined;
  try {
    report = await storm.run();
    return report;
  } finally {
    await storm.end();
    await reader.close();
    // A store that did not keep its promises is what one wants to look at.
    if (report?.problems.length === 0) await folder.remove();
    else options.log(`the store is kept in ${folder.directory}`);
  }
}

class Storm {
  readonly #options: StormOptions;
  readonly #directory: string;
  readonly #reader: Store;
  readonly #random: Random;
  readonly #ports: number[];
  readonly #lives = new Map<number, ServerLife>();
  readonly #places: string[] = [];
  readonly #active = new Set<string>();
  readonly #abort = new AbortController();
  #killsWithoutWork = 0;
  #freezes = 0;
  #refused = 0;
  #begun = 0;

  constructor(options: StormOptions, directory: string, reader: Store) {
    this.#options = options;
    this.#directory = directory;
    this.#reader = reader;
    this.#random = createRandom(options.seed);
    this.#ports = Array.from({ length: options.servers }, () => 0);
  }

  async run(): Promise<StormReport> {
    await this.#firstLives();
    const runs: FollowedRun[] = [];
    const drivers = Array.from({ length: this.#options.tasks }, (_, index) => this.#drive(index, runs));
    const weather = Promise.all(this.#ports.map((_, slot) => this.#weather(slot)));
    const failed = (error: unknown): never => {
      if (!this.#abort.signal.aborted) this.#options.log(`failed: ${String(error)}`);
      this.#abort.abort(error);
      throw error;
    };
    await Promise.all([...drivers.map((driver) => driver.catch(failed)), weather.catch(failed)]);
    return this.#report(runs);
  }

  async end(): Promise<void> {
    this.#abort.abort(new Error("The storm is over."));
    for (const life of this.#lives.values()) life.kill("SIGKILL");
    await Promise.allSettled([...this.#lives.values()].map((life) => life.death));
  }

  /** Ports are chosen by the system once and kept, so that clients find the next life where the last one was. */
  async #firstLives(): Promise<void> {
    for (const slot of this.#ports.keys()) {
      const life = await beginLife({ ...this.#order(slot) });
      if ("diedAt" in life) throw new Error("The first server died before it listened.");
      this.#ports[slot] = life.port;
      life.kill("SIGKILL");
      await life.death;
    }
  }

  #order(slot: number): { directory: string; port: number; leaseTtlMs: number } {
    const { leaseTtlMs } = this.#options;
    return { directory: this.#directory, port: this.#ports[slot] ?? 0, leaseTtlMs };
  }

  get #over(): boolean {
    return this.#places.length >= this.#options.kills;
  }

  /** Runs follow one another until enough kills have counted. */
  async #drive(index: number, runs: FollowedRun[]): Promise<void> {
    const { records, batch } = this.#options;
    const clientId = randomUUID();
    const url = (): URL =>
      new URL(`http://127.0.0.1:${this.#ports[this.#random.between(0, this.#ports.length - 1)]}/mcp`);
    while (!this.#over || this.#begun < this.#options.tasks) {
      this.#begun += 1;
      const run = `run-${index}-${this.#begun}`;
      runs.push(
        await driveRun(run, {
          url,
          clientId,
          records,
          batch,
          signal: this.#abort.signal,
          onStarted: (taskId) => this.#active.add(taskId),
        }).then((followed) => {
          this.#active.delete(followed.taskId);
          return followed;
        }),
      );
    }
  }

  /** Lets one server live and die until enough kills have counted; the last life lasts until the runs are over. */
  async #weather(slot: number): Promise<void> {
    const patienceMs = 2_000;
    while (!this.#over && !this.#abort.signal.aborted) {
      if (this.#ports.length > 1 && this.#random.next() < 0.15) await this.#freeze(slot);
      else await this.#killOnce(slot, patienceMs);
    }
    const last = await beginLife(this.#order(slot));
    if ("diedAt" in last) throw new Error("The last server died.");
    this.#lives.set(slot, last);
  }

  async #killOnce(slot: number, patienceMs: number): Promise<void> {
    const plan = planKill(this.#random, killPoints);
    const place = await liveUntilKilled(this.#order(slot), plan, patienceMs, (life) => this.#lives.set(slot, life));
    if (await this.#wasWorking()) {
      this.#places.push(place);
      if (this.#places.length % 10 === 0) this.#options.log(`${this.#places.length} kills`);
    } else {
      this.#killsWithoutWork += 1;
    }
  }

  /** Stops a server beyond its lease, wakes it, lets it try to go on, and kills it. */
  async #freeze(slot: number): Promise<void> {
    const life = await beginLife(this.#order(slot));
    if ("diedAt" in life) return;
    this.#lives.set(slot, life);
    await pause(this.#random.between(200, 600));
    life.kill("SIGSTOP");
    await pause(this.#options.leaseTtlMs * 2);
    life.kill("SIGCONT");
    await pause(500);
    this.#refused += life.lines.filter((line) => line.includes("LEASE_LOST")).length;
    this.#freezes += 1;
    life.kill("SIGKILL");
    await life.death;
  }

  /** The journal knows: an attempt that was started has no end. */
  async #wasWorking(): Promise<boolean> {
    for (const id of this.#active) {
      const task = await this.#reader.getTask(id);
      if (task?.record.live === true) return true;
    }
    return false;
  }

  async #report(runs: readonly FollowedRun[]): Promise<StormReport> {
    const { records, batch } = this.#options;
    const problems = runs.flatMap((run) => problemsOfRun(run, { records, batch }));
    let crashesInJournals = 0;
    for (const { taskId } of runs) {
      const facts = await journalFacts(this.#reader, taskId);
      crashesInJournals += facts.crashes;
      problems.push(...facts.problems);
    }
    return {
      kills: this.#places.length,
      killsWithoutWork: this.#killsWithoutWork,
      freezes: this.#freezes,
      refused: this.#refused,
      places: histogram(this.#places),
      runs: runs.length,
      crashesInJournals,
      snapshots: runs.reduce((sum, run) => sum + run.snapshots, 0),
      problems,
    };
  }
}
