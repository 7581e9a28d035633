import { isResumableError, ResumableError, TaskInterrupted } from "../../errors.js";
import { copyJson, type Json, jsonBytes } from "../../json.js";
import { checkLimit, fixedLimits } from "../../limits.js";
import { looksAgainMs } from "../../task/calls.js";
import type { NewTask, TaskFailure } from "../../task/task-event.js";
import { type CalledTask, findEntry, isFinal, type Remembered, type TaskRecord } from "../../task/task-record.js";
import { makeLabel } from "../../tool/task-label.js";
import type { Tool } from "../../tool/tool.js";
import { readInstant } from "../clock.js";
import { keptMs, maxUnfinishedFor } from "../limit-rules.js";
import { keyedCall, taskKey } from "../owner/keyed-call.js";
import type { AttemptParts, VerbKeys } from "./attempt-parts.js";
import { errorOf } from "./step-attempt.js";

/** How a called task has ended. */
type Ending = { readonly output: Json } | { readonly error: TaskFailure; readonly generation: number };

/**
 * `task.call` of one attempt. The called task, the child, has an id that follows from its caller and the key. The call is written
 * down before the child is made: a request to cancel finds the child, and to make it again after a crash finds the one there is.
 */
export class ChildCalls {
  readonly #parts: AttemptParts;
  readonly #keys: VerbKeys;
  readonly #waiting = new Set<string>();
  /** How many times a child may have ended. */
  #news = 0;

  constructor(parts: AttemptParts, keys: VerbKeys) {
    this.#parts = parts;
    this.#keys = keys;
  }

  async call(key: string, tool: Tool | string, input: unknown): Promise<Json> {
    return await this.#keys.using(key, ["call", "returned", "failed_call"], (entry) =>
      this.#call(key, tool, input, entry),
    );
  }

  async #call(key: string, tool: Tool | string, input: unknown, entry: Remembered | undefined): Promise<Json> {
    const { control, taskLimits } = this.#parts;
    if (entry?.kind === "returned") return copyJson(entry.value, nameValue(key));
    if (entry?.kind === "failed_call") throw childFailed(key, entry, entry.error);
    const child = await this.#newTask(key, typeof tool === "string" ? tool : tool.name, input);
    const names = { tool: child.tool, child: child.id };
    if (entry === undefined) await this.#keys.remember({ type: "called", key, ...names });
    control.check();
    const ending = await this.#ending(key, child, entry === undefined);
    if ("error" in ending) await this.#keys.remember({ type: "call_failed", key, ...ending });
    control.check();
    if ("error" in ending) throw childFailed(key, names, ending.error);
    checkLimit("maxStepBytes", jsonBytes(ending.output), taskLimits.maxStepBytes);
    await this.#keys.remember({ type: "returned", key, value: ending.output });
    control.check();
    return copyJson(ending.output, nameValue(key));
  }

  /** A child may have ended: the calls that wait look. */
  look(): void {
    this.#news += 1;
    for (const key of this.#waiting) this.#keys.wake(key);
  }

  async #newTask(key: string, tool: string, given: unknown): Promise<NewTask> {
    const { record, tools } = this.#parts;
    const call = await keyedCall(this.#parts, { tool, input: copyJson(given ?? {}, "input"), newTask: true });
    const depth = (record.parent?.depth ?? 0) + 1;
    checkLimit("maxCallDepth", depth, fixedLimits.maxCallDepth);
    return {
      // A restart from nothing calls again.
      id: (await taskKey(record.id, [record.itemsFromSeq, key])).slice(0, 32),
      owner: record.owner,
      tool,
      toolVersion: tools.require(tool).version,
      key: null,
      input: call.input,
      label: makeLabel(call.tool, call.parsed, call.input),
      detached: true,
      ttlMs: keptMs(this.#parts, call.tool, record.owner),
      trace: record.trace,
      parent: { id: record.id, key, depth },
    };
  }

  /** Waits until the child has ended. */
  async #ending(key: string, child: NewTask, isNew: boolean): Promise<Ending> {
    const { journal, clock } = this.#parts;
    for (let mayBeThere = !isNew; ; mayBeThere = true) {
      const news = this.#news;
      const ending = await this.#ofStore(() => this.#look(key, child, mayBeThere));
      if (ending !== undefined) return ending;
      if (news !== this.#news) continue;
      this.#waiting.add(key);
      try {
        await this.#keys.wait(key, Number.POSITIVE_INFINITY, looksAgainMs(journal.record, clock.wallMs()));
      } finally {
        this.#waiting.delete(key);
      }
    }
  }

  /** Makes the child, or looks whether it has ended. One that had failed before its caller continued continues as well. */
  async #look(key: string, child: NewTask, mayBeThere: boolean): Promise<Ending | undefined> {
    const { store, clock, journal, runChild, continueChild } = this.#parts;
    let found = mayBeThere ? (await store.getTask(child.id))?.record : undefined;
    // One that has not begun may be half made: its maker died, and no list has it.
    if (found === undefined || found.attempt === 0) {
      const maxUnfinished = maxUnfinishedFor(this.#parts, child.owner);
      const made = await store.createTask({ task: child, reuseResultMs: 0, maxUnfinished, now: readInstant(clock) });
      found = made.snapshot.record;
      if (found.owner !== child.owner || found.parent?.id !== child.parent?.id) throw taskExists(child.id);
      if (made.created) runChild(found);
    }
    const entry = findEntry(journal.record, key);
    if (found.status === "failed" && entry?.kind === "call" && entry.continues === found.generation) {
      await continueChild(child.id);
      return undefined;
    }
    return endingOf(found);
  }

  /** A store that fails ends the attempt: to the tool it must not look like an error of its own. */
  async #ofStore(run: () => Promise<Ending | undefined>): Promise<Ending | undefined> {
    try {
      return await run();
    } catch (error) {
      if (isResumableError(error, "LIMIT_EXCEEDED", "QUOTA_EXCEEDED", "TASK_EXISTS")) throw error;
      // Only the owner of a damaged task hears of it, and this is a task of the same owner.
      if (isResumableError(error, "TASK_CORRUPT"))
        return { error: { code: error.code, message: error.message, terminal: true }, generation: 0 };
      this.#parts.journal.fail(error);
      throw new TaskInterrupted("lease_lost");
    }
  }
}

function endingOf({ status, output, error, generation }: TaskRecord): Ending | undefined {
  if (!isFinal(status)) return undefined;
  if (status === "completed") return { output: output ?? null };
  return { error: error ?? { ...cancelled }, generation };
}

const cancelled = { code: "CANCELLED", message: "The task was cancelled.", terminal: true, forCaller: true } as const;

function childFailed(key: string, { child, tool }: CalledTask, failure: TaskFailure): ResumableError<"CHILD_FAILED"> {
  const then = failure.terminal === true ? "" : ", and continues when this task continues";
  const message = `The call ${JSON.stringify(key)} of ${tool} failed: ${failure.message.replace(/\.$/, "")}. Its task is ${child}${then}.`;
  const details = { taskId: child, key, tool, code: failure.code };
  return new ResumableError("CHILD_FAILED", message, { details, cause: errorOf(failure) });
}

function taskExists(taskId: string): ResumableError<"TASK_EXISTS"> {
  const message = `Another task has the id ${taskId} that this call would have. Use another key.`;
  return new ResumableError("TASK_EXISTS", message, { details: { taskId } });
}

function nameValue(key: string): string {
  return `the output of call ${JSON.stringify(key)}`;
}
