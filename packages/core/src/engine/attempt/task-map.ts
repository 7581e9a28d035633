import { invalidValue, isTaskInterrupted } from "../../errors.js";
import { copyJson, type Json, jsonBytes } from "../../json.js";
import { checkLimit } from "../../limits.js";
import type { MapProgress, TaskEventBody } from "../../task/task-event.js";
import { checkValue } from "../../tool/schema.js";
import type { MapAttempt, MapCounts, MapOptions } from "../../tool/tool.js";
import { Exclusive } from "../exclusive.js";
import { isRefusal, retryDelay, toFailure } from "../retry-delay.js";
import type { AttemptParts } from "./attempt-parts.js";
import { keepsCheckpoints, writeCheckpoint } from "./check-checkpoint.js";
import { type MapItem, MapItems } from "./map-items.js";
import { attemptsFailed, runStep } from "./step-attempt.js";
import type { UsedKeys } from "./used-keys.js";

/** What a tool gives `task.map`. */
export interface MapCall {
  readonly key: string;
  readonly items: Iterable<unknown> | AsyncIterable<unknown>;
  readonly run: (item: unknown, attempt: MapAttempt) => unknown;
  readonly options: MapOptions;
}

/** What the maps of one attempt share. */
export interface MapHost {
  /** By key: how many items are left; `undefined` where that is not known. */
  readonly left: Map<string, number | undefined>;
  readonly idempotencyKey: (key: string) => string;
  /** So many items more are read or run. */
  readonly onItems: (change: number) => void;
  /** An item begins. */
  readonly tries: UsedKeys["tries"];
  /** Resolves when nothing works in the attempt that would be done twice, and what ended is written; or when it stops. */
  readonly idle: () => Promise<void>;
}

/** An item that has ended and is not committed. */
interface Ended {
  readonly digest: string;
  /** One result, or none. */
  readonly results: readonly Json[];
  /** The size of `results`, in bytes of JSON. */
  readonly bytes: number;
  readonly failure?: { readonly error: unknown; readonly isCollected: boolean };
  /** Lets the worker continue that ran it. */
  readonly release: () => void;
}

/**
 * Runs one `task.map` in one attempt.
 *
 * Each of `concurrency` workers takes an item, runs it, and waits until it is committed: no more items than that are in memory, and
 * none is further than that from the first one that is not committed. What has ended is committed together, in order.
 */
export class TaskMap {
  readonly #call: MapCall;
  readonly #parts: AttemptParts;
  readonly #host: MapHost;
  readonly #what: string;
  readonly #items: MapItems;
  readonly #turns = new Exclusive();
  readonly #ended = new Map<number, Ended>();
  #committed: MapProgress;
  /** While what has ended is written; never rejects. */
  writing: Promise<void> | undefined;
  #isHalted = false;
  /** Another owner gets the slot when the items have ended that run. */
  #isTurnOver = false;
  #trouble: { readonly error: unknown } | undefined;

