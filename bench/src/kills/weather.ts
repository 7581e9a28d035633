import { setTimeout as pause } from "node:timers/promises";
import { histogram, type KillPoint, planKill, type Random } from "./kill-plan.js";
import { type Acknowledged, beginLife, type Life, type LifeLine } from "./life.js";
import { StormHistory } from "./storm-history.js";

/** How long a replica that is to stop may take. */
const stopPatienceMs = 10_000;
/** A process that does less than it should before its kill is waited for, at most so long for each call that is open. */
const patienceMs = 300;

/** Each process lives at least so long, in milliseconds, and does so many things that are noted: slow machines make longer lives. */
export interface Lives {
  readonly ms: readonly [low: number, high: number];
  readonly notes: readonly [low: number, high: number];
}

/** Which processes die, how often and how. */
export interface WeatherOptions {
  readonly kills: number;
  /** Calls at once. */
  readonly tasks: number;
  readonly lives: Lives;
  /** Longer than a lease. */
  readonly sleepMs: number;
  /** At which replicas may die. */
  readonly points: readonly string[];
  /** How the log continues after the number of kills. */
  readonly progress: () => string;
}

/** A process, and how to wait until it has noted so much. */
export interface Running {
  readonly life: Life;
  readonly untilNoted: (count: number) => Promise<void>;
}

/** How a process is started. */
export interface Program {
  /** Without the program of Node. */
  readonly words: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly hear?: (line: LifeLine, life: Life) => void;
}

/** Lets processes live and die until enough kills have counted. */
export class Weather {
  readonly history = new StormHistory();
  /** Commits of each task that the store acknowledged to their writers. */
  readonly acknowledged = new Map<string, Acknowledged[]>();
  /** Errors that no process may have. */
  readonly problems: string[] = [];
  readonly #options: WeatherOptions;
  readonly #living = new Set<Life>();
  readonly #killed: string[] = [];
  readonly #enough = new AbortController();

  constructor(options: WeatherOptions) {
    this.#options = options;
  }

  /** Aborts when enough kills have counted. */
  get signal(): AbortSignal {
    return this.#enough.signal;
  }

  get isEnough(): boolean {
    return this.signal.aborted;
  }

  /** Where replicas listen just now. */
  urls(): readonly URL[] {
    return [...this.#living].flatMap((life) => life.url() ?? []);
  }

  get kills(): number {
    return this.#killed.length;
  }

  begin({ words, environment, hear }: Program): Running {
    let noted = 0;
    const waiting: { readonly count: number; readonly resolve: () => void }[] = [];
    const life: Life = beginLife(
      words,
      (line) => {
        if (line.kind === "error" && line.code === "none") this.problems.push(`G12: ${line.text}`);
        if (line.kind === "acknowledged") {
          const known = this.acknowledged.get(line.taskId);
          if (known === undefined) this.acknowledged.set(line.taskId, [line]);
          else known.push(line);
        }
        if (line.kind === "noted") {
          noted += 1;
          for (const { count, resolve } of waiting) if (noted >= count) resolve();
          this.history.hear(life.name, line.event);
        }
        hear?.(line, life);
      },
      environment,
    );
    this.#living.add(life);
    const noteEnd = () => this.#living.delete(life);
    life.death.then(noteEnd, (error: unknown) => {
      noteEnd();
      this.problems.push(String(error));
    });
    return { life, untilNoted: (count) => new Promise((resolve) => waiting.push({ count, resolve })) };
  }

  /** Kills one life of a replica after the other; the last one stays. */
  async runReplica(program: (point?: KillPoint) => Program, random: Random): Promise<void> {
    while (!this.isEnough) {
      const { by, point } = planKill(random, this.#options.points);
      const running = this.#beginReplica(program(point));
      const { life } = running;
      await life.ready;
      await this.liveOn(running, this.#options.lives, random);
      if (by === "SIGSTOP") await this.#sleep(life, random);
      if (by === "SIGTERM") await stop(life);
      const place = await killNow(life);
      const how = { SIGKILL: "", SIGTERM: " after SIGTERM", SIGSTOP: " after it slept" };
      this.count(`a replica${place === undefined ? how[by] : ` at ${place}`}`);
    }
    await this.#beginReplica(program()).life.ready;
  }

  /** Waits until it is time for a process to end. */
  async liveOn({ life, untilNoted }: Running, { ms, notes }: Lives, random: Random): Promise<void> {
    const over = new AbortController();
    const signal = AbortSignal.any([this.signal, over.signal]);
    const tooLong = pause(patienceMs * this.#options.tasks, undefined, { signal });
    const lived = Promise.all([
      pause(random.between(...ms), undefined, { signal }),
      untilNoted(random.between(...notes)),
    ]);
    await Promise.race([lived, tooLong, life.death]).catch(() => {});
    over.abort();
    await Promise.allSettled([tooLong]);
  }

  count(what: string): void {
    if (this.isEnough) return;
    this.#killed.push(what);
    if (this.kills % 50 === 0) console.log(`${this.kills} kills, ${this.#options.progress()}`);
    if (this.kills >= this.#options.kills) this.#enough.abort();
  }

  /** Ends what still lives. */
  async end(): Promise<void> {
    this.#enough.abort();
    for (const life of this.#living) life.kill("SIGKILL");
    await Promise.allSettled([...this.#living].map((life) => life.death));
  }

  /** Says what died. */
  lines(): readonly string[] {
    return [`${this.kills} kills:`, ...histogram(this.#killed)];
  }

  #beginReplica(program: Program): Running {
    const running = this.begin(program);
    const worker = running.life.name;
    this.history.add("started", { worker });
    const noteDeath = () => this.history.add("died", { worker });
    running.life.death.then(noteDeath, noteDeath);
    return running;
  }

  /** Stops a process beyond its lease, wakes it, and lets it try to continue. */
  async #sleep(life: Life, random: Random): Promise<void> {
    const note = () => this.history.add("fault", { fault: "freeze", worker: life.name });
    life.kill("SIGSTOP");
    note();
    await pause(this.#options.sleepMs, undefined, { signal: this.signal }).catch(() => {});
    note();
    life.kill("SIGCONT");
    await pause(random.between(100, 500));
  }
}

/** Asks a process to stop, as those who deploy do. */
async function stop(life: Life): Promise<void> {
  life.kill("SIGTERM");
  const patience = new AbortController();
  const tooLong = pause(stopPatienceMs, undefined, { signal: patience.signal });
  await Promise.race([life.death, tooLong]).catch(() => {});
  patience.abort();
  await Promise.allSettled([tooLong]);
}

/** Kills a process, whatever it does. @returns the point at which it killed itself before. */
export async function killNow(life: Life): Promise<string | undefined> {
  life.kill("SIGKILL");
  return life.death.catch(() => undefined);
}
