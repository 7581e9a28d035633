import { setTimeout as pause } from "node:timers/promises";
import type { Store } from "@resumable-mcp/core";
import { createFsStore, observerPoints } from "@resumable-mcp/store-fs";
import { temporaryFolder } from "../stores/stored-tasks.js";
import { sessionLost } from "./in-life.js";
import { createRandom, histogram, type KillPlan, type KillPoint, type Random } from "./kill-plan.js";
import { beginLife, type Life, type LifeLine, type LifeOrder } from "./life.js";
import { StormHistory } from "./storm-history.js";

/** How long to wait until a process passes the point at which it is to die; then it dies at a moment. */
const pointPatienceMs = 1_000;
/** How long a process that is to stop may take. */
const stopPatienceMs = 10_000;
/** How long a process may take until its first attempt begins. */
const workPatienceMs = 5_000;

/** Points at which processes die: nothing is deleted and nothing is damaged in a storm. */
export function killPoints(compact: boolean): readonly [string, ...string[]] {
  const avoided = ["store.delete", "store.quarantine", ...(compact ? [] : ["store.compact"])];
  return [
    "engine.attempt.started",
    "engine.checkpoint.before",
    "engine.checkpoint.after",
    "engine.attempt.ended",
    ...observerPoints.filter((point) => !avoided.some((start) => point.startsWith(start))),
  ];
}

/** Where no server listens: a call fails and is made again. */
export const nowhere = new URL("http://127.0.0.1:1/mcp");

/** Which processes die, how often and how. */
export interface WeatherOptions {
  /** The program that runs in each process, and its order. */
  readonly program: string;
  readonly order: LifeOrder;
  readonly kills: number;
  /** How many live at a time. */
  readonly processes: number;
  readonly seed: number;
  readonly plan: (random: Random) => KillPlan;
  /** A process is killed, and the kill counts, also when no attempt has begun in it. */
  readonly idle?: true;
  /** The program ends by itself when it is asked to. */
  readonly stops?: true;
  readonly hear?: (line: LifeLine) => void;
  readonly onReady?: (life: Life) => void;
  /** How the log continues after the number of kills. */
  readonly progress?: () => string;
}

/** Lets processes on one store live and die, each in its slot, until enough kills have counted. */
export class Weather {
  readonly random: Random;
  readonly lives = new Map<number, Life>();
  readonly history = new StormHistory();
  readonly #options: WeatherOptions;
  readonly #places: string[] = [];
  readonly #errors: string[] = [];
  #killsBeforeWork = 0;
  #freezes = 0;
  #isOver = false;

  constructor(options: WeatherOptions) {
    this.#options = options;
    this.random = createRandom(options.seed);
  }

  get kills(): number {
    return this.#places.length;
  }

  get isEnough(): boolean {
    return this.#isOver || this.kills >= this.#options.kills;
  }

  /** A life whose server listens. */
  anyServer(): Life | undefined {
    const [first, ...others] = [...this.lives.values()].filter((life) => life.url() !== undefined);
    return first === undefined ? undefined : this.random.pick([first, ...others]);
  }

  anyUrl(): URL {
    return this.anyServer()?.url() ?? nowhere;
  }

  /** Begins the next life of a slot. */
  async begin(slot: number, point?: KillPoint): Promise<Life> {
    const { program, order, hear, onReady } = this.#options;
    this.lives.get(slot)?.kill("SIGKILL");
    const life = beginLife(program, { ...order, point }, (line) => {
      if (line.kind === "error") this.#errors.push(line.code === "none" ? line.text : line.code);
      if (line.kind === "noted") this.history.hear(life.name, line.event);
      hear?.(line);
    });
    this.lives.set(slot, life);
    const worker = life.name;
    this.history.add("started", { worker });
    const noteDeath = (point: string | undefined) => this.history.add("died", { worker, reason: point });
    life.death.then(noteDeath, () => noteDeath("an error"));
    await life.ready;
    onReady?.(life);
    return life;
  }