  /** @param committed what earlier attempts have done. */
  constructor(call: MapCall, committed: Omit<MapProgress, "key"> | undefined, parts: AttemptParts, host: MapHost) {
    this.#call = call;
    this.#parts = parts;
    this.#host = host;
    this.#what = `map ${JSON.stringify(call.key)}`;
    this.#items = new MapItems(call.items, this.#what, parts);
    this.#committed = { at: 0, failed: 0, digest: "", ...committed, key: call.key };
    host.left.set(call.key, this.#items.leftAfter(this.#committed.at));
  }

  async run(): Promise<MapCounts> {
    const { control } = this.#parts;
    const stop = () => this.#halt();
    control.signal.addEventListener("abort", stop);
    try {
      await this.#items.skip(this.#committed);
      const { concurrency = 1 } = this.#call.options;
      do {
        this.#isHalted = false;
        await Promise.all(Array.from({ length: concurrency }, () => this.#work()));
        await this.writing;
        await this.#checkEnd();
        // A request to stop may have been taken back meanwhile.
      } while (!this.#items.endsAt(this.#committed.at));
      // Where the last item did not say that it is the last one.
      if (this.#committed.done !== true) await this.#write();
      control.check();
      return countsOf(this.#committed);
    } finally {
      control.signal.removeEventListener("abort", stop);
      this.#items.close();
    }
  }

  async #checkEnd(): Promise<void> {
    const { control } = this.#parts;
    if (control.wanted !== undefined || this.#isTurnOver) await this.#host.idle();
    if (control.wanted !== undefined) control.abort(control.wanted);
    else if (this.#isTurnOver) control.abort("turn");
    control.check();
    const failure = this.#ended.get(this.#committed.at)?.failure;
    if (failure?.isCollected === false) throw failure.error;
    if (this.#trouble !== undefined) throw this.#trouble.error;
  }

  /** No more items begin. */
  #halt(trouble?: { readonly error: unknown }): void {
    this.#trouble ??= trouble;
    this.#isHalted = true;
    for (const { release } of this.#ended.values()) release();
  }

  /** Never rejects. */
  async #work(): Promise<void> {
    try {
      for (;;) {
        const [index, ended] = (await this.#runNext()) ?? [];
        if (ended === undefined || index === undefined) return;
        if (ended.failure?.isCollected === false) this.#halt();
        const committed = new Promise<void>((release) => this.#ended.set(index, { ...ended, release }));
        this.writing ??= this.#writeAll();
        if (!this.#isHalted) await committed;
      }
    } catch (error) {
      this.#halt({ error });
    }
  }

  async #runNext(): Promise<[number, Omit<Ended, "release">] | undefined> {
    this.#host.onItems(1);
    const tries = this.#host.tries();
    try {
      const next = await this.#turns.run("", async () => (this.#isHalted ? undefined : this.#items.read()));
      return next && [next.index, await this.#tryItem(next, tries.again)];
    } finally {
      tries.end();
      this.#host.onItems(-1);
    }
  }

  /** Throws when the attempt has to stop. */
  async #tryItem({ item, index, digest }: MapItem, onTry: () => void): Promise<Omit<Ended, "release">> {
    const { control, onToolError, lease, tool, record, random } = this.#parts;
    const { key, run, options } = this.#call;
    const what = `Item ${index} of ${this.#what}`;
    const idempotencyKey = this.#host.idempotencyKey(`${key}[${index}]`);
    for (let attempt = 1; ; attempt += 1) {
      onTry();
      try {
        const runOnce = (step: { readonly attempt: number; readonly signal: AbortSignal }) =>
          run(item, { ...step, index, idempotencyKey });
        const value = await runStep({ what, attempt, run: runOnce, timeout: options.timeout }, this.#parts);
        return { digest, ...(await this.#checkResult(value, what)) };
      } catch (thrown) {
        if (isTaskInterrupted(thrown) || control.aborted !== undefined) throw thrown;
        const failed = { digest, results: [], bytes: 0 };
        if (isRefusal(thrown)) return { ...failed, failure: { error: thrown, isCollected: false } };
        onToolError(thrown, {
          taskId: lease.taskId,
          tool: tool.name,
          attempt: record.attempt,
          part: { what, attempt },
        });
        const delayMs = retryDelay(thrown, attempt - 1, options.retry, random);
        if (delayMs === undefined) {
          if (options.onFailure === "collect") return { ...failed, failure: { error: thrown, isCollected: true } };
          const error = attemptsFailed(what, { taskId: record.id, key, index, attempts: attempt }, thrown);
          return { ...failed, failure: { error, isCollected: false } };
        }
        await this.#pause(delayMs);
      }
    }
  }

  async #checkResult(returned: unknown, what: string): Promise<Pick<Ended, "results" | "bytes">> {
    const { tool, tools, taskLimits } = this.#parts;
    if (returned === undefined) return { results: [], bytes: 0 };
    const checked =
      tool.item === undefined ? { value: returned } : await checkValue(tool.item, returned, tools.validate);
    if (checked.problems !== undefined) throw invalidValue(`The result of ${what}`, checked.problems);
    const results = [copyJson(checked.value, `the result of ${what}`)];
    const bytes = jsonBytes(results);
    checkLimit("maxAppendBytes", bytes, taskLimits.maxAppendBytes);
    return { results, bytes };
  }

  /** Ends before its time when the attempt has to stop. */
  async #pause(ms: number): Promise<void> {
    const { control, clock } = this.#parts;
    const own = control.fork();
    let stopTimer = () => {};
    try {
      await new Promise<void>((resolve, reject) => {
        stopTimer = clock.after(ms, resolve, true);
        own.signal.addEventListener("abort", () => reject(own.signal.reason));
        if (own.signal.aborted) reject(own.signal.reason);
      });
    } finally {
      stopTimer();
      control.release(own);
    }
  }

  /** Handles its own errors. After each commit the attempt may have to stop. */
  async #writeAll(): Promise<void> {
    const { control, yields } = this.#parts;
    // First of all, so that what ends in one turn is committed together.
    await undefined;
    try {
      while (this.#isWritable(this.#committed.at) && keepsCheckpoints(control.aborted)) {
        await this.#write();
        this.#isTurnOver ||= yields();
        if (control.wanted !== undefined || this.#isTurnOver) this.#halt();
      }
    } catch (error) {
      this.#halt({ error });
    }
    this.writing = undefined;
  }

  #isWritable(index: number): boolean {
    const ended = this.#ended.get(index);
    return ended !== undefined && ended.failure?.isCollected !== false;
  }

  async #write(): Promise<void> {
    let next = this.#committed;
    await writeCheckpoint(this.#parts, () => {
      const { map, events } = this.#gather();
      next = map;
      return events;
    });
    const { at: from } = this.#committed;
    this.#committed = next;
    for (let index = from; index < next.at; index += 1) {
      this.#ended.get(index)?.release();
      this.#ended.delete(index);
    }
  }

  /** What has ended, in order, as far as one commit takes it. */
  #gather(): { readonly map: MapProgress; readonly events: readonly TaskEventBody[] } {
    const { taskLimits, journal } = this.#parts;
    const { record } = journal;
    let { at, failed, digest } = this.#committed;
    const items: Json[] = [];
    const logs: TaskEventBody[] = [];
    // Brackets, and a comma for each: never less than the bytes of the list.
    let itemBytes = 2;
    for (; this.#isWritable(at); at += 1) {
      const ended = this.#ended.get(at);
      if (ended === undefined || (items.length > 0 && itemBytes + ended.bytes > taskLimits.maxAppendBytes)) break;
      items.push(...ended.results);
      itemBytes += ended.bytes - ended.results.length;
      digest = ended.digest;
      if (ended.failure === undefined) continue;
      failed += 1;
      logs.push(failureLine(`Item ${at} of ${this.#what}`, ended.failure.error));
    }
    const count = at - this.#committed.at;
    const done = this.#items.endsAt(at);
    this.#host.left.set(this.#call.key, done ? 0 : this.#items.leftAfter(at));
    const map: MapProgress = { key: this.#call.key, at, failed, digest, ...(done && { done }) };
    const progress = record.progress + count;
    const appended = items.length === 0 ? {} : { items, itemBytes: jsonBytes(items) };
    checkLimit("maxItemsBytes", record.itemBytes + (appended.itemBytes ?? 0), taskLimits.maxItemsBytes);
    const counted = count === 0 ? {} : { progress, total: totalOf(this.#host.left, progress, record.total) };
    return { map, events: [...logs, { type: "checkpoint", ...counted, map, ...appended }] };
  }
}

/** What `task.map` resolves to. */
export function countsOf({ at, failed }: Pick<MapProgress, "at" | "failed">): MapCounts {
  return { completed: at - failed, failed };
}

/** Maps add up; a tool may have named more. */
function totalOf(left: MapHost["left"], progress: number, known: number | undefined): number | undefined {
  const counts = [...left.values()];
  if (known === undefined && counts.includes(undefined)) return undefined;
  const total = counts.reduce<number>((sum, count = 0) => sum + count, progress);
  return Math.max(total, known ?? 0);
}

function failureLine(what: string, thrown: unknown): TaskEventBody {
  const error = toFailure(thrown);
  return { type: "log", level: "error", data: `${what} failed: ${error.message}`, error };
}
