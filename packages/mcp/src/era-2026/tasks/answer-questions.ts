import { type Answer, isFinal, isResumableError, type OwnedTasks } from "@resumable-mcp/core";
import { z } from "zod";

const elicitResult = z.looseObject({
  action: z.enum(["accept", "decline", "cancel"]),
  content: z.record(z.string(), z.json()).optional(),
});

/** How long to wait for answers to reach the journal, in milliseconds; after that they are on their way. */
const settleAnswersMs = 2_000;

/**
 * Passes answers on to a task, as many of its open questions as there are answers for.
 *
 * Answers to unknown or already answered questions are ignored, as the specification asks: the client may repeat its
 * request. Resolves when the task shows what it still asks, so that whoever looks next sees the rest only.
 *
 * Source: SEP-2663, "tasks/update"; SEP-2322, server requirements for `inputResponses`.
 * @throws {@link ResumableError} `INVALID_VALUE` for an answer that does not fit its question; those before it count.
 */
export async function answerQuestions(
  tasks: OwnedTasks,
  taskId: string,
  responses: Readonly<Record<string, unknown>>,
  signal: AbortSignal,
): Promise<void> {
  const before = await tasks.get(taskId);
  const answered = new Set<string>();
  for (const [key, response] of Object.entries(responses)) {
    // A body has room for very many keys, and each that is passed on costs a look into the store.
    if (before.record.remembered[key]?.kind !== "question") continue;
    const answer = parseAnswer(response);
    if (answer === undefined) continue;
    try {
      await tasks.answer(taskId, key, answer);
      answered.add(key);
    } catch (error) {
      if (isResumableError(error, "ALREADY_ANSWERED")) answered.add(key);
      else if (!isResumableError(error, "UNKNOWN_QUESTION")) throw error;
    }
  }
  if (answered.size > 0) await settle(tasks, taskId, before.record.lastSeq, answered, signal);
}

async function settle(
  tasks: OwnedTasks,
  taskId: string,
  afterSeq: number,
  answered: ReadonlySet<string>,
  signal: AbortSignal,
): Promise<void> {
  const isSettled = async (): Promise<boolean> => {
    const { record, status } = await tasks.get(taskId);
    const open = [...answered].some((key) => record.remembered[key]?.kind === "question");
    return !open || isFinal(status) || status === "paused";
  };
  if (await isSettled()) return;
  const stop = AbortSignal.any([signal, AbortSignal.timeout(settleAnswersMs)]);
  for await (const _event of tasks.follow(taskId, { afterSeq, signal: stop })) {
    if (await isSettled()) return;
  }
}

function parseAnswer(response: unknown): Answer | undefined {
  const parsed = elicitResult.safeParse(response);
  if (!parsed.success) return undefined;
  const { action, content = {} } = parsed.data;
  return action === "accept" ? { action, content } : { action };
}
