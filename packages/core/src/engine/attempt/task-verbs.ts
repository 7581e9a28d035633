import type { Duration } from "../../duration.js";
import { isTaskInterrupted, ResumableError } from "../../errors.js";
import { copyJson, type Json, jsonBytes } from "../../json.js";
import { checkLimit } from "../../limits.js";
import type { TaskEventBody, TaskFailure } from "../../task/task-event.js";
import { findEntry, type Remembered } from "../../task/task-record.js";
import type { RetryPolicy } from "../../tool/retry-policy.js";
import type { MapCounts, StepAttempt, StepOptions, TaskContext } from "../../tool/tool.js";
import { formatIso } from "../clock.js";
import { maxRunningFor } from "../limit-rules.js";
import { isRefusal, retryDelay, toThrown } from "../retry-delay.js";
import { ArtifactWriter, checkArtifact } from "./artifact-writer.js";
import type { AttemptParts, VerbKeys } from "./attempt-parts.js";
import { ChildCalls } from "./child-calls.js";
import { laterIso, Questions } from "./question.js";
import { attemptsFailed, checkStepOptions, errorOf, type FailedStep, runStep } from "./step-attempt.js";
import { countsOf, type MapCall, TaskMap } from "./task-map.js";
import { UsedKeys } from "./used-keys.js";
import { WaitsInPlace } from "./waits-in-place.js";

/** The verbs of one attempt. */
export class TaskVerbs {
  readonly waits: WaitsInPlace;
  readonly calls: ChildCalls;
  readonly questions: Questions;
  readonly #parts: AttemptParts;
  readonly #artifacts: ArtifactWriter;
  readonly #keys = new UsedKeys();
  #rememberedCount: number;
  #activeSteps = 0;
  #activeItems = 0;
  readonly #maps = new Set<TaskMap>();
  readonly #leftInMaps = new Map<string, number | undefined>();
  #noting = false;

  constructor(parts: AttemptParts) {
    this.#parts = parts;
    this.#artifacts = new ArtifactWriter(parts);
    this.#rememberedCount = Object.keys(parts.record.remembered).length;
    this.waits = new WaitsInPlace(parts, () => this.#isBusy() || this.#staysForItems());
    const keys: VerbKeys = {
      using: (key, kinds, run) => this.#using(key, kinds, run),
      remember: (...events) => this.#remember(...events),
      wait: (key, untilMs, nextMs) => this.#wait(key, untilMs, nextMs),
      wake: (key) => this.waits.wake(key),
    };
    this.calls = new ChildCalls(parts, keys);
    this.questions = new Questions(parts, keys);
  }

  /** Something runs that would be done twice. Items of maps may all wait: then there are as many waits. */
  #isBusy(): boolean {
    return this.#activeSteps > 0 || this.#activeItems > this.waits.keys.length;
  }

