import { setTimeout as pause } from "node:timers/promises";
import { isFinal, type Store } from "@resumable-mcp/core";
import { judgeJournals } from "../kills/judge-journals.js";
import { planKill } from "../kills/kill-plan.js";
import type { Acknowledged, Life, LifeLine, LifeOrder } from "../kills/life.js";
import { problemsOf } from "../kills/storm-history.js";
import { killPoints, type StormReport, Weather } from "../kills/weather.js";
import { countedCall } from "../storm/storm-tools.js";

/** How hard the storm on the bare engine is. */
export interface CrashOptions {
  /** Kills that count: the worker had begun to run tasks. */
  readonly kills: number;
  /** Unfinished tasks at any time. */
  readonly tasks: number;
  /** Worker processes on one folder. */
  readonly processes: number;
  readonly seed: number;
  readonly records: number;
  readonly batch: number;
  readonly durability: "machine" | "process";
  /** Compaction removes the old files of a journal, and with them a part of the proof. */
  readonly compact: boolean;
}

/** The order for a worker. */
export type WorkerOrder = LifeOrder & Pick<CrashOptions, "durability" | "compact">;

/** How long all runs may take to finish after the last kill, in milliseconds. */
const finishPatienceMs = 300_000;
const lookEveryMs = 250;

/** Kills processes that run tasks on one folder, again and again, and then asks the journals what happened. */
export async function runCrashes(options: CrashOptions, directory: string, reader: Store): Promise<StormReport> {
  const { kills, tasks, processes, seed, durability, compact } = options;
  console.log(
    `crashes: ${kills} kills, ${tasks} tasks at once, ${processes} process(es), durability ${durability}, seed ${seed}`,
  );
  const board = new RunBoard(options);
  const points = killPoints(compact);
  const order: WorkerOrder = { directory, durability, compact, leaseTtlMs: 1_000 };
  const weather = new Weather({
    program: "crashes/crash-worker.js",
    order,
    kills,
    processes,
    seed,
    plan: (random) => planKill(random, points),
    hear: (line) => {
      if (line.kind === "started") weather.history.add("called", { caller: line.run, task: line.taskId });
      board.hear(line);
    },
    onReady: (life) => board.startOn(life),
    progress: () => `, ${board.finished} runs finished`,
  });
  const problems: string[] = [];
  const note = (error: unknown) => void problems.push(String(error));
  try {
    let isOver = false;
    board.fill();
    void weather
      .run()
      .catch(note)
      .finally(() => {
        isOver = true;
      });
    while (!isOver) {
      await board.noteFinished(reader);
      if (!weather.isEnough) board.fill(weather.lives.values());
      await pause(lookEveryMs);
    }
    const all = await board.finish(reader, problems.length === 0 ? finishPatienceMs : 0);
    weather.history.add("ended", { all });
    for (const life of weather.lives.values()) life.end();
    for (const life of weather.lives.values()) await life.death.catch(note);
  } finally {
    await weather.end();
  }
  const { history } = weather;
  const { runs, acknowledged } = board;
  const calls = [...runs.keys()].map((run) => countedCall(run, "storm", options));
  const evidence = await history.evidence(reader, { calls, maxRunning: 1_000 });
  const journals = await judgeJournals({ directory, reader, tasks: history.tasks(), acknowledged, compact });
  return {
    lines: [...weather.lines(), ...journals.lines],
    problems: [...problems, ...problemsOf(evidence), ...journals.problems],
    complete: `${runs.size} runs`,
  };
}

/** What the parent knows of the runs: which there are to be, and what workers reported of them. */
class RunBoard {
  /** Every run, with its task once a worker named it. */
  readonly runs = new Map<string, string | undefined>();
  readonly acknowledged = new Map<string, Acknowledged[]>();
  readonly #options: CrashOptions;
  readonly #unfinished = new Set<string>();

  constructor(options: CrashOptions) {
    this.#options = options;
  }

  get finished(): number {
    return this.runs.size - this.#unfinished.size;
  }

  /** Adds runs until there are as many unfinished ones as there have to be, and asks a living worker to start them. */
  fill(lives: Iterable<Life> = []): void {
    const { tasks, records, batch } = this.#options;
    const [life] = lives;
    while (this.#unfinished.size < tasks) {
      const run = `run-${this.runs.size + 1}.${records}.${batch}`;
      this.runs.set(run, undefined);
      this.#unfinished.add(run);
      life?.send(run);
    }
  }

  /** Asks a worker for the runs that none has reported as started. */
  startOn(life: Life): void {
    for (const run of this.#unfinished) if (this.runs.get(run) === undefined) life.send(run);
  }

  hear(line: LifeLine): void {
    if (line.kind === "started") this.runs.set(line.run, this.runs.get(line.run) ?? line.taskId);
    if (line.kind !== "acknowledged") return;
    const known = this.acknowledged.get(line.taskId);
    if (known === undefined) this.acknowledged.set(line.taskId, [line]);
    else known.push(line);
  }

  /** Waits until all runs have finished; resolves to whether they have. */
  async finish(reader: Store, patienceMs: number): Promise<boolean> {
    const deadlineMs = performance.now() + patienceMs;
    while (this.#unfinished.size > 0 && performance.now() < deadlineMs) {
      await this.noteFinished(reader);
      await pause(lookEveryMs);
    }
    return this.#unfinished.size === 0;
  }

  async noteFinished(reader: Store): Promise<void> {
    for (const run of this.#unfinished) {
      const taskId = this.runs.get(run);
      const task = taskId === undefined ? undefined : await reader.getTask(taskId);
      if (task !== undefined && isFinal(task.record.status)) this.#unfinished.delete(run);
    }
  }
}
