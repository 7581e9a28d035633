import { setTimeout as pause } from "node:timers/promises";
import { isFinal, type Store } from "@resumable-mcp/core";
import { createFsStore } from "@resumable-mcp/store-fs";
import { createRandom, type KillPoint } from "../kills/kill-plan.js";
import { type Life, programWith } from "../kills/life.js";
import { type Program, Weather } from "../kills/weather.js";
import { busyJob, drawJob, jobCall } from "../storm/job.js";
import { reportOn, type Storm, type StormOutcome } from "../storm/report.js";
import type { SharedStore } from "../storm/shared-store.js";

/** How hard the storm on the bare engine is. */
export interface CrashOptions {
  readonly kills: number;
  /** Unfinished tasks at any time. */
  readonly tasks: number;
  /** Processes on one folder. */
  readonly replicas: number;
  readonly seed: number;
  readonly durability: "machine" | "process";
}

/** The order for a process. */
export interface WorkerOrder extends Pick<CrashOptions, "durability" | "seed"> {
  readonly directory: string;
  readonly limits: typeof workerLimits;
}

const atOnce = 1_000;
const leaseTtlMs = 1_000;

/** Of each engine. */
const workerLimits = {
  maxRunning: atOnce,
  maxRunningPerOwner: atOnce,
  maxUnfinishedPerOwner: 10 * atOnce,
  // Every life ends in a kill, so three crashes in a row do not mean that the task causes them.
  maxCrashesWithoutProgress: 1_000_000,
  crashBackoffMs: 0,
  trialMs: 0,
  writeBackoffMs: 20,
  leaseTtlMs,
  heartbeatMs: leaseTtlMs / 3,
  pollMs: 200,
};

/** How long all runs may take to finish after the last kill, in milliseconds. */
const finishPatienceMs = 300_000;
const lookEveryMs = 250;

/** Kills processes that run tasks on one folder, again and again, and then asks the journals what happened. */
export async function runCrashes(options: CrashOptions, store: SharedStore): Promise<void> {
  const reader = createFsStore({ directory: store.place });
  try {
    await reportOn(new Crashes(options, store, reader), store);
  } finally {
    await reader.close();
  }
}

class Crashes implements Storm {
  readonly weather: Weather;
  readonly #options: CrashOptions;
  readonly #store: SharedStore;
  readonly #reader: Store;
  /** Every run, with its task once a process named it. */
  readonly #runs = new Map<string, string | undefined>();
  readonly #unfinished = new Set<string>();
  #last: Life | undefined;

  constructor(options: CrashOptions, store: SharedStore, reader: Store) {
    const { kills, tasks } = options;
    this.#options = options;
    this.#store = store;
    this.#reader = reader;
    this.weather = new Weather({
      kills,
      tasks,
      lives: { ms: [1, 700], notes: [1, 1_000] },
      sleepMs: 2 * leaseTtlMs,
      points: [
        "engine.attempt.started",
        "engine.checkpoint.before",
        "engine.checkpoint.after",
        "engine.attempt.ended",
        "engine.artifact.chunk",
        ...store.points,
      ],
      progress: () => `${this.#runs.size - this.#unfinished.size} runs finished`,
    });
  }

  async run(): Promise<StormOutcome> {
    const { weather } = this;
    const { replicas, seed } = this.#options;
    this.#fill();
    const slots = Array.from({ length: replicas }, (_, slot) =>
      weather.runReplica((point) => this.#program(point), createRandom(seed * 10_007 + slot)),
    );
    let isOver = false;
    const over = Promise.all(slots).finally(() => {
      isOver = true;
    });
    over.catch(() => {});
    while (!isOver) {
      await this.#noteFinished();
      if (!weather.isEnough) this.#fill();
      await pause(lookEveryMs);
    }
    await over;
    const deadlineMs = performance.now() + finishPatienceMs;
    while (this.#unfinished.size > 0 && performance.now() < deadlineMs) {
      await this.#noteFinished();
      await pause(lookEveryMs);
    }
    weather.history.add("ended", { all: this.#unfinished.size === 0 });
    const calls = [...this.#runs.keys()].map((run) => jobCall(drawJob(run, seed, busyJob), "local:storm"));
    return { calls, open: [...this.#unfinished], limits: workerLimits, lines: [] };
  }

  end(): Promise<void> {
    return this.weather.end();
  }

  #program(point: KillPoint | undefined): Program {
    const { durability, seed } = this.#options;
    const order: WorkerOrder = { directory: this.#store.place, durability, seed, limits: workerLimits };
    return {
      words: programWith("crashes/crash-worker.js", order),
      environment: this.#store.environment(point),
      hear: (line, life) => {
        if (line.kind === "ready") this.#startOn(life);
        if (line.kind === "noted" && line.event.kind === "called")
          this.#runs.set(String(line.event.caller), String(line.event.task));
      },
    };
  }

  /** Adds runs until there are as many unfinished ones as there have to be. */
  #fill(): void {
    while (this.#unfinished.size < this.#options.tasks) {
      const run = `run-${this.#runs.size + 1}-0`;
      this.#runs.set(run, undefined);
      this.#unfinished.add(run);
      this.#last?.send(run);
    }
  }

  /** Asks a process for the runs that none has reported as started. */
  #startOn(life: Life): void {
    this.#last = life;
    for (const run of this.#unfinished) if (this.#runs.get(run) === undefined) life.send(run);
  }

  async #noteFinished(): Promise<void> {
    for (const run of this.#unfinished) {
      const taskId = this.#runs.get(run);
      const task = taskId === undefined ? undefined : await this.#reader.getTask(taskId);
      if (task !== undefined && isFinal(task.record.status)) this.#unfinished.delete(run);
    }
  }
}
