import type { Acknowledged, WorkerLife, WorkerLine } from "./worker-life.js";

/** What the parent knows of the runs: which there are to be, and what workers reported of them. */
export class RunBoard {
  /** Error codes that engines reported, in the order in which they came. */
  readonly errors: string[] = [];
  private readonly options: { readonly tasks: number; readonly records: number; readonly batch: number };
  /** Every run, with the tasks that were named for it: one is right. */
  private readonly runs = new Map<string, Set<string>>();
  private readonly unfinished = new Set<string>();
  private readonly acknowledged = new Map<string, Acknowledged[]>();

  constructor(options: RunBoard["options"]) {
    this.options = options;
  }

  get open(): readonly string[] {
    return [...this.unfinished];
  }

  get finished(): number {
    return this.runs.size - this.unfinished.size;
  }

  /** All runs, with the task of each. */
  get all(): ReadonlyMap<string, ReadonlySet<string>> {
    return this.runs;
  }

  /** What one run has to bring forth. */
  get expected(): { readonly records: number; readonly sum: number } {
    const { records } = this.options;
    return { records, sum: (records * (records - 1)) / 2 };
  }

  /** Adds runs until there are as many unfinished ones as there have to be, and asks a living worker to start them. */
  fill(lives: Iterable<WorkerLife> = []): void {
    const [life] = lives;
    while (this.unfinished.size < this.options.tasks) {
      const run = `run-${this.runs.size + 1}.${this.options.records}.${this.options.batch}`;
      this.runs.set(run, new Set());
      this.unfinished.add(run);
      life?.start(run);
    }
  }

  /** Runs that no worker has reported as started: the next worker is asked for them. */
  unstarted(): readonly string[] {
    return this.open.filter((run) => this.runs.get(run)?.size === 0);
  }

  /** Unfinished runs that were started. */
  running(): readonly (readonly [run: string, taskId: string])[] {
    return this.open.flatMap((run) => [...(this.runs.get(run) ?? [])].map((taskId) => [run, taskId] as const));
  }

  finish(run: string): void {
    this.unfinished.delete(run);
  }

  hear(line: WorkerLine): void {
    if (line.kind === "started") this.runs.get(line.run)?.add(line.taskId);
    if (line.kind === "error") this.errors.push(line.code === "none" ? line.text : line.code);
    if (line.kind !== "acknowledged") return;
    const { kind: _, ...fact } = line;
    const known = this.acknowledged.get(line.taskId);
    if (known === undefined) this.acknowledged.set(line.taskId, [fact]);
    else known.push(fact);
  }

  /** Commits of a task that the store acknowledged to their writers. */
  acknowledgedOf(taskId: string): readonly Acknowledged[] {
    return this.acknowledged.get(taskId) ?? [];
  }
}
