import type { Duration } from "../../duration.js";
import { invalidValue } from "../../errors.js";
import { copyJson } from "../../json.js";
import type { Question } from "../../task/task-event.js";
import { unknownKeys } from "../../tool/known-keys.js";
import { toJsonSchema } from "../../tool/schema.js";
import type { AskRequest } from "../../tool/tool.js";
import { durationMs, formatIso } from "../clock.js";

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
  return question;
}
