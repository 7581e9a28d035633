import { isResumableError, type OwnedTasks } from "@resumable-mcp/core";
import { parseElicitationResult } from "@resumable-mcp/protocol";

/**
 * Passes answers on to a task, as many of its open questions as there are answers for.
 *
 * Answers to unknown or already answered questions are ignored, as the specification asks: the client may repeat its
 * request. A question that has its answer is no longer among `TaskView.questions`.
 *
 * Source: SEP-2663, "tasks/update"; SEP-2322, server requirements for `inputResponses`.
 * @throws {@link ResumableError} `INVALID_VALUE` for an answer that does not fit its question; those before it count.
 */
export async function answerQuestions(
  tasks: OwnedTasks,
  taskId: string,
  responses: Readonly<Record<string, unknown>>,
): Promise<void> {
  const { questions } = await tasks.get(taskId);
  // A body has room for very many keys, and each that is passed on reads the task.
  for (const { key } of questions.filter((question) => Object.hasOwn(responses, question.key))) {
    const answer = parseElicitationResult(responses[key]);
    if (answer !== undefined) await tasks.answer(taskId, key, answer).catch(unlessClosed);
  }
}

function unlessClosed(error: unknown): void {
  if (!isResumableError(error, "ALREADY_ANSWERED") && !isResumableError(error, "UNKNOWN_QUESTION")) throw error;
}