  /** Until nothing works that would be done twice, and what items gave is written; or until the attempt stops. */
  async #untilIdle(): Promise<void> {
    const { control } = this.#parts;
    while (control.aborted === undefined) {
      const writing = [...this.#maps].flatMap((map) => map.writing ?? []);
      if (!this.#isBusy() && writing.length === 0) return;
      await (this.#isBusy() ? this.waits.nextIdle() : Promise.all(writing));
    }
  }

  /**
   * A map stays in its process while its items wait: behind one that waits others have ended and are not written, and which of them work
   * is not known. Not where that keeps others from running: a limit of its tool counts it, or too many wait in place. Then they run again.
   */
  #staysForItems(): boolean {
    const { tool, mayWaitInPlace } = this.#parts;
    const isCounted = tool.maxRunningInStore !== undefined || Number.isFinite(maxRunningFor(this.#parts, tool));
    return this.#maps.size > 0 && !isCounted && mayWaitInPlace();
  }

  async step(key: string, run: (attempt: StepAttempt) => unknown, options: StepOptions = {}): Promise<Json> {
    checkStepOptions("step", key, options);
    return await this.#using(key, ["step", "failed_step"], async (entry) => {
      // A copy, since what the tool changes must not change the record.
      if (entry?.kind === "step") return copyJson(entry.value, nameValue(key));
      const tries = this.#keys.tries();
      try {
        return await this.#try(key, run, options, entry?.kind === "failed_step" ? entry : undefined, tries.again);
      } finally {
        tries.end();
      }
    });
  }

  /** @param before the failed attempt that is written down, if any. @param onTry is called before each attempt of this process. */
  async #try(
    key: string,
    run: (attempt: StepAttempt) => unknown,
    options: StepOptions,
    before: (FailedStep & { readonly error: TaskFailure }) | undefined,
    onTry: () => void,
  ): Promise<Json> {
    const { journal, clock } = this.#parts;
    const what = `Step ${JSON.stringify(key)}`;
    let failed: FailedStep | undefined = before;
    let cause: unknown = before && errorOf(before.error);
    for (;;) {
      const attempt = failed === undefined ? 1 : failed.attempt + 1;
      if (failed?.until !== undefined) await this.#until(key, failed.until);
      else if (failed !== undefined)
        throw attemptsFailed(what, { taskId: journal.record.id, key, attempts: failed.attempt }, cause);
      onTry();
      this.#activeSteps += 1;
      this.#noteWaits();
      const begunMs = clock.monotonicMs();
      const took = () => {
        const ms = Math.round(clock.monotonicMs() - begunMs);
        return ms > 0 ? { ms } : {};
      };
      try {
        const value = await runStep({ what, attempt, run, timeout: options.timeout }, this.#parts);
        return await this.#keepValue({ key, ...took() }, value);
      } catch (error) {
        cause = error;
        failed = await this.#keepFailure({ key, attempt, ...took() }, error, options.retry);
      } finally {
        this.#activeSteps -= 1;
        this.#noteWaits();
      }
    }
  }

  async #keepValue(step: StepTime, returned: unknown): Promise<Json> {
    const { key } = step;
    const value = copyJson(returned ?? null, nameValue(key));
    checkLimit("maxStepBytes", jsonBytes(value), this.#parts.taskLimits.maxStepBytes);
    await this.#remember({ type: "step", ...step, value });
    this.#parts.control.check();
    return copyJson(value, nameValue(key));
  }

  /** Writes down that an attempt failed, and when the next one begins. Throws what is not tried again by the step. */
  async #keepFailure(step: StepTime & FailedStep, thrown: unknown, retry?: RetryPolicy): Promise<FailedStep> {
    const { key, attempt } = step;
    const { control, clock, dueTimes, random, lease, tool, record, onToolError } = this.#parts;
    const stops = isTaskInterrupted(thrown) || control.aborted !== undefined;
    if (retry === undefined || stops || isRefusal(thrown)) throw thrown;
    const part = { what: `Step ${JSON.stringify(key)}`, attempt };
    onToolError(thrown, { taskId: lease.taskId, tool: tool.name, attempt: record.attempt, part });
    const failed = { type: "step_failed", ...step, ...toThrown(thrown) } as const;
    const delayMs = retryDelay(thrown, attempt - 1, retry, random);
    if (delayMs === undefined) {
      await this.#remember(failed);
      return { attempt };
    }
    const until = formatIso(clock.wallMs() + delayMs);
    dueTimes.leftMs(Date.parse(until));
    const waits = { type: "waiting", keys: [...this.waits.keys, key] } as const;
    const isAlone = this.#activeSteps === 1 && this.#activeItems <= waits.keys.length;
    await this.#remember({ ...failed, until }, ...(isAlone && delayMs > 0 ? [waits] : []));
    control.check();
    return { attempt, until };
  }

  /** @param idempotencyKey makes that of an item out of its own. */
  async map(call: MapCall, idempotencyKey: (key: string) => string): Promise<MapCounts> {
    checkStepOptions("map", call.key, call.options);
    return await this.#using(call.key, ["map"], async (entry) => {
      const before = entry?.kind === "map" ? entry : undefined;
      if (before?.done === true) return countsOf(before);
      this.#countKey(call.key);
      const onItems = (change: number) => {
        this.#activeItems += change;
        this.#noteWaits();
      };
      const tries = () => this.#keys.tries();
      const host = { left: this.#leftInMaps, idempotencyKey, onItems, tries, idle: () => this.#untilIdle() };
      const map = new TaskMap(call, before, this.#parts, host);
      this.#maps.add(map);
      try {
        return await map.run();
      } finally {
        this.#maps.delete(map);
      }
    });
  }

