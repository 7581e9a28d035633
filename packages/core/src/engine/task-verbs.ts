import { ResumableError, TaskInterrupted } from "../errors.js";
import { copyJson, type Json, jsonBytes } from "../json.js";
import { checkValue, type JsonSchemaValidator, jsonSchemaOf } from "../schema.js";
import type { Answer, TaskEventBody } from "../task-event.js";
import type { Remembered } from "../task-record.js";
import type { AskRequest, AskResult, TaskContext, Tool } from "../tool.js";
import type { AttemptControl } from "./attempt-control.js";
import { checkLimit, limitsOf } from "./check-checkpoint.js";
import type { Clock } from "./engine.js";
import type { JournalWriter } from "./journal-writer.js";

/** What the verbs of one attempt are made of. */
export interface VerbsOptions {
  readonly tool: Tool;
  readonly journal: JournalWriter;
  readonly control: AttemptControl;
  readonly clock: Clock;
  readonly validate: JsonSchemaValidator | undefined;
  readonly waitInPlaceMs: number;
  readonly graceMs: number;
}

/** `step`, `ask` and `sleep` of one attempt, and what its runner needs to know of them. */
export interface Verbs extends Pick<TaskContext<unknown, unknown>, "step" | "ask" | "sleep"> {
  /** Wakes the question that waits in place for this key. */
  answered(key: string): void;
  /** When the earliest of the waits that ended the attempt is over, as ISO 8601; `undefined`: when somebody answers. */
  readonly waitsUntil: string | undefined;
}

/** Makes the verbs of one attempt. */
export function createVerbs(options: VerbsOptions): Verbs {
  const { tool, journal, control, clock } = options;
  const limits = limitsOf(tool.limits);
  const used = new Set<string>();
  const wakers = new Map<string, () => void>();
  const deadlines = new Set<number>();
  let rememberedCount = Object.keys(journal.record.remembered).length;
  let activeSteps = 0;

  const claim = (key: string, kinds: readonly Remembered["kind"][]): Remembered | undefined => {
    const taskId = journal.record.id;
    checkLimit("maxKeyLength", key.length, limits.maxKeyLength);
    const remembered = journal.record.remembered;
    const entry = Object.hasOwn(remembered, key) ? remembered[key] : undefined;
    if (used.has(key) || (entry !== undefined && !kinds.includes(entry.kind))) throw keyReused(taskId, key);
    used.add(key);
    if (control.aborted !== undefined) throw new TaskInterrupted(control.aborted);
    return entry;
  };
  const remember = async (event: TaskEventBody): Promise<void> => {
    checkLimit("maxSteps", rememberedCount + 1, limits.maxSteps);
    rememberedCount += 1;
    await journal.commit([event]);
  };

  /** Waits in place until woken or until `untilMs`; what takes longer than `waitInPlaceMs` ends the attempt. */
  const wait = (key: string, untilMs: number): Promise<void> =>
    new Promise((resolve, reject) => {
      const release = control.waitInPlace();
      let stopTimer = () => {};
      const finish = (settle: () => void): void => {
        stopTimer();
        release();
        wakers.delete(key);
        control.signal.removeEventListener("abort", interrupted);
        settle();
      };
      const interrupted = (): void => finish(() => reject(new TaskInterrupted(control.aborted ?? "waiting")));
      const arm = (): void => {
        const left = untilMs - clock.wallMs();
        if (left <= 0) return finish(resolve);
        stopTimer = clock.after(Math.min(left, options.waitInPlaceMs), left <= options.waitInPlaceMs ? arm : giveUp);
      };
      const giveUp = (): void => {
        if (activeSteps > 0) return arm();
        control.abort("waiting", options.graceMs);
      };
      deadlines.add(untilMs);
      control.signal.addEventListener("abort", interrupted);
      wakers.set(key, () => {
        deadlines.delete(untilMs);
        finish(resolve);
      });
      if (control.aborted !== undefined) return interrupted();
      if (untilMs - clock.wallMs() > options.waitInPlaceMs && Number.isFinite(untilMs)) giveUp();
      if (control.aborted === undefined) arm();
    });

  const step: TaskContext["step"] = async (key, run) => {
    const entry = claim(key, ["step"]);
    // The type is that of the first run's value: the same code wrote it, and JSON kept it.
    if (entry?.kind === "step") return entry.value as never;
    activeSteps += 1;
    try {
      const value = copyJson((await run()) ?? null, `the value of step ${JSON.stringify(key)}`);
      checkLimit("maxStepBytes", jsonBytes(value), limits.maxStepBytes);
      await remember({ type: "step", key, value });
      if (control.aborted !== undefined) throw new TaskInterrupted(control.aborted);
      return value as never;
    } finally {
      activeSteps -= 1;
    }
  };

  const sleep: TaskContext["sleep"] = async (key, durationMs) => {
    const entry = claim(key, ["sleep"]);
    let until = entry?.kind === "sleep" ? Date.parse(entry.until) : undefined;
    if (until === undefined) {
      until = clock.wallMs() + Math.max(0, durationMs);
      await remember({ type: "sleep", key, until: new Date(until).toISOString() });
    }
    if (until > clock.wallMs()) await wait(key, until);
  };

  const answerOf = (key: string): Answer | undefined => {
    const entry = journal.record.remembered[key];
    return entry?.kind === "answer" ? entry.answer : undefined;
  };
  const ask = async (key: string, request: AskRequest): Promise<AskResult<never>> => {
    const entry = claim(key, ["question", "answer"]);
    if (entry === undefined) await remember(questionEvent(key, request, clock.wallMs()));
    let answer = answerOf(key);
    if (answer === undefined) {
      const open = journal.record.remembered[key];
      const expiresAt = open?.kind === "question" ? open.question.expiresAt : undefined;
      await wait(key, expiresAt === undefined ? Number.POSITIVE_INFINITY : Date.parse(expiresAt));
      answer = answerOf(key);
      if (answer === undefined) {
        answer = { action: "expired" };
        await journal.commit([{ type: "answered", key, answer }]);
        answer = answerOf(key) ?? answer;
      }
    }
    if (answer.action !== "accept") return answer;
    const checked = await checkValue(request.schema, answer.content, options.validate);
    // A schema may fill in defaults; the answer itself was checked when it was given.
    return { action: "accept", content: (checked.problems === undefined ? checked.value : answer.content) as never };
  };

  return {
    step,
    sleep,
    ask,
    answered: (key) => wakers.get(key)?.(),
    get waitsUntil() {
      const earliest = Math.min(...deadlines);
      return Number.isFinite(earliest) ? new Date(earliest).toISOString() : undefined;
    },
  };
}

function questionEvent(key: string, request: AskRequest, nowMs: number): TaskEventBody {
  const { message, timeoutMs, userOnly } = request;
  const expiresAt = timeoutMs === undefined ? undefined : new Date(nowMs + timeoutMs).toISOString();
  const schema = jsonSchemaOf(request.schema, "input", `question ${JSON.stringify(key)}`);
  const question = {
    message,
    schema,
    ...(expiresAt === undefined ? {} : { expiresAt }),
    ...(userOnly === undefined ? {} : { userOnly }),
  };
  copyJson(question as unknown as Json, `question ${JSON.stringify(key)}`);
  return { type: "asked", key, question };
}

function keyReused(taskId: string, key: string): ResumableError {
  return new ResumableError(
    "STEP_KEY_REUSED",
    `The key ${JSON.stringify(key)} was used twice in one attempt. Keys are unique within a task: in a loop, add the loop index.`,
    { details: { taskId, key } },
  );
}
