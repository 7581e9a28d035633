import { invalidValue, isResumableError, ResumableError } from "../../errors.js";
import { copyJson, type Json, jsonBytes } from "../../json.js";
import { checkLimit } from "../../limits.js";
import type { Answer, Question, TaskEventBody } from "../../task/task-event.js";
import { findEntry, type Remembered } from "../../task/task-record.js";
import { unknownKeys } from "../../tool/known-keys.js";
import { checkValue, isStandardSchema, toJsonSchema } from "../../tool/schema.js";
import type { AskRequest, AskResult } from "../../tool/tool.js";
import { formatIso } from "../clock.js";
import type { AttemptParts } from "./attempt-parts.js";
import { WaitsInPlace } from "./waits-in-place.js";

/** `step`, `ask` and `sleep` of one attempt. */
export class TaskVerbs {
  readonly waits: WaitsInPlace;
  readonly #parts: AttemptParts;
  readonly #used = new Set<string>();
  #rememberedCount: number;
  #activeSteps = 0;
  #noting = false;

  constructor(parts: AttemptParts) {
    this.#parts = parts;
    this.#rememberedCount = Object.keys(parts.record.remembered).length;
    this.waits = new WaitsInPlace(parts, () => this.#activeSteps > 0);
  }

  async step(key: string, run: () => unknown): Promise<Json> {
    const entry = this.#claim(key, ["step"]);
    const what = `the value of step ${JSON.stringify(key)}`;
    // A copy, since what the tool changes must not change the record.
    if (entry?.kind === "step") return copyJson(entry.value, what);
    this.#activeSteps += 1;
    this.#noteWaits();
    try {
      const value = copyJson((await run()) ?? null, what);
      checkLimit("maxStepBytes", jsonBytes(value), this.#parts.taskLimits.maxStepBytes);
      await this.#remember({ type: "step", key, value });
      this.#parts.control.check();
      return copyJson(value, what);
    } finally {
      this.#activeSteps -= 1;
      this.#noteWaits();
    }
  }

  async sleep(key: string, durationMs: number): Promise<void> {
    const { clock, dueTimes } = this.#parts;
    const entry = this.#claim(key, ["sleep"]);
    let until = entry?.kind === "sleep" ? entry.until : undefined;
    if (until === undefined) {
      until = laterIso(`The duration of sleep ${JSON.stringify(key)}`, clock.wallMs(), durationMs);
      // The wall clock may be set while this is written.
      dueTimes.leftMs(Date.parse(until));
      await this.#remember({ type: "sleep", key, until });
    }
    if (dueTimes.leftMs(Date.parse(until)) > 0) await this.#wait(key, Date.parse(until));
  }

  async ask<Request extends AskRequest>(key: string, request: Request): Promise<AskResult<never>> {
    const { clock, dueTimes, tools } = this.#parts;
    const entry = this.#claim(key, ["question", "answer"]);
    if (entry === undefined) {
      const question = questionOf(key, request, clock.wallMs());
      if (question.expiresAt !== undefined) dueTimes.leftMs(Date.parse(question.expiresAt));
      await this.#remember({ type: "asked", key, question });
    }
    const answer = this.#answerOf(key) ?? (await this.#awaitAnswer(key));
    if (answer.action !== "accept") return { action: answer.action };
    const content = copyJson(answer.content, `the answer to ${JSON.stringify(key)}`);
    // The answer itself was checked when it was given; a Standard Schema may fill in defaults.
    if (!isStandardSchema(request.schema)) return { action: "accept", content: content as never };
    const checked = await checkValue(request.schema, content, tools.validate);
    return { action: "accept", content: (checked.problems === undefined ? checked.value : content) as never };
  }

  #claim(key: string, kinds: readonly Remembered["kind"][]): Remembered | undefined {
    const { journal, control } = this.#parts;
    checkLimit("maxKeyLength", key.length, this.#parts.taskLimits.maxKeyLength);
    const entry = findEntry(journal.record, key);
    if (this.#used.has(key) || (entry !== undefined && !kinds.includes(entry.kind))) {
      throw keyReused(journal.record.id, key);
    }
    this.#used.add(key);
    control.check();
    return entry;
  }

  async #remember(event: TaskEventBody): Promise<void> {
    checkLimit("maxSteps", this.#rememberedCount + 1, this.#parts.taskLimits.maxSteps);
    this.#rememberedCount += 1;
    await this.#parts.journal.commit([event]);
  }

  async #wait(key: string, untilMs: number): Promise<void> {
    try {
      const waited = this.waits.wait(key, untilMs);
      this.#noteWaits();
      await waited;
    } finally {
      this.#noteWaits();
    }
  }

  /**
   * Sees to it that the scheduler and the journal know whether the attempt only waits. `asked` and `sleep` say so themselves, so nothing
   * is written unless the attempt came back to an earlier wait, or runs a step while it waits.
   */
  #noteWaits(): void {
    if (this.#noting) return;
    this.#noting = true;
    // In a later turn: verbs that are called together are noted together.
    void Promise.resolve().then(() => {
      this.#noting = false;
      const { journal, control, onWaiting } = this.#parts;
      const keys = this.#activeSteps > 0 ? [] : this.waits.keys;
      onWaiting(keys.length > 0);
      const { waitsFor = [] } = journal.record;
      const known = keys.length === waitsFor.length && keys.every((key) => waitsFor.includes(key));
      const over = this.waits.keys.length === 0 || control.aborted !== undefined;
      // The event is only about the attempt: where it cannot be written, the attempt is over.
      if (!known && !over) journal.commit([{ type: "waiting", keys }]).catch(() => {});
    });
  }

  #answerOf(key: string): Answer | undefined {
    const entry = findEntry(this.#parts.journal.record, key);
    return entry?.kind === "answer" ? entry.answer : undefined;
  }

  async #awaitAnswer(key: string): Promise<Answer> {
    const entry = findEntry(this.#parts.journal.record, key);
    const expiresAt = entry?.kind === "question" ? entry.question.expiresAt : undefined;
    await this.#wait(key, expiresAt === undefined ? Number.POSITIVE_INFINITY : Date.parse(expiresAt));
    if (this.#answerOf(key) === undefined) await this.#expire(key);
    for (;;) {
      const answer = this.#answerOf(key);
      if (answer !== undefined) return answer;
      await this.#wait(key, Number.POSITIVE_INFINITY);
    }
  }

  /**
   * Answers a question with `expired` by the way that everybody's answers go, of which the store takes one: an answer
   * that a user gives at this very moment is either taken, or refused because it came too late.
   */
  async #expire(key: string): Promise<void> {
    const { store, lease, journal } = this.#parts;
    try {
      await store.signal(lease.taskId, { kind: "answer", key, answer: { action: "expired" } });
    } catch (error) {
      if (!isResumableError(error, "ALREADY_ANSWERED")) journal.fail(error);
    }
    journal.look();
  }
}

function laterIso(what: string, nowMs: number, durationMs: number): string {
  if (Number.isNaN(durationMs)) throw invalidValue(what, ["must be a number of milliseconds"]);
  return formatIso(nowMs + Math.max(0, durationMs));
}

const requestKeys: ReadonlySet<string> = new Set(
  Object.keys({ message: true, schema: true, timeoutMs: true, userOnly: true } satisfies Record<
    keyof AskRequest,
    true
  >),
);

function questionOf(key: string, request: AskRequest, nowMs: number): Question {
  const { message, timeoutMs, userOnly } = request;
  const what = `question ${JSON.stringify(key)}`;
  const problems = unknownKeys(request, requestKeys, "a question");
  if (problems.length > 0) throw invalidValue(what, problems);
  const expiresAt = timeoutMs === undefined ? undefined : laterIso(`The timeout of ${what}`, nowMs, timeoutMs);
  const question = { message, schema: toJsonSchema(request.schema, "input", what), expiresAt, userOnly };
  // The schema is the author's: what JSON cannot hold is refused here, with its path.
  copyJson(question, what);
  return question;
}

function keyReused(taskId: string, key: string): ResumableError {
  return new ResumableError(
    "STEP_KEY_REUSED",
    `The key ${JSON.stringify(key)} was used twice in one attempt. Keys are unique within a task: in a loop, add the loop index.`,
    { details: { taskId, key } },
  );
}
