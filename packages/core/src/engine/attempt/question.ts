import type { Duration } from "../../duration.js";
import { invalidValue, isResumableError } from "../../errors.js";
import { copyJson } from "../../json.js";
import type { Answer, Question } from "../../task/task-event.js";
import { findEntry } from "../../task/task-record.js";
import { formProblems } from "../../tool/form-schema.js";
import { unknownKeys } from "../../tool/known-keys.js";
import { checkValue, isStandardSchema, toJsonSchema } from "../../tool/schema.js";
import type { AskRequest, AskResult } from "../../tool/tool.js";
import { durationMs, formatIso } from "../clock.js";
import type { AttemptParts, VerbKeys } from "./attempt-parts.js";

/** A time that is over when it is computed counts as one of now. */
export function laterIso(what: string, nowMs: number, duration: Duration): string {
  return formatIso(nowMs + durationMs(what, typeof duration === "number" ? Math.max(0, duration) : duration));
}

const requestKeys: ReadonlySet<string> = new Set(
  Object.keys({ message: true, schema: true, timeout: true, userOnly: true } satisfies Record<keyof AskRequest, true>),
);

/** Checks what a tool asks. @throws {@link ResumableError} `INVALID_VALUE`, `NOT_JSON`. */
export function questionOf(key: string, request: AskRequest, nowMs: number): Question {
  const { message, timeout, userOnly } = request;
  const what = `question ${JSON.stringify(key)}`;
  const problems = unknownKeys(request, requestKeys, "a question");
  if (problems.length > 0) throw invalidValue(what, problems);
  const expiresAt = timeout === undefined ? undefined : laterIso(`The timeout of ${what}`, nowMs, timeout);
  const question = { message, schema: toJsonSchema(request.schema, "input", what), expiresAt, userOnly };
  // The schema is the author's: what JSON cannot hold is refused here, with its path.
  copyJson(question, what);
  const misfits = formProblems(question.schema);
  if (misfits.length > 0)
    throw invalidValue(what, [...misfits, "MCP's forms are flat: ask for the parts of an object one by one"]);
  return question;
}

/** `task.ask` of one attempt. */
export class Questions {
  readonly #parts: AttemptParts;
  readonly #keys: VerbKeys;

  constructor(parts: AttemptParts, keys: VerbKeys) {
    this.#parts = parts;
    this.#keys = keys;
  }

  async ask<Request extends AskRequest>(key: string, request: Request): Promise<AskResult<never>> {
    const { clock, dueTimes, tools } = this.#parts;
    const answer = await this.#keys.using(key, ["question", "answer"], async (entry) => {
      if (entry === undefined) {
        const question = questionOf(key, request, clock.wallMs());
        if (question.expiresAt !== undefined) dueTimes.leftMs(Date.parse(question.expiresAt));
        await this.#keys.remember({ type: "asked", key, question });
      }
      return this.#answerOf(key) ?? (await this.#awaitAnswer(key));
    });
    if (answer.action !== "accept") return { action: answer.action };
    const content = copyJson(answer.content, `the answer to ${JSON.stringify(key)}`);
    // The answer itself was checked when it was given; a Standard Schema may fill in defaults.
    if (!isStandardSchema(request.schema)) return { action: "accept", content: content as never };
    const checked = await checkValue(request.schema, content, tools.validate);
    return { action: "accept", content: (checked.problems === undefined ? checked.value : content) as never };
  }

  #answerOf(key: string): Answer | undefined {
    const entry = findEntry(this.#parts.journal.record, key);
    return entry?.kind === "answer" ? entry.answer : undefined;
  }

  async #awaitAnswer(key: string): Promise<Answer> {
    const entry = findEntry(this.#parts.journal.record, key);
    const expiresAt = entry?.kind === "question" ? entry.question.expiresAt : undefined;
    await this.#keys.wait(key, expiresAt === undefined ? Number.POSITIVE_INFINITY : Date.parse(expiresAt));
    if (this.#answerOf(key) === undefined) await this.#expire(key);
    for (;;) {
      const answer = this.#answerOf(key);
      if (answer !== undefined) return answer;
      await this.#keys.wait(key, Number.POSITIVE_INFINITY);
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