  /** As a step whose value is in chunks of the store. */
  async artifact(...[name, content, options = {}]: Parameters<TaskContext["artifact"]>): Promise<void> {
    checkArtifact(name, options);
    await this.#using(name, ["artifact"], async (entry) => {
      if (entry !== undefined) return;
      this.#activeSteps += 1;
      this.#noteWaits();
      try {
        await this.#artifacts.write(name, content, options, (event) => this.#remember(event));
      } finally {
        this.#activeSteps -= 1;
        this.#noteWaits();
      }
      this.#parts.control.check();
    });
  }

  async sleep(key: string, duration: Duration): Promise<void> {
    const { clock, dueTimes } = this.#parts;
    await this.#using(key, ["sleep"], async (entry) => {
      let until = entry?.kind === "sleep" ? entry.until : undefined;
      if (until === undefined) {
        until = laterIso(`The duration of sleep ${JSON.stringify(key)}`, clock.wallMs(), duration);
        // The wall clock may be set while this is written.
        dueTimes.leftMs(Date.parse(until));
        await this.#remember({ type: "sleep", key, until });
      }
      await this.#until(key, until);
    });
  }

  async #until(key: string, until: string): Promise<void> {
    const untilMs = Date.parse(until);
    if (this.#parts.dueTimes.leftMs(untilMs) > 0) await this.#wait(key, untilMs);
  }

  async #using<Result>(
    key: string,
    kinds: readonly Remembered["kind"][],
    run: (entry: Remembered | undefined) => Promise<Result>,
  ): Promise<Result> {
    const { journal, control } = this.#parts;
    checkLimit("maxKeyLength", key.length, this.#parts.taskLimits.maxKeyLength);
    const entry = findEntry(journal.record, key);
    const isOther = entry !== undefined && !kinds.includes(entry.kind);
    const end = isOther ? undefined : this.#keys.begin(key);
    if (end === undefined) throw keyReused(journal.record.id, key);
    try {
      control.check();
      return await run(entry);
    } finally {
      end();
    }
  }

  #countKey(key: string): void {
    const { journal, taskLimits } = this.#parts;
    if (findEntry(journal.record, key) !== undefined) return;
    checkLimit("maxSteps", this.#rememberedCount + 1, taskLimits.maxSteps);
    this.#rememberedCount += 1;
  }

  async #remember(event: Extract<TaskEventBody, { key: string }>, ...more: readonly TaskEventBody[]): Promise<void> {
    this.#countKey(event.key);
    await this.#parts.journal.commit([event, ...more]);
  }

  async #wait(key: string, untilMs: number, nextMs?: number): Promise<void> {
    try {
      const waited = this.waits.wait(key, untilMs, nextMs);
      this.#noteWaits();
      await waited;
    } finally {
      this.#noteWaits();
    }
  }

  /**
   * Sees to it that the scheduler and the journal know whether the attempt only waits. `asked`, `called`, `sleep` and a failed step say so
   * themselves, so nothing is written unless the attempt came back to an earlier wait, or runs a step while it waits.
   */
  #noteWaits(): void {
    if (this.#noting) return;
    this.#noting = true;
    // In a later turn: verbs that are called together are noted together.
    void Promise.resolve().then(() => {
      this.#noting = false;
      const { journal, control, onWaiting } = this.#parts;
      const keys = this.#isBusy() ? [] : this.waits.keys;
      if (!this.#isBusy()) this.waits.noteIdle();
      onWaiting(keys.length > 0);
      const { waitsFor = [] } = journal.record;
      const known = keys.length === waitsFor.length && keys.every((key) => waitsFor.includes(key));
      const over = this.waits.keys.length === 0 || control.aborted !== undefined;
      // The event is only about the attempt: where it cannot be written, the attempt is over.
      if (!known && !over) journal.commit([{ type: "waiting", keys }]).catch(() => {});
    });
  }
}

/** An attempt of a step, and how long it took, in milliseconds. */
interface StepTime {
  readonly key: string;
  readonly ms?: number;
}

function nameValue(key: string): string {
  return `the value of step ${JSON.stringify(key)}`;
}

function keyReused(taskId: string, key: string): ResumableError {
  return new ResumableError(
    "STEP_KEY_REUSED",
    `The key ${JSON.stringify(key)} was used twice in one attempt. Keys are unique within a task: in a loop, add the loop index.`,
    { details: { taskId, key } },
  );
}
