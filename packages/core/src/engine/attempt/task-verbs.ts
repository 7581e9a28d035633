import { isResumableError, ResumableError, TaskInterrupted } from "../../errors.js";
import { copyJson, type Json, jsonBytes } from "../../json.js";
import type { Answer, TaskEventBody } from "../../task/task-event.js";
import type { Remembered } from "../../task/task-record.js";
import { checkValue, isStandardSchema, jsonSchemaOf } from "../../tool/schema.js";
import type { AskRequest, AskResult } from "../../tool/tool.js";
import type { AttemptOptions, TaskVerbs } from "./attempt.js";
import type { AttemptControl } from "./attempt-control.js";
import { checkLimit, invalidValue, limitsOf } from "./check-checkpoint.js";
import type { JournalWriter } from "./journal-writer.js";
import { WaitsInPlace } from "./waits-in-place.js";

type VerbsOptions = Pick<
  AttemptOptions,
  "tool" | "store" | "lease" | "clock" | "dueTimes" | "validate" | "limits" | "onWaiting" | "mayWaitInPlace"
>;
interface VerbsParts {
  readonly journal: JournalWriter;
  readonly control: AttemptControl;
}

/** Makes the verbs of one attempt. */
export function createVerbs(options: VerbsOptions, parts: VerbsParts): TaskVerbs {
  const verbs = new Verbs(options, parts);
  return {
    step: (key, run) => handled(verbs.step(key, run)),
    sleep: (key, durationMs) => handled(verbs.sleep(key, durationMs)),
    ask: (key, request) => handled(verbs.ask(key, request)),
    answered: (key) => verbs.waits.wake(key),
    get waitsUntilMs() {
      return verbs.waits.untilMs;
    },
  };
}

/** A tool that does not wait for what it began must not take the process down when its attempt ends. */
function handled<Value>(promise: Promise<Value>): Promise<Value> {
  promise.catch(() => {});
  return promise;
}

class Verbs {
  readonly waits: WaitsInPlace;
  readonly #options: VerbsOptions;
  readonly #parts: VerbsParts;
  readonly #limits: ReturnType<typeof limitsOf>;
  readonly #used = new Set<string>();
  #rememberedCount: number;
  #activeSteps = 0;
  #noting = false;

  constructor(options: VerbsOptions, parts: VerbsParts) {
    const { clock, dueTimes, limits } = options;
    this.#options = options;
    this.#parts = parts;
    this.#limits = limitsOf(options.tool.limits);
    this.#rememberedCount = Object.keys(parts.journal.record.remembered).length;
    this.waits = new WaitsInPlace({
      control: parts.control,
      clock,
      dueTimes,
      waitInPlaceMs: limits.waitInPlaceMs,
      graceMs: limits.graceMs,
      busy: () => this.#activeSteps > 0,
      mayStay: options.mayWaitInPlace,
    });
  }

