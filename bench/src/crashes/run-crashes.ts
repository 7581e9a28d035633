import { setTimeout as pause } from "node:timers/promises";
import { isFinal, type Store } from "@resumable-mcp/core";
import { createFsStore, observerPoints } from "@resumable-mcp/store-fs";
import { temporaryFolder } from "../stores/stored-tasks.js";
import { createRandom, histogram, planKill, type Random } from "../storm/kill-plan.js";
import { type CrashVerdict, judgeRuns } from "./judge-runs.js";
import { RunBoard } from "./run-board.js";
import { beginWorker, type WorkerLife, type WorkerOrder } from "./worker-life.js";

/** How hard the storm on the bare engine is. */
export interface CrashOptions {
  /** SIGKILLs that count: the worker had begun to run tasks. */
  readonly kills: number;
  /** Unfinished tasks at any time. */
  readonly tasks: number;
  /** Worker processes on one folder. */
  readonly processes: number;
  readonly seed: number;
  readonly records: number;
  readonly batch: number;
  readonly durability: "machine" | "process";
  readonly compact: boolean;
  readonly leaseTtlMs: number;
  readonly log: (line: string) => void;
}

/** What the storm did, and what it found. */
export interface CrashReport extends CrashVerdict {
  readonly kills: number;
  /** Workers that died before they ran anything. */
  readonly killsBeforeWork: number;
  readonly places: readonly (readonly [string, number])[];
  /** Workers that were stopped beyond their lease and woken again. */
  readonly freezes: number;
  /** Errors that engines reported, by their code: each is one that an operator would read. */
  readonly errors: readonly (readonly [string, number])[];
}

/** How long all runs may take to finish after the last kill, in milliseconds. */
const finishPatienceMs = 300_000;
/** How long to wait until a worker passes the point at which it is to die; then it dies at a moment. */
const pointPatienceMs = 800;
/** How long a worker may take until its first attempt begins. */
const workPatienceMs = 5_000;

const enginePoints = [
  "engine.attempt.started",
  "engine.checkpoint.before",
  "engine.checkpoint.after",
  "engine.attempt.ended",
] as const;

/** Kills processes that run tasks on one folder, again and again, and then asks the journals what happened. */
export async function runCrashes(options: CrashOptions): Promise<CrashReport> {
  const folder = await temporaryFolder();
  const reader = createFsStore({ directory: folder.directory, durability: options.durability });
  const crashes = new Crashes(options, folder.directory, reader);
  let report: CrashReport | undefined;
  try {
    report = await crashes.run();
    return report;
  } finally {
    await crashes.end();
    await reader.close();
    // A store that did not keep its promises is what one wants to look at.
    if (report?.problems.length === 0) await folder.remove();
    else options.log(`the store is kept in ${folder.directory}`);
  }
}

class Crashes {
  private readonly options: CrashOptions;
  private readonly directory: string;
  private readonly reader: Store;
  private readonly random: Random;
  private readonly board: RunBoard;
  private readonly lives = new Map<number, WorkerLife>();
  private readonly places: string[] = [];
  private readonly problems: string[] = [];
  private readonly points: readonly [string, ...string[]];
  private killsBeforeWork = 0;
  private freezes = 0;
  private over = false;

  constructor(options: CrashOptions, directory: string, reader: Store) {
    this.options = options;
    this.directory = directory;
    this.reader = reader;
    this.random = createRandom(options.seed);
    this.board = new RunBoard(options);
    this.points = [...enginePoints, ...observerPoints.filter((point) => isReached(point, options.compact))];
  }

  async run(): Promise<CrashReport> {
    const slots = Array.from({ length: this.options.processes }, (_, slot) => slot);
    this.board.fill();
    const watching = this.watchFinishes();
    const weather = slots.map((slot) => this.weather(slot));
    await Promise.all(weather).catch((error: unknown) => this.problems.push(String(error)));
    this.over = true;
    await watching;
    await this.endLives();
    const { directory, reader, board, options, problems } = this;
    const verdict = await judgeRuns({ directory, reader, board, compact: options.compact });
    return {
      ...verdict,
      problems: [...problems, ...verdict.problems],
      kills: this.places.length,
      killsBeforeWork: this.killsBeforeWork,
      places: histogram(this.places),
      freezes: this.freezes,
      errors: histogram(board.errors),
    };
  }

