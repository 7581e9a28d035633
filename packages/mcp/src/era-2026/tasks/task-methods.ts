import { type Engine, isFinal, isResumableError, type JsonObject, type OwnedTasks } from "@resumable-mcp/core";
import { parseElicitationResult, rpcCodes } from "@resumable-mcp/protocol";
import { z } from "zod";
import { asRpcError, RpcError } from "../../call/rpc-error.js";
import { forSdk } from "../../sdk-workarounds.js";
import { type CallPolicy2026, carryResult, ownerOf, readMeta } from "../call-2026.js";
import { clientFacts, missingTasksExtension } from "../envelope.js";
import type { Context2026, Server2026 } from "../server-2026.js";
import { detailedTask } from "./task-on-wire.js";

type TaskMethod = (tasks: OwnedTasks, taskId: string, context: Context2026) => Promise<object>;

const params = z.looseObject({ taskId: z.string().min(1).max(256) });

/**
 * Registers `tasks/get`, `tasks/update` and `tasks/cancel`.
 *
 * An owner's tasks are all there, by whatever call and era they began. Source: SEP-2663, "Methods".
 */
export function registerTaskMethods({ server }: Server2026, engine: Engine, policy: CallPolicy2026): void {
  const methods: Readonly<Record<string, TaskMethod>> = {
    "tasks/get": async (tasks, taskId, context) => {
      const view = await tasks.get(taskId);
      if (isFinal(view.status)) carryResult(policy, context, { engine, tasks }, taskId);
      return detailedTask(engine, view);
    },
    "tasks/update": updateTask,
    "tasks/cancel": cancelTask,
  };
  for (const [method, run] of Object.entries(methods)) {
    const handler = async ({ taskId }: z.output<typeof params>, context: Context2026): Promise<object> => {
      if (!clientFacts(context.mcpReq.envelope).tasks) throw new RpcError(missingTasksExtension);
      try {
        const owner = ownerOf(policy, context, readMeta(context).clientId);
        return await run(engine.forOwner(owner), taskId, context);
      } catch (error) {
        throw asRpcError(error);
      }
    };
    server.setRequestHandler(method, forSdk({ params }), forSdk(handler));
  }
}

async function updateTask(tasks: OwnedTasks, taskId: string, { mcpReq }: Context2026): Promise<JsonObject> {
  // The SDK takes them out of the parameters, as it does for every method.
  const responses = mcpReq.inputResponses;
  if (responses === undefined) {
    throw new RpcError({
      code: rpcCodes.invalidParams,
      message: "Invalid params: inputResponses is missing or has no valid entry.",
    });
  }
  await answerQuestions(tasks, taskId, responses);
  return {};
}

/** A task that has finished has nothing left to cancel, which is not an error. Source: SEP-2663, "tasks/cancel". */
async function cancelTask(tasks: OwnedTasks, taskId: string): Promise<JsonObject> {
  try {
    await tasks.cancel(taskId);
  } catch (error) {
    if (!isResumableError(error, "ILLEGAL_TRANSITION")) throw error;
  }
  return {};
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
