import { type Engine, isFinal, rpcCodeOf, type TaskView } from "@resumable-mcp/core";
import { rpcCodes } from "@resumable-mcp/protocol";
import type { Call } from "../../call/call.js";
import { followCall } from "../../call/follow-call.js";
import { RpcError } from "../../call/rpc-error.js";
import { finishedResult, type ToolResult } from "../../call/tool-result.js";
import { relatedTaskKey } from "./task-2025.js";

/**
 * Waits for a task's end and gives what its call would have been answered with. What the task asks meanwhile goes to
 * the user through this very request.
 *
 * Source: MCP 2025-11-25, Tasks, "Retrieving Task Results" and "Input Required Status".
 */
export async function taskResult(call: Call, taskId: string): Promise<ToolResult> {
  for (;;) {
    const { reason, view } = await followCall(call, await call.tasks.get(taskId), undefined);
    if (reason === "finished") {
      call.carryResult(taskId);
      const result = answerOfTask(call.engine, view);
      return { ...result, _meta: { ...result._meta, [relatedTaskKey]: { taskId } } };
    }
    if (reason === "left")
      throw new RpcError({ code: rpcCodes.internalError, message: "The request was cancelled; the task continues." });
    // Paused, or asking a user whom this client cannot ask: another caller resumes or answers it.
    await nextEvent(call, taskId, view.record.lastSeq);
  }
}

/**
 * Gives what the call of a finished task is answered with.
 *
 * @throws {@link RpcError} what the tool threw, where that was a JSON-RPC error.
 */
export function answerOfTask(engine: Engine, view: TaskView): ToolResult {
  const { error } = view.record;
  const code = error === undefined ? undefined : rpcCodeOf(error);
  if (error !== undefined && code !== undefined) throw new RpcError({ code, message: error.message });
  return finishedResult(engine, view, false);
}

async function nextEvent({ tasks, signal }: Call, taskId: string, afterSeq: number): Promise<void> {
  for await (const _event of tasks.follow(taskId, { afterSeq, signal })) {
    const { status } = await tasks.get(taskId);
    if (isFinal(status) || (status !== "paused" && status !== "input_required")) return;
  }
}
