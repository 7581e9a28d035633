import { ResumableError } from "../../errors.js";
import { copyJson, isJsonObject } from "../../json.js";
import type { Answer } from "../../task/task-event.js";
import { isFinal, openQuestions } from "../../task/task-record.js";
import type { TaskSnapshot } from "../../task/task-snapshot.js";
import { invalidValue } from "../attempt/check-checkpoint.js";
import { checkAnswer } from "./check-answer.js";

/**
 * Checks an answer that somebody gives to a question of a task, and copies it. Pure.
 *
 * @throws {@link ResumableError} `UNKNOWN_QUESTION`, `ALREADY_ANSWERED`, `INVALID_VALUE`, `NOT_JSON`.
 */
export function checkGivenAnswer(
  { record, signals }: TaskSnapshot,
  key: string,
  given: Answer,
  leftMs: (wallMs: number) => number,
): Answer {
  const entry = Object.hasOwn(record.remembered, key) ? record.remembered[key] : undefined;
  const pending = signals.some((signal) => signal.kind === "answer" && signal.key === key);
  if (entry?.kind === "answer" || pending) throw answered(record.id, key, "already has its answer");
  if (entry?.kind !== "question" || isFinal(record.status)) throw unknown(record, key);
  const { expiresAt, schema } = entry.question;
  if (expiresAt !== undefined && leftMs(Date.parse(expiresAt)) <= 0) throw answered(record.id, key, "has expired");
  const { action } = given;
  if (action === "decline" || action === "cancel") return { action };
  if (action !== "accept" || !isJsonObject(given.content)) {
    throw invalidValue("The answer", ["must be accept with content, decline, or cancel"]);
  }
  const problems = checkAnswer(schema, given.content);
  if (problems.length > 0) throw invalidValue("The answer", problems);
  const content = copyJson(given.content, "answer.content");
  // A copy of an object is an object.
  return { action, content: content as typeof given.content };
}

function answered(taskId: string, key: string, why: string): ResumableError {
  return new ResumableError("ALREADY_ANSWERED", `The question ${JSON.stringify(key)} ${why}.`, {
    details: { taskId, key },
  });
}

function unknown(record: TaskSnapshot["record"], key: string): ResumableError {
  const open = isFinal(record.status) ? [] : openQuestions(record).map((question) => question.key);
  const hint = open.length === 0 ? "The task asks nothing now." : `Open questions: ${open.join(", ")}.`;
  return new ResumableError("UNKNOWN_QUESTION", `The task asks no question ${JSON.stringify(key)}. ${hint}`, {
    details: { taskId: record.id, key },
  });
}