  /** Kills processes until it is enough; the last life of each slot stays. */
  async run(): Promise<void> {
    const slots = Array.from({ length: this.#options.processes }, (_, slot) => slot);
    await Promise.all(slots.map((slot) => this.#runSlot(slot)));
  }

  /** Ends what still lives. */
  async end(): Promise<void> {
    this.#isOver = true;
    for (const life of this.lives.values()) life.kill("SIGKILL");
    await Promise.allSettled([...this.lives.values()].map((life) => life.death));
  }

  /** What no server may answer. */
  problems(): readonly string[] {
    return this.#errors.filter((text) => text.includes(sessionLost));
  }

  /** Says what happened. */
  lines(): readonly string[] {
    const row = ([text, count]: readonly [string, number]) => `${String(count).padStart(6)}  ${text}`;
    return [
      `${this.kills} kills of processes that ran tasks (and ${this.#killsBeforeWork} before they did):`,
      ...histogram(this.#places).map(row),
      ...(this.#freezes > 0 ? [`${this.#freezes} of them slept through their lease first`] : []),
      `${this.history.size} events of callers, tools and processes, judged by the rules of the simulator`,
      ...histogram(this.#errors).map(([code, count]) => row([`reported by engines: ${code}`, count])),
    ];
  }

  async #runSlot(slot: number): Promise<void> {
    const { processes, idle = false, stops = false } = this.#options;
    while (!this.isEnough) {
      const chance = this.random.next();
      if (processes > 1 && !idle && chance < 0.15) await this.#freeze(slot);
      else if (stops && chance < 0.3) await this.#stop(slot);
      else await this.#killOnce(slot);
    }
    if (!this.#isOver) await this.begin(slot);
  }

  async #killOnce(slot: number): Promise<void> {
    const plan = this.#options.plan(this.random);
    const life = await this.begin(slot, plan.kind === "point" ? plan.point : undefined);
    await this.#workBegins(life);
    const timer = setTimeout(() => life.kill("SIGKILL"), plan.kind === "moment" ? plan.afterMs : pointPatienceMs);
    const place = await life.death.finally(() => clearTimeout(timer));
    this.#count(life, place ?? "a random moment");
  }

  /** Asks a process to stop, as those who deploy do; one that does not end in time is killed. */
  async #stop(slot: number): Promise<void> {
    const life = await this.begin(slot);
    await this.#workBegins(life);
    await pause(this.random.between(50, 600));
    life.kill("SIGTERM");
    const timer = setTimeout(() => life.kill("SIGKILL"), stopPatienceMs);
    await life.death.finally(() => clearTimeout(timer));
    this.#count(life, "after SIGTERM");
  }

  /** Stops a process beyond its lease, wakes it, lets it try to continue, and kills it. */
  async #freeze(slot: number): Promise<void> {
    const life = await this.begin(slot);
    await this.#workBegins(life);
    await pause(this.random.between(50, 600));
    life.kill("SIGSTOP");
    this.history.add("fault", { fault: "freeze", worker: life.name });
    await pause(this.#options.order.leaseTtlMs * 2);
    life.kill("SIGCONT");
    await pause(this.random.between(100, 500));
    life.kill("SIGKILL");
    await life.death;
    this.#freezes += 1;
    this.#count(life, "after it slept through its lease");
  }

  /** A process that finds nothing to do, since others do it, lives for a while and dies without having worked. */
  async #workBegins(life: Life): Promise<void> {
    if (this.#options.idle === true) return;
    const patience = new AbortController();
    await Promise.race([life.working, pause(workPatienceMs, undefined, { signal: patience.signal }).catch(() => {})]);
    patience.abort();
  }

  #count(life: Life, place: string): void {
    if (this.isEnough) return;
    if (!life.hasWorked() && this.#options.idle !== true) {
      this.#killsBeforeWork += 1;
      return;
    }
    this.#places.push(place);
    if (this.kills % 50 === 0) console.log(`${this.kills} kills${this.#options.progress?.() ?? ""}`);
  }
}

/** What a storm did and found. */
export interface StormReport {
  readonly lines: readonly string[];
  readonly problems: readonly string[];
  /** What is complete, with its number. */
  readonly complete: string;
}

/** Runs a storm on a new store, prints what it found, and keeps the store where there are problems. */
export async function reportOn(storm: (directory: string, reader: Store) => Promise<StormReport>): Promise<void> {
  const folder = await temporaryFolder();
  const reader = createFsStore({ directory: folder.directory });
  process.exitCode = 1;
  try {
    printReport(await storm(folder.directory, reader));
  } finally {
    await reader.close();
    if (process.exitCode === 0) await folder.remove();
    else console.log(`the store is kept in ${folder.directory}`);
  }
}

/** Prints what a storm found; the program's exit code says whether there are problems. */
export function printReport({ lines, problems, complete }: StormReport): void {
  for (const line of lines) console.log(line);
  for (const problem of problems.slice(0, 100)) console.log(`PROBLEM ${problem}`);
  console.log(`${complete} complete, ${problems.length} problems`);
  process.exitCode = problems.length === 0 ? 0 : 1;
}
