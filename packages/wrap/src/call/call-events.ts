import type { Checkpoint, Json, JsonObject } from "@resumable-mcp/core";
import { readCheckpoint } from "./checkpoint.js";
import type { CallState } from "./plan.js";

type Step = Checkpoint<CallState, Json>;

/**
 * What a server reported of a call since the last step of its task was committed: of progress the newest, of what it appended all.
 * A server that reports faster than the store writes costs no more than one step at a time.
 */
export class CallEvents {
  readonly #onProblem: (problem: string) => void;
  #reported: { progress?: number; total?: number; message?: string } = {};
  #checkpoint: string | undefined;
  #append: Json[] = [];
  #any = false;
  #committing = false;
  #waiting: (() => void)[] = [];
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

  /** Resolves when what was reported until now is committed, or the call is over. */
  committed(): Promise<void> {
    if (!this.#any && !this.#committing) return Promise.resolve();
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  /** What was taken is committed; `over`: nothing more is taken. */
  noteCommitted(over = false): void {
    this.#committing = false;
    // What came in the meantime is committed by the next step.
    if (this.#any && !over) return;
    for (const resolve of this.#waiting.splice(0)) resolve();
  }

  /**
   * Takes what was reported; `undefined` when nothing was.
   *
   * @param from what the task has already: progress only rises, also where the call was made again.
   */
  take(from: { readonly state: CallState; readonly progress: number }): Step | undefined {
    if (!this.#any) return undefined;
    const { progress, ...said } = this.#reported;
    const [checkpoint, append] = [this.#checkpoint, this.#append];
    this.#any = false;
    this.#committing = true;
    this.#reported = {};
    this.#checkpoint = undefined;
    this.#append = [];
    return {
      ...(progress !== undefined && progress > from.progress && { progress, ...said }),
      ...(checkpoint !== undefined && { state: { ...from.state, checkpoint } }),
      ...(append.length > 0 && { append }),
    };
  }
}

/** As the engine allows. */
const longestMessage = 2_000;
