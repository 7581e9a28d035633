import type { Checkpoint, Json, JsonObject } from "@resumable-mcp/core";
import { wrapLimits } from "../limits.js";
import { readCheckpoint } from "./checkpoint.js";
import type { CallState, RoundTrip } from "./plan.js";

type Step = Checkpoint<CallState, Json>;

/** One report of a server, or several that came too fast to be kept one by one. */
interface Report {
  progress?: number;
  total?: number;
  message?: string;
  checkpoint?: string;
  task?: string;
  round?: RoundTrip;
  append?: readonly Json[];
}

/**
 * What a server reported of a call since the last step of its task was committed. A server that reports faster than the store writes
 * has few steps waiting: then the newest progress takes the place of what was not committed. What it appended is all kept, up to
 * `maxAppendedBytes`: with more than that the call has to end.
 */
export class CallEvents {
  readonly #onProblem: (problem: string) => void;
  #reports: Report[] = [];
  #appendedBytes = 0;
  #committing = false;
  #waiting: ((isKept: boolean) => void)[] = [];
  #wake: () => void = () => {};

  /** @param onProblem hears of a checkpoint that breaks the rules of the extension. */
  constructor(onProblem: (problem: string) => void) {
    this.#onProblem = onProblem;
  }

  /** More was appended than a call may: nothing further is kept. */
  get isFull(): boolean {
    return this.#appendedBytes > wrapLimits.maxAppendedBytes;
  }

  /** Takes the params of a progress notification. */
  report(params: JsonObject): void {
    const { progress, total, message } = params;
    const checkpoint = readCheckpoint(params);
    if (checkpoint !== undefined && "problem" in checkpoint) this.#onProblem(checkpoint.problem);
    const kept = checkpoint !== undefined && "state" in checkpoint ? checkpoint : undefined;
    this.#add({
      ...(typeof progress === "number" && progress >= 0 && { progress }),
      ...(typeof total === "number" && total >= 0 && { total }),
      ...(typeof message === "string" && { message: message.slice(0, longestMessage) }),
      ...(kept !== undefined && { checkpoint: kept.state }),
      ...(kept?.append !== undefined && { append: kept.append }),
    });
  }

  /** The server made a task of its own of the call. */
  noteTask(task: string): void {
    this.#add({ task });
  }

  /** The server asks to be asked again: what it said before that to continue from is of the request that has ended. */
  noteRound(round: RoundTrip): void {
    this.#add({ round });
  }

  /** Makes a step, though nothing was reported: what the task logged rides with it. */
  flush(): void {
    if (this.#reports.length === 0) this.#add({});
  }

  #add(report: Report): void {
    if (report.append !== undefined) this.#appendedBytes += Buffer.byteLength(JSON.stringify(report.append));
    if (this.isFull) this.#reports = [];
    else this.#keep(report);
    this.#wake();
  }

  #keep(report: Report): void {
    const last = this.#reports.length < wrapLimits.maxWaitingReports ? undefined : this.#reports.pop();
    const append = [...(last?.append ?? []), ...(report.append ?? [])];
    const { checkpoint, ...before } = last ?? {};
    const kept = report.round === undefined && checkpoint !== undefined ? { checkpoint } : {};
    this.#reports.push({ ...before, ...kept, ...report, ...(append.length > 0 && { append }) });
  }

  /** Resolves when there is something to take, or too much, or `other` has come. */
  async next(other: Promise<unknown>): Promise<void> {
    if (this.#reports.length > 0 || this.isFull) return;
    await Promise.race([
      other,
      new Promise<void>((resolve) => {
        this.#wake = resolve;
      }),
    ]);
  }

  /** Resolves when what was reported until now is committed: to true; to false when the call is over before that. */
  committed(): Promise<boolean> {
    if (this.#reports.length === 0 && !this.#committing) return Promise.resolve(true);
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  /** What was taken is committed. */
  noteCommitted(): void {
    this.#committing = false;
    // What came in the meantime is committed by the next step.
    if (this.#reports.length > 0) return;
    for (const resolve of this.#waiting.splice(0)) resolve(true);
  }

  /** Nothing more is taken. */
  noteOver(): void {
    for (const resolve of this.#waiting.splice(0)) resolve(false);
  }

  /** Takes what was reported first; `undefined` when nothing was. */
  take(state: CallState): Step | undefined {
    const report = this.#reports.shift();
    if (report === undefined) return undefined;
    this.#committing = true;
    const { checkpoint, task, round, ...step } = report;
    const { checkpoint: _ended, ...rest } = state;
    const kept = {
      ...(checkpoint !== undefined && { checkpoint }),
      ...(task !== undefined && { task }),
      ...(round !== undefined && { round }),
    };
    const before = round === undefined ? state : rest;
    return { ...step, ...(Object.keys(kept).length > 0 && { state: { ...before, ...kept } }) };
  }
}

/** As the engine allows. */
const longestMessage = 2_000;
