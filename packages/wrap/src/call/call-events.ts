import type { Checkpoint, Json, JsonObject } from "@resumable-mcp/core";
import { readCheckpoint } from "./checkpoint.js";
import type { CallState, RoundTrip } from "./plan.js";

type Step = Checkpoint<CallState, Json>;

/**
 * What a server reported of a call since the last step of its task was committed: of progress the newest, of what it appended all.
 * A server that reports faster than the store writes costs no more than one step at a time.
 */
export class CallEvents {
  readonly #onProblem: (problem: string) => void;
  #reported: { progress?: number; total?: number; message?: string } = {};
  #checkpoint: string | undefined;
  #task: string | undefined;
  #round: RoundTrip | undefined;
  #append: Json[] = [];
  #any = false;
  #committing = false;
  #waiting: ((isKept: boolean) => void)[] = [];
  #wake: () => void = () => {};

  /** @param onProblem hears of a checkpoint that breaks the rules of the extension. */
  constructor(onProblem: (problem: string) => void) {
    this.#onProblem = onProblem;
  }

  /** Takes the params of a progress notification. */
  report(params: JsonObject): void {
    const { progress, total, message } = params;
    this.#reported = {
      ...this.#reported,
      ...(typeof progress === "number" && progress >= 0 && { progress }),
      ...(typeof total === "number" && total >= 0 && { total }),
      ...(typeof message === "string" && { message: message.slice(0, longestMessage) }),
    };
    const checkpoint = readCheckpoint(params);
    if (checkpoint !== undefined && "problem" in checkpoint) this.#onProblem(checkpoint.problem);
    else if (checkpoint !== undefined) {
      this.#checkpoint = checkpoint.state;
      this.#append.push(...(checkpoint.append ?? []));
    }
    this.flush();
  }

  /** The server made a task of its own of the call. */
  noteTask(taskId: string): void {
    this.#task = taskId;
    this.flush();
  }

  /** The server asks to be asked again: what it said before that to continue from is of the request that has ended. */
  noteRound(round: RoundTrip): void {
    this.#round = round;
    this.#checkpoint = undefined;
    this.flush();
  }

  /** Makes a step, though nothing was reported: what the task logged rides with it. */
  flush(): void {
    this.#any = true;
    this.#wake();
  }

  /** Resolves when there is something to take, or `other` has come. */
  async next(other: Promise<unknown>): Promise<void> {
    if (this.#any) return;
    await Promise.race([
      other,
      new Promise<void>((resolve) => {
        this.#wake = resolve;
      }),
    ]);
  }

  /** Resolves when what was reported until now is committed: to true; to false when the call is over before that. */
  committed(): Promise<boolean> {
    if (!this.#any && !this.#committing) return Promise.resolve(true);
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  /** What was taken is committed. */
  noteCommitted(): void {
    this.#committing = false;
    // What came in the meantime is committed by the next step.
    if (this.#any) return;
    for (const resolve of this.#waiting.splice(0)) resolve(true);
  }

  /** Nothing more is taken. */
  noteOver(): void {
    for (const resolve of this.#waiting.splice(0)) resolve(false);
  }

  /** Takes what was reported; `undefined` when nothing was. */
  take(state: CallState): Step | undefined {
    if (!this.#any) return undefined;
    const [reported, append] = [this.#reported, this.#append];
    const { checkpoint: _ended, ...rest } = state;
    const kept: CallState = {
      ...(this.#checkpoint !== undefined && { checkpoint: this.#checkpoint }),
      ...(this.#task !== undefined && { task: this.#task }),
      ...(this.#round !== undefined && { round: this.#round }),
    };
    const before = this.#round === undefined ? state : rest;
    this.#any = false;
    this.#committing = true;
    this.#reported = {};
    this.#checkpoint = undefined;
    this.#task = undefined;
    this.#round = undefined;
    this.#append = [];
    return {
      ...reported,
      ...(Object.keys(kept).length > 0 && { state: { ...before, ...kept } }),
      ...(append.length > 0 && { append }),
    };
  }
}

/** As the engine allows. */
const longestMessage = 2_000;
