import { setImmediate as nextTurn } from "node:timers/promises";
import type { Engine } from "@resumable-mcp/core";
import { hearCallers } from "../call/receipt/receipt.js";
import { limits2026 } from "../limits.js";

/** Answers of calls that are still being made, by the engine that the calls are about. */
const openAnswers = new WeakMap<Engine, Set<Promise<unknown>>>();

/** Notes that an answer is being made. */
export function noteAnswer<Answer>(engine: Engine, answer: Promise<Answer>): Promise<Answer> {
  const answers = openAnswers.get(engine) ?? new Set();
  openAnswers.set(engine, answers.add(answer));
  const forget = () => answers.delete(answer);
  answer.then(forget, forget);
  return answer;
}

/**
 * Resolves when the calls that a draining engine sends away have been answered: a client whose
 * stream is cut without an answer waits until its own time limit. At once when the engine does not drain.
 *
 * Limits: `drainAnswersMs`.
 */
export async function lastAnswers(engine: Engine): Promise<void> {
  if (!engine.draining) return;
  let timer: NodeJS.Timeout | undefined;
  const tooLate = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, limits2026.drainAnswersMs);
  });
  await Promise.race([Promise.allSettled(openAnswers.get(engine) ?? []), tooLate]);
  clearTimeout(timer);
  // A result is sent after its caller was heard once more, and is written by the end of the turn.
  await hearCallers();
  await nextTurn();
}