  /** Ends what still lives, whatever happened before. */
  async end(): Promise<void> {
    this.over = true;
    for (const life of this.lives.values()) life.kill("SIGKILL");
    await Promise.allSettled([...this.lives.values()].map((life) => life.death));
  }

  private async endLives(): Promise<void> {
    for (const life of this.lives.values()) life.end();
    for (const life of this.lives.values()) {
      await life.death.catch((error: unknown) => this.problems.push(String(error)));
    }
  }

  private get enough(): boolean {
    return this.places.length >= this.options.kills;
  }

  /** Lets one worker live and die until enough kills have counted; its last life lasts until the runs are over. */
  private async weather(slot: number): Promise<void> {
    while (!this.enough) {
      if (this.options.processes > 1 && this.random.next() < 0.15) await this.freeze(slot);
      else await this.killOnce(slot);
    }
    await this.begin(slot);
  }

  private async begin(slot: number, point?: WorkerOrder["point"]): Promise<WorkerLife> {
    const { durability, leaseTtlMs, compact } = this.options;
    const order = { directory: this.directory, durability, leaseTtlMs, compact, ...(point && { point }) };
    const life = beginWorker(order, (line) => this.board.hear(line));
    this.lives.set(slot, life);
    if (await life.ready) for (const run of this.board.unstarted()) life.start(run);
    return life;
  }

  /** Two of three deaths are at a named point, one is at a moment; a point that is not passed becomes a moment. */
  private async killOnce(slot: number): Promise<void> {
    const plan = planKill(this.random, this.points);
    const point = plan.kind === "point" ? { name: plan.point, hits: plan.hits } : undefined;
    const life = await this.begin(slot, point);
    await this.workBegins(life);
    const timer = setTimeout(() => life.kill("SIGKILL"), plan.kind === "moment" ? plan.afterMs : pointPatienceMs);
    const place = await life.death.finally(() => clearTimeout(timer));
    this.count(life, place ?? "a random moment");
  }

  /** A worker that finds nothing to do, since others do it, lives for a while and dies without having worked. */
  private async workBegins(life: WorkerLife): Promise<void> {
    const patience = new AbortController();
    await Promise.race([life.working, pause(workPatienceMs, undefined, { signal: patience.signal }).catch(() => {})]);
    patience.abort();
  }

  private count(life: WorkerLife, place: string): void {
    if (!life.hasWorked()) {
      this.killsBeforeWork += 1;
      return;
    }
    this.places.push(place);
    if (this.places.length % 50 === 0) {
      this.options.log(`${this.places.length} kills, ${this.board.finished} runs finished`);
    }
  }

  /** Stops a worker beyond its lease, wakes it, lets it try to go on, and kills it. */
  private async freeze(slot: number): Promise<void> {
    const life = await this.begin(slot);
    await this.workBegins(life);
    await pause(this.random.between(50, 600));
    life.kill("SIGSTOP");
    await pause(this.options.leaseTtlMs * 2);
    life.kill("SIGCONT");
    await pause(this.random.between(100, 500));
    life.kill("SIGKILL");
    await life.death;
    this.freezes += 1;
    this.count(life, "after it slept through its lease");
  }

  /** Finished runs are followed by new ones while the storm lasts; afterwards all have to finish. */
  private async watchFinishes(): Promise<void> {
    let deadlineMs = Number.POSITIVE_INFINITY;
    for (;;) {
      await this.noteFinished();
      if (!this.over && !this.enough) this.board.fill(this.lives.values());
      else if (this.over && this.board.open.length === 0) return;
      if (this.over) deadlineMs = Math.min(deadlineMs, performance.now() + finishPatienceMs);
      if (performance.now() > deadlineMs || this.problems.length > 0) {
        this.problems.push(...this.board.open.map((run) => `${run} never finished`));
        return;
      }
      await pause(250);
    }
  }

  private async noteFinished(): Promise<void> {
    for (const [run, taskId] of this.board.running()) {
      const task = await this.reader.getTask(taskId);
      if (task !== undefined && isFinal(task.record.status)) this.board.finish(run);
    }
  }
}

/** Nothing is deleted and nothing is damaged in this storm. */
function isReached(point: string, compact: boolean): boolean {
  if (point.startsWith("store.compact")) return compact;
  return !point.startsWith("store.delete") && !point.startsWith("store.quarantine");
}
