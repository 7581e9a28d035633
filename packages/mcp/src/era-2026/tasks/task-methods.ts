import { isFinal, isJsonObject, isResumableError, type OwnedTasks } from "@resumable-mcp/core";
import { parseElicitationResult, rpcCodes } from "@resumable-mcp/protocol";
import { z } from "zod";
import { carryResult } from "../../call/result-delivered.js";
import { asRpcError, RpcError } from "../../call/rpc-error.js";
import type { Methods } from "../../control/methods.js";
import { sentenceOfIssues } from "../../sdk-workarounds.js";
import {
  type Call2026,
  call2026,
  clientFacts,
  type Environment2026,
  missingTasksExtension,
  type Request2026,
} from "../call-2026.js";
import { returningClient } from "../returning-client.js";
import { detailedTask } from "./task-on-wire.js";

type TaskMethod = (call: Call2026, taskId: string, request: Request2026) => Promise<object>;

const taskParams = z.looseObject({ taskId: z.string().min(1).max(256) });

/**
 * Makes `tasks/get`, `tasks/update` and `tasks/cancel`.
 *
 * An owner's tasks are all there, by whatever call and era they began. Source: SEP-2663, "Methods".
 */
export function taskMethods(environment: Environment2026): Methods<Request2026> {
  const methodOf =
    (run: TaskMethod): Methods<Request2026>[string] =>
    async (params, request) => {
      const { data, error } = taskParams.safeParse(params);
      if (data === undefined)
        throw new RpcError(rpcCodes.invalidParams, `Invalid params: ${sentenceOfIssues(error?.issues)}.`);
      if (!clientFacts(request.meta).tasks) throw RpcError.of(missingTasksExtension);
      try {
        return await run(call2026(environment, request), data.taskId, request);
      } catch (error) {
        throw asRpcError(error);
      }
    };
  return Object.fromEntries(Object.entries(methods).map(([name, run]) => [name, methodOf(run)]));
}

const methods: Readonly<Record<string, TaskMethod>> = {
  async "tasks/get"(call, taskId) {
    const view = await call.tasks.get(taskId);
    const returning = returningClient(call, taskId);
    returning?.arrive()();
    if (isFinal(view.status)) {
      returning?.end();
      carryResult(call, view);
    }
    return detailedTask(call, view, returning?.inputRequests);
  },
  async "tasks/update"(call, taskId, { inputResponses }) {
    const { tasks } = call;
    if (!isJsonObject(inputResponses)) {
      const message = "Invalid params: inputResponses is missing or has no valid entry.";
      throw new RpcError(rpcCodes.invalidParams, message);
    }
    await answerQuestions(tasks, taskId, inputResponses);
    returningClient(call, taskId)?.answer(inputResponses);
    return {};
  },
  async "tasks/cancel"({ tasks }, taskId) {
    await tasks.cancel(taskId).catch(unlessFinished);
    return {};
  },
};

/** A task that has finished has nothing left to cancel, which is not an error. Source: SEP-2663, "tasks/cancel". */
function unlessFinished(error: unknown): void {
  if (!isResumableError(error, "ILLEGAL_TRANSITION")) throw error;
}

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