  async step<Value extends Json>(key: string, run: () => Promise<Value> | Value): Promise<Value> {
    const entry = this.#claim(key, ["step"]);
    const what = `the value of step ${JSON.stringify(key)}`;
    // A copy, since what the tool changes must not change the record. The same code wrote it: it has the same type.
    if (entry?.kind === "step") return copyJson(entry.value, what) as Value;
    this.#activeSteps += 1;
    this.#noteWaits();
    try {
      const value = copyJson((await run()) ?? null, what);
      checkLimit("maxStepBytes", jsonBytes(value), this.#limits.maxStepBytes);
      await this.#remember({ type: "step", key, value });
      this.#checkAborted();
      return copyJson(value, what) as Value;
    } finally {
      this.#activeSteps -= 1;
      this.#noteWaits();
    }
  }

  async sleep(key: string, durationMs: number): Promise<void> {
    const { clock } = this.#options;
    const entry = this.#claim(key, ["sleep"]);
    if (entry?.kind === "sleep") return this.#sleepUntil(key, Date.parse(entry.until));
    const untilMs = laterMs(`The duration of sleep ${JSON.stringify(key)}`, clock.wallMs(), durationMs);
    const until = new Date(untilMs).toISOString();
    await this.#remember({ type: "sleep", key, until });
    await this.#sleepUntil(key, Date.parse(until));
  }

  async ask<Request extends AskRequest>(key: string, request: Request): Promise<AskResult<never>> {
    const entry = this.#claim(key, ["question", "answer"]);
    if (entry === undefined) await this.#remember(questionEvent(key, request, this.#options.clock.wallMs()));
    const answer = this.#answerOf(key) ?? (await this.#awaitAnswer(key));
    if (answer.action !== "accept") return { action: answer.action };
    const content = copyJson(answer.content, `the answer to ${JSON.stringify(key)}`);
    // The answer itself was checked when it was given; a Standard Schema may fill in defaults.
    if (!isStandardSchema(request.schema)) return { action: "accept", content: content as never };
    const checked = await checkValue(request.schema, content, this.#options.validate);
    return { action: "accept", content: (checked.problems === undefined ? checked.value : content) as never };
  }

  #claim(key: string, kinds: readonly Remembered["kind"][]): Remembered | undefined {
    const { journal } = this.#parts;
    checkLimit("maxKeyLength", key.length, this.#limits.maxKeyLength);
    const { remembered, id } = journal.record;
    const entry = Object.hasOwn(remembered, key) ? remembered[key] : undefined;
    if (this.#used.has(key) || (entry !== undefined && !kinds.includes(entry.kind))) throw keyReused(id, key);
    this.#used.add(key);
    this.#checkAborted();
    return entry;
  }

  #checkAborted(): void {
    const { aborted } = this.#parts.control;
    if (aborted !== undefined) throw new TaskInterrupted(aborted);
  }

  async #remember(event: TaskEventBody): Promise<void> {
    checkLimit("maxSteps", this.#rememberedCount + 1, this.#limits.maxSteps);
    this.#rememberedCount += 1;
    await this.#parts.journal.commit([event]);
  }

  async #sleepUntil(key: string, untilMs: number): Promise<void> {
    if (this.#options.dueTimes.leftMs(untilMs) > 0) await this.#wait(key, untilMs);
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
      const { journal, control } = this.#parts;
      const keys = this.#activeSteps > 0 ? [] : this.waits.keys;
      this.#options.onWaiting(keys.length > 0);
      const { waitsFor = [] } = journal.record;
      const known = keys.length === waitsFor.length && keys.every((key) => waitsFor.includes(key));
      const over = this.waits.keys.length === 0 || control.aborted !== undefined;
      // The event is only about the attempt: where it cannot be written, the attempt is over.
      if (!known && !over) journal.commit([{ type: "waiting", keys }]).catch(() => {});
    });
  }

  #answerOf(key: string): Answer | undefined {
    const { remembered } = this.#parts.journal.record;
    const entry = Object.hasOwn(remembered, key) ? remembered[key] : undefined;
    return entry?.kind === "answer" ? entry.answer : undefined;
  }

  async #awaitAnswer(key: string): Promise<Answer> {
    const entry = this.#parts.journal.record.remembered[key];
    const expiresAt = entry?.kind === "question" ? entry.question.expiresAt : undefined;
    await this.#wait(key, expiresAt === undefined ? Number.POSITIVE_INFINITY : Date.parse(expiresAt));
    const answer = this.#answerOf(key);
    if (answer !== undefined) return answer;
    await this.#expire(key);
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
    const { store, lease } = this.#options;
    try {
      await store.signal(lease.taskId, { kind: "answer", key, answer: { action: "expired" } });
    } catch (error) {
      if (!isResumableError(error, "ALREADY_ANSWERED")) this.#parts.journal.fail(error);
    }
    this.#parts.journal.look();
  }
}

/** The last moment that an ISO date can name. */
const lastMs = 8.64e15;

function laterMs(what: string, nowMs: number, durationMs: number): number {
  if (Number.isNaN(durationMs)) throw invalidValue(what, ["must be a number of milliseconds"]);
  return Math.min(nowMs + Math.max(0, durationMs), lastMs);
}

function questionEvent(key: string, request: AskRequest, nowMs: number): TaskEventBody {
  const { message, timeoutMs, userOnly } = request;
  const what = `question ${JSON.stringify(key)}`;
  const untilMs = timeoutMs === undefined ? undefined : laterMs(`The timeout of ${what}`, nowMs, timeoutMs);
  const question = {
    message,
    schema: jsonSchemaOf(request.schema, "input", what),
    ...(untilMs === undefined ? {} : { expiresAt: new Date(untilMs).toISOString() }),
    ...(userOnly === undefined ? {} : { userOnly }),
  };
  // The schema is the author's: what JSON cannot hold is refused here, with its path.
  copyJson(question, what);
  return { type: "asked", key, question };
}

function keyReused(taskId: string, key: string): ResumableError {
  return new ResumableError(
    "STEP_KEY_REUSED",
    `The key ${JSON.stringify(key)} was used twice in one attempt. Keys are unique within a task: in a loop, add the loop index.`,
    { details: { taskId, key } },
  );
}
